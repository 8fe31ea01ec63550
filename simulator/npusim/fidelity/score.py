"""What a prediction is worth: errors by row, median and p90 by group, verdicts.

Errors are relative to the measured value. p90 is the nearest rank, so it is always the
error of a row. Rows of a group without a target are shown and not counted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from npusim.fidelity.rows import Group, rules


@dataclass(frozen=True)
class Result:
    """A row with its prediction, both in `unit`.

    `low`, `high`: least and most predicted where the state was unknown; `counted`:
    whether the row counts for the group's target; `remark`: what a reader must know.
    """

    row: str
    condition: str
    predicted: float
    measured: float
    unit: str
    counted: bool = True
    remark: str = ""
    low: float | None = None
    high: float | None = None

    @property
    def error(self) -> float:
        """(predicted - measured) / measured."""
        return self.predicted / self.measured - 1.0

    @property
    def explained(self) -> bool:
        """Whether the measurement lies between the predictions, with the margin."""
        if self.low is None or self.high is None:
            return False
        margin = rules()["explained_margin"]
        return self.low * (1 - margin) <= self.measured <= self.high * (1 + margin)


@dataclass(frozen=True)
class Summary:
    """Errors of the counted rows of a group; `misses`: targets that were not met."""

    group: Group
    count: int
    median: float
    p90: float
    largest: float
    bias: float
    misses: tuple[str, ...]

    @property
    def met(self) -> bool:
        return not self.misses


def nearest_rank(values: Sequence[float], share: float) -> float:
    """The value below or at which `share` of the values lie; ValueError if empty."""
    if not values:
        raise ValueError("no values to rank")
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def summary(group: Group, results: Sequence[Result]) -> Summary | None:
    """Errors of the counted results against the group's targets; None without any."""
    signed = [r.error for r in results if r.counted]
    if not signed:
        return None
    sizes = [abs(error) for error in signed]
    found = {"median": median(sizes), "p90": nearest_rank(sizes, 0.9)}
    asked = {"median": group.median, "p90": group.p90, "each": group.each}
    found["each"] = max(sizes)
    misses = tuple(
        f"{name} {found[name]:.1%} > {limit:.0%}"
        for name, limit in asked.items()
        if limit is not None and found[name] > limit
    )
    bias = math.fsum(signed) / len(signed)
    return Summary(
        group, len(sizes), found["median"], found["p90"], found["each"], bias, misses
    )


def explained_share(results: Sequence[Result]) -> float:
    """Share of the results whose measurement lies between the predictions."""
    return sum(r.explained for r in results) / len(results)
