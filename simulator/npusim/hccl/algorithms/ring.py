"""Ring: every rank talks to its neighbour only; p - 1 steps a phase.

Costs (HCCL guide, chapter on collective algorithms): reduce-scatter and all-gather
(p-1)·α + (p-1)/p·n·β; broadcast and reduce (p-1)·(α + n·β), since they hand on the
whole buffer.
"""

from __future__ import annotations

from npusim.hccl.schedule import Schedule, Transfer, from_rounds


def all_gather(p: int) -> Schedule:
    """Slice r starts at rank r; in step k rank r hands on slice r - k."""
    rounds = (
        (Transfer(r, (r + 1) % p, ((r - k) % p,)) for r in range(p))
        for k in range(p - 1)
    )
    return from_rounds(p, p, rounds)


def reduce_scatter(p: int) -> Schedule:
    """Slice s travels from rank s + 1 once around and ends, complete, at rank s."""
    rounds = (
        (Transfer(r, (r + 1) % p, ((r - k - 1) % p,), True) for r in range(p))
        for k in range(p - 1)
    )
    return from_rounds(p, p, rounds)


def all_reduce(p: int) -> Schedule:
    """Reduce-scatter, then all-gather."""
    return reduce_scatter(p).then(all_gather(p))


def broadcast(p: int, root: int = 0) -> Schedule:
    """The whole buffer goes from neighbour to neighbour."""
    rounds = (
        (Transfer((root + k) % p, (root + k + 1) % p, (0,)),) for k in range(p - 1)
    )
    return from_rounds(p, 1, rounds)


def reduce(p: int, root: int = 0) -> Schedule:
    """The broadcast backwards, combining on the way."""
    return broadcast(p, root).reversed(reduce=True)


def scatter(p: int, root: int = 0) -> Schedule:
    """The slice for the farthest rank leaves first; each link carries one a step."""
    rounds = (
        (
            Transfer(
                (root + hop) % p, (root + hop + 1) % p, ((root - 1 - k + hop) % p,)
            )
            for hop in range(k + 1)
        )
        for k in range(p - 1)
    )
    return from_rounds(p, p, rounds)


def gather(p: int, root: int = 0) -> Schedule:
    """The scatter backwards."""
    return scatter(p, root).reversed(reduce=False)
