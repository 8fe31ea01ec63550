"""Mesh: every pair of ranks has its own link, so one step reaches everybody.

Costs with β per link: all-gather α + n·β/p, all-reduce 2α + 2n·β/p, and the one-shot
all-reduce for small messages α + n·β.
"""

from __future__ import annotations

from npusim.hccl.schedule import Schedule, Transfer, from_rounds


def all_gather(p: int) -> Schedule:
    """Rank r sends slice r to everybody."""
    step = (Transfer(r, t, (r,)) for r in range(p) for t in range(p) if t != r)
    return from_rounds(p, p, [step] if p > 1 else [])


def reduce_scatter(p: int) -> Schedule:
    """Rank r sends to every rank t the slice t, which is combined there."""
    return all_gather(p).reversed(reduce=True)


def all_reduce(p: int) -> Schedule:
    """Two-shot: reduce-scatter, then all-gather."""
    return reduce_scatter(p).then(all_gather(p))


def all_reduce_one_shot(p: int) -> Schedule:
    """Everybody sends the whole buffer to everybody: one step, p - 1 times n."""
    step = (Transfer(r, t, (0,), True) for r in range(p) for t in range(p) if t != r)
    return from_rounds(p, 1, [step] if p > 1 else [])


def scatter(p: int, root: int = 0) -> Schedule:
    """The root sends each rank its slice, all at once."""
    step = (Transfer(root, t, (t,)) for t in range(p) if t != root)
    return from_rounds(p, p, [step] if p > 1 else [])


def gather(p: int, root: int = 0) -> Schedule:
    """Every rank sends its slice to the root at once."""
    return scatter(p, root).reversed(reduce=False)


def broadcast(p: int, root: int = 0) -> Schedule:
    """Scatter, then all-gather: 2α + 2n·β/p instead of α + n·β."""
    return scatter(p, root).then(all_gather(p))


def reduce(p: int, root: int = 0) -> Schedule:
    """Reduce-scatter, then gather."""
    return reduce_scatter(p).then(gather(p, root))


def all_to_all(p: int) -> Schedule:
    """Rank r sends to every rank t the slice r·p + t, all at once."""
    step = (Transfer(r, t, (r * p + t,)) for r in range(p) for t in range(p) if t != r)
    return from_rounds(p, p * p, [step] if p > 1 else [])
