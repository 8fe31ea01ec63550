"""What single instructions are watched for: low precision where accuracy is graded."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from npusim.core import tally
from npusim.core.group import Group
from npusim.core.numeric import EXACT

_INSTEAD = {"reciprocal": "duplicate + div", "rsqrt": "sqrt + div"}


def low_precision(
    name: str,
) -> Callable[[Group, int, np.ndarray, Sequence[np.ndarray]], None]:
    """Counts the results of `name` that are not the correctly rounded ones
    (ASC-NUM-34), with the largest relative error."""
    exact_of = EXACT[name]

    def inspect(
        group: Group, where: int, out: np.ndarray, sources: Sequence[np.ndarray]
    ) -> None:
        exact = exact_of(sources[0].astype(np.float64))
        rounded = exact.astype(out.dtype)
        off = (out != rounded) & np.isfinite(rounded) & (rounded != 0)
        each = off.reshape(len(off), -1).sum(1)
        if not each.any():
            return
        error = np.abs(out[off].astype(np.float64) / exact[off] - 1.0)
        best = np.abs(rounded[off].astype(np.float64) / exact[off] - 1.0)
        facts = {"operation": name, "instead": _INSTEAD[name]}
        found = tally.add(group, "ASC-NUM-34", "P", where, each, **facts)
        found.worst = max(found.worst, float(error.max()))
        found.best = max(found.best, float(best.max()))

    return inspect
