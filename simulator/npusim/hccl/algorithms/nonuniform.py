"""NB and NHR: ⌈log2 p⌉ steps for any p, with as few bytes as a ring.

In step k of NB (nonuniform Bruck) each rank sends ⌊(p - 1 + 2^k) / 2^(k+1)⌋ slices to
the rank at distance 2^k (HCCL guide). All-gather begins with the largest distance:
rank r then holds the slices r - j·2^(k+1) and hands them on, and the target gets
the slices r - j·2^(k+1), which lie at odd multiples of 2^k behind it. Most bytes go to
the neighbour.

NHR (nonuniform hierarchical ring) has the same steps and bytes; it differs in how
slices lie in memory, which is not modelled, and it sends small messages along one tree.
"""

from __future__ import annotations

from collections.abc import Iterator

from npusim.hccl.algorithms import tree
from npusim.hccl.schedule import Schedule, Transfer, from_rounds

scatter, gather = tree.scatter, tree.gather


def all_gather(p: int) -> Schedule:
    """Any p."""
    return from_rounds(p, p, (_sends(p, d) for d in tree.distances(p)))


def reduce_scatter(p: int) -> Schedule:
    """The all-gather backwards, combining on the way."""
    return all_gather(p).reversed(reduce=True)


def all_reduce(p: int) -> Schedule:
    """Reduce-scatter, then all-gather."""
    return reduce_scatter(p).then(all_gather(p))


def broadcast(p: int, root: int = 0) -> Schedule:
    """Scatter along a tree, then all-gather."""
    return scatter(p, root).then(all_gather(p))


def reduce(p: int, root: int = 0) -> Schedule:
    """Reduce-scatter, then gather along a tree."""
    return reduce_scatter(p).then(gather(p, root))


def _sends(p: int, distance: int) -> Iterator[Transfer]:
    count = (p - 1 + distance) // (2 * distance)
    for r in range(p):
        held = tuple((r - j * 2 * distance) % p for j in range(count))
        yield Transfer(r, (r + distance) % p, held)
