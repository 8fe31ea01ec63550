"""Which work a flag or a queue hands over: the arrows between pipes.

The n-th wait on a key belongs to the n-th set. An arrow leads from the last work that
the setting pipe was given before the set to the first work of the waiting pipe after
the wait; where one of them is the scalar unit, from or to the call itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import NamedTuple

from npusim.core.stream import Pairs, Step


class Flow(NamedTuple):
    """Indices of two steps of a stream, and what orders them: "flag" or "queue"."""

    kind: str
    producer: int
    consumer: int


def flows(steps: Iterable[Step]) -> list[Flow]:
    """The arrows of one block, in the order in which the waits are issued."""
    last: dict[str, int] = {}
    pairs: Pairs[int] = Pairs()
    open_waits: dict[str, list[tuple[str, int]]] = defaultdict(list)
    found: list[Flow] = []
    for index, step in enumerate(steps):
        sync = step.sync
        if sync is not None and sync.kind == "set":
            producer = index if sync.source == "S" else last.get(sync.source, index)
            pairs.set(sync.key, producer)
        elif sync is not None and sync.kind == "wait":
            given = pairs.wait(sync.key)
            if given is None:
                continue
            kind = _kind(sync.key)
            if sync.target == "S":
                found.append(Flow(kind, given, index))
            else:
                open_waits[sync.target].append((kind, given))
        elif step.pipe != "S":
            found += [Flow(k, p, index) for k, p in open_waits.pop(step.pipe, ())]
            last[step.pipe] = index
    return found


def _kind(key: Hashable) -> str:
    return str(key[0]) if isinstance(key, tuple) else "flag"
