"""Star: everything goes through one rank, as in hand-written communication.

`serial`: rank 0 serves one peer after the other, as a loop of send and receive does;
else all at once, as far as its links allow.
"""

from __future__ import annotations

from npusim.hccl.schedule import Schedule, Transfer, from_rounds


def broadcast(p: int, root: int = 0, serial: bool = False) -> Schedule:
    """The root sends the whole buffer to each rank."""
    sends = [Transfer(root, t, (0,)) for t in range(p) if t != root]
    return from_rounds(p, 1, [[one] for one in sends] if serial else [sends])


def reduce(p: int, root: int = 0, serial: bool = False) -> Schedule:
    """Each rank sends its whole buffer to the root, which combines them."""
    return broadcast(p, root, serial).reversed(reduce=True)


def all_reduce(p: int, root: int = 0, serial: bool = False) -> Schedule:
    """Gather to the root and broadcast."""
    return reduce(p, root, serial).then(broadcast(p, root, serial))


def scatter(p: int, root: int = 0) -> Schedule:
    """The root sends each rank its slice."""
    step = [Transfer(root, t, (t,)) for t in range(p) if t != root]
    return from_rounds(p, p, [step])


def gather(p: int, root: int = 0) -> Schedule:
    """Each rank sends its slice to the root."""
    return scatter(p, root).reversed(reduce=False)
