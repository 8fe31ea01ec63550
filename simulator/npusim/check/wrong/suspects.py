"""The usual suspects, tried one after the other: what could make this result.

What stands first explains most: right values in other places, then another function,
then the right function of wrong inputs, then another number; a weaker suspect is not
tried where a stronger one fits. Nothing is claimed that does not hold at the elements
that are wrong, so a result of chance has no suspects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from npusim.check.wrong import inputs, numbers, pitch, places, siblings
from npusim.check.wrong.compare import Case
from npusim.check.wrong.suspect import Golden, Suspect, Trial
from npusim.check.wrong.writers import Writers

_FINDERS: tuple[Callable[[Trial], Iterator[Suspect]], ...] = (
    places.find, pitch.find, siblings.find, inputs.find, numbers.find,
    places.find_permuted, numbers.find_near,
)  # fmt: skip


def suspects_of(
    case: Case, writers: Writers, golden: Golden | None = None, limit: int = 4
) -> list[Suspect]:
    """At most `limit` suspects, the most telling first; none for a right result."""
    if not case.judged.any():
        return []
    trial = Trial(case, case.part(), writers, golden)
    found: list[Suspect] = []
    with np.errstate(all="ignore"):
        for finder in _FINDERS:
            found = list(finder(trial))
            if found:
                break
    return found[:limit]
