"""The algorithms by name: which collective each knows, as a table.

Names are those of HCCL's guide and of `HCCL_ALGO`. Every entry is a function of the
number of ranks (and of `root` where a collective has one) that gives a `Schedule`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import ModuleType

from npusim.hccl.algorithms import (
    halving_doubling,
    mesh,
    nonuniform,
    pairwise,
    ring,
    star,
    tree,
)
from npusim.hccl.schedule import Schedule

ROOTED = frozenset({"broadcast", "reduce", "scatter", "gather"})
COLLECTIVES = (
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "broadcast",
    "reduce",
    "scatter",
    "gather",
    "all_to_all",
)
_MODULES: Mapping[str, ModuleType] = {
    "ring": ring,
    "mesh": mesh,
    "H-D_R": halving_doubling,
    "NHR": nonuniform,
    "NB": nonuniform,
    "tree": tree,
    "star": star,
    "pairwise": pairwise,
}
ALGORITHMS: Mapping[str, Mapping[str, Callable[..., Schedule]]] = {
    name: {c: getattr(module, c) for c in COLLECTIVES if hasattr(module, c)}
    for name, module in _MODULES.items()
}


class NoSuchAlgorithm(ValueError):
    """The algorithm does not know the collective, or not this number of ranks."""


@lru_cache(maxsize=256)
def schedule(algorithm: str, collective: str, ranks: int, root: int = 0) -> Schedule:
    """The schedule of one level among `ranks` ranks; NoSuchAlgorithm if none is known.

    A root that the collective does not have is ignored."""
    known = ALGORITHMS.get(algorithm, {})
    if collective not in known:
        able = [name for name, table in ALGORITHMS.items() if collective in table]
        raise NoSuchAlgorithm(
            f"{algorithm!r} has no {collective}; these have: {', '.join(able)}"
        )
    rooted = {"root": root} if collective in ROOTED else {}
    try:
        return known[collective](ranks, **rooted)
    except ValueError as error:
        raise NoSuchAlgorithm(str(error)) from error
