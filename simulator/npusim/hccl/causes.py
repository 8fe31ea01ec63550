"""The likely cause of a hang, from where the ranks of a communicator part.

Causes are tried in the order of a table: the first that fits is named, with the facts
its texts need (`cause-…` and `cure-…` of words.toml). Left out: more than one cause at
a time. A missing call and a swapped one look alike: the first of them stops everybody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from npusim.hccl.calls import Call, RankLog, Signature

FIELDS = ("operation", "root", "dtype", "count")  # compared in this order


@dataclass(frozen=True)
class Parting:
    """Where the ranks of a communicator part. `many`: what most of those that call
    here call; `extra`: most have finished without it, `divergent` are its callers."""

    group: str
    index: int
    many: Signature
    members: Sequence[RankLog]
    divergent: Sequence[RankLog]
    last_common: Call | None
    extra: bool = False
    groups: Mapping[str, Sequence[RankLog]] = field(default_factory=dict)

    def calls(self, log: RankLog) -> list[Call]:
        """The calls of a rank on this communicator."""
        return log.of_group(self.group)

    def called(self, log: RankLog) -> Signature | None:
        """What a rank calls where they part; None if it does not come there."""
        calls = self.calls(log)
        return calls[self.index].signature if len(calls) > self.index else None

    @property
    def since_us(self) -> float:
        """When the first rank made the call at which they part."""
        calls = [self.calls(log) for log in self.members]
        return min(one[self.index].begin_us for one in calls if len(one) > self.index)


Facts = dict[str, Any]


def _first(p: Parting, fits: Callable[[RankLog], bool]) -> RankLog | None:
    return next((log for log in p.divergent if fits(log)), None)


def _memory(p: Parting) -> Facts | None:
    log = _first(p, lambda log: getattr(log.error, "reason", "") == "out-of-memory")
    if log is None:
        return None
    return {**log.error.facts, "call": p.many}  # type: ignore[union-attr]


def _raised(p: Parting) -> Facts | None:
    log = _first(p, lambda log: log.error is not None)
    if log is None:
        return None
    return {"rank": log.rank, "error": error_text(log.error), "call": p.many}


def _size_differs(p: Parting) -> Facts | None:
    log = _first(p, lambda log: getattr(p.called(log), "name", None) == p.many.name)
    if log is None or p.extra:
        return None
    mine = p.called(log)
    differs = [f for f in FIELDS if getattr(mine, f) != getattr(p.many, f)]
    facts = {"rank": log.rank, "mine": mine, "many": p.many}
    return facts | {"differs": ", ".join(differs)}


def _other_call(p: Parting) -> Facts | None:
    log = _first(p, lambda log: p.called(log) is not None)
    if log is None or p.extra:
        return None
    mine = p.called(log)
    return {"rank": log.rank, "mine": mine, "many": p.many, "index": p.index}


def _extra(p: Parting) -> Facts | None:
    if not p.extra:
        return None
    call = p.calls(p.divergent[0])[p.index]
    return {"rank": p.divergent[0].rank, "call": call, "line": call.line}


def _left(p: Parting) -> Facts | None:
    log = _first(p, lambda log: log.state == "finished")
    if log is None:
        return None
    return {"rank": log.rank, "count": len(p.calls(log)), "call": p.many}


def _crossed(p: Parting) -> Facts | None:
    """A rank of the many and a divergent one wait in two communicators."""
    late = _first(p, lambda log: _in_other(p, log))
    if late is None or late.waiting is None:
        return None
    awaited = p.groups.get(late.waiting.group, ())
    early = next((log for log in awaited if _only_here(p, log, late.waiting)), None)
    if early is None:
        return None
    facts = {"rank": late.rank, "call": late.waiting, "group": late.waiting.group}
    return facts | {"other": early.rank, "many": p.many, "first": p.group}


def _in_other(p: Parting, log: RankLog) -> bool:
    """Waits in a collective of another communicator, which the early ranks miss."""
    call = log.waiting
    return call is not None and call.peer is None and call.group != p.group


def _only_here(p: Parting, log: RankLog, call: Call) -> bool:
    """Called where the ranks part, and not yet what the late rank waits in."""
    return p.called(log) is not None and len(log.of_group(call.group)) <= call.index


def _elsewhere(p: Parting) -> Facts | None:
    log = _first(p, lambda log: log.waiting is not None)
    if log is None or log.waiting is None:
        return None
    call = log.waiting
    return {"rank": log.rank, "call": call, "line": call.line, "many": p.many}


def _not_awaited(p: Parting) -> Facts | None:
    log = _first(p, lambda log: log.state == "running")
    return None if log is None else {"rank": log.rank, "call": p.many}


_CAUSES: Mapping[str, Callable[[Parting], Facts | None]] = {
    "memory": _memory,
    "raised": _raised,
    "size": _size_differs,
    "order": _other_call,
    "extra": _extra,
    "left": _left,
    "crossed": _crossed,
    "elsewhere": _elsewhere,
    "running": _not_awaited,
}


def likely(parting: Parting) -> tuple[str, Facts]:
    """The first cause of the table that fits, and its facts."""
    for name, tried in _CAUSES.items():
        facts = tried(parting)
        if facts is not None:
            return name, facts
    return "unknown", {}


def likely_alone(waiting: Mapping[int, Call]) -> tuple[str, Facts]:
    """The cause where all collectives agree: sends and recvs in a ring, or one alone.

    `waiting`: rank → the call it waits in."""
    peers = {rank: call for rank, call in waiting.items() if call.peer is not None}
    ring = _ring({rank: call.peer for rank, call in peers.items()})
    if ring:
        return "cycle", {"ranks": " -> ".join(map(str, ring))}
    for rank, call in peers.items():
        facts = {"rank": rank, "peer": call.peer, "call": call, "line": call.line}
        return "peer", facts
    return "unknown", {}


def _ring(awaits: Mapping[int, int | None]) -> list[int]:
    """Ranks that wait for each other in a ring; [] if there is none."""
    for start in awaits:
        path = [start]
        while (after := awaits.get(path[-1])) is not None:
            if after in path:
                return [*path[path.index(after) :], after]
            path.append(after)
    return []


def error_text(error: BaseException | None) -> str:
    """An exception in one line: its type, then its message or HCCL's reason."""
    code = getattr(error, "code", None)
    return f"{type(error).__name__}: {error if code is None else code}"
