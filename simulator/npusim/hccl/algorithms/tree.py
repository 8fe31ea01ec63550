"""Binomial tree: the number of ranks that have the data doubles with each step.

⌈log2 p⌉ steps with the whole buffer (broadcast, reduce), or with the half that the
subtree needs (scatter, gather). Any p.
"""

from __future__ import annotations

from collections.abc import Iterator

from npusim.hccl.schedule import Schedule, Transfer, from_rounds


def distances(p: int) -> list[int]:
    """Powers of two below p, largest first: the distances of ⌈log2 p⌉ steps."""
    return [1 << k for k in reversed(range((p - 1).bit_length()))]


def broadcast(p: int, root: int = 0) -> Schedule:
    """Every rank that has the buffer sends it at this step's distance."""
    return from_rounds(p, 1, (_sends(p, root, d, whole=True) for d in distances(p)))


def reduce(p: int, root: int = 0) -> Schedule:
    """The broadcast backwards, combining on the way."""
    return broadcast(p, root).reversed(reduce=True)


def scatter(p: int, root: int = 0) -> Schedule:
    """A rank sends on the slices of the subtree that begins at the target."""
    return from_rounds(p, p, (_sends(p, root, d, whole=False) for d in distances(p)))


def gather(p: int, root: int = 0) -> Schedule:
    """The scatter backwards."""
    return scatter(p, root).reversed(reduce=False)


def all_reduce(p: int) -> Schedule:
    """Reduce to rank 0, then broadcast: for messages whose bytes do not matter."""
    return reduce(p).then(broadcast(p))


def _sends(p: int, root: int, distance: int, whole: bool) -> Iterator[Transfer]:
    for first in range(0, p - distance, 2 * distance):
        target = first + distance
        subtree = range(target, min(target + distance, p))
        slices = (0,) if whole else tuple((root + one) % p for one in subtree)
        yield Transfer((root + first) % p, (root + target) % p, slices)
