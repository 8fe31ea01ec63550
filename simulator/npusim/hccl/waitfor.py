"""Who waits for whom: the report on ranks that cannot go on.

Of each rank: where it stands. Of the communicator in which they part: the last call
that all ranks share, the first one that they do not, the ranks that differ from the
many, and the likely cause. Causes are tried in the order of a table. Left out: more
than one cause at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from npusim.hccl.calls import Call, RankLog, Signature
from npusim.hccl.words import LANGUAGES, chosen, texts


@dataclass(frozen=True)
class Row:
    """One rank: its state and, if it waits, the call and the line."""

    rank: int
    state: str
    call: Call | None
    last: Call | None
    error: BaseException | None


@dataclass(frozen=True)
class Report:
    """`ranks`: those that differ from the many in `group` at call `index`."""

    time_us: float
    rows: list[Row]
    group: str = ""
    index: int = 0
    ranks: tuple[int, ...] = ()
    last_common: Call | None = None
    cause: str = "unknown"
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def edges(self) -> list[tuple[int, int]]:
        """(waiting rank, rank it waits for) in the order of ranks."""
        found = []
        for row in self.rows:
            if row.call is None:
                continue
            awaited = (row.call.peer,) if row.call.peer is not None else self.ranks
            found += [(row.rank, one) for one in awaited if one != row.rank]
        return found

    def text(self, language: str) -> str:
        """The report in "en" or "zh"."""
        lines = [texts("report-head", time_us=self.time_us)[language]]
        lines += [_row_text(row, language) for row in self.rows]
        last = self.last_common or texts("report-none")[language]
        lines.append(texts("report-common", call=last)[language])
        if self.ranks:
            ranks = ", ".join(map(str, self.ranks))
            facts = {"ranks": ranks, "index": self.index, "group": self.group}
            lines.append(texts("report-divergent", **facts)[language])
        cause = texts(f"cause-{self.cause}", **self.facts)[language]
        lines.append(texts("report-cause", cause=cause)[language])
        return "\n".join(lines)

    def __str__(self) -> str:
        return chosen({one: self.text(one) for one in LANGUAGES})


def report(logs: Sequence[RankLog], time_us: float) -> Report:
    """The report on ranks with these logs."""
    rows = [
        Row(
            log.rank,
            "waiting" if log.waiting else log.state,
            log.waiting,
            log.calls[-1] if log.calls else None,
            log.error,
        )
        for log in logs
    ]
    parting = _parting(logs)
    if parting is None:
        cycle = _cycle(rows)
        known = "cycle" if cycle else "peer"
        ring = {"ranks": " -> ".join(map(str, cycle))}
        return Report(float(time_us), rows, cause=known, facts=ring | _alone(rows))
    cause, facts = _cause(parting)
    return Report(
        float(time_us),
        rows,
        parting.group,
        parting.index,
        tuple(log.rank for log in parting.divergent),
        parting.last_common,
        cause,
        facts,
    )


# ----------------------------------------------------------------------------- parting
@dataclass(frozen=True)
class _Parting:
    """Where the ranks of a communicator part: `many` is what most of them call."""

    group: str
    index: int
    many: Signature
    members: list[RankLog]
    divergent: list[RankLog]
    last_common: Call | None

    def calls(self, log: RankLog) -> list[Call]:
        return log.of_group(self.group)


def _parting(logs: Sequence[RankLog]) -> _Parting | None:
    """The first communicator, by time, whose ranks do not all call the same."""
    found = [p for group in _groups(logs) if (p := _parting_in(logs, *group))]
    return min(found, key=_since) if found else None


def _since(parting: _Parting) -> float:
    begins = [
        parting.calls(log)[parting.index].begin_us
        for log in parting.members
        if len(parting.calls(log)) > parting.index
    ]
    return min(begins)


def _groups(logs: Sequence[RankLog]) -> list[tuple[str, list[RankLog]]]:
    """(communicator, its ranks that called it, and for "world" all ranks)."""
    names: dict[str, list[RankLog]] = {}
    for log in logs:
        for call in log.calls:
            if call.peer is None and log not in names.setdefault(call.group, []):
                names[call.group].append(log)
    return [(g, list(logs) if g == "world" else m) for g, m in names.items()]


def _parting_in(
    logs: Sequence[RankLog], group: str, members: list[RankLog]
) -> _Parting | None:
    sequences = [log.of_group(group) for log in members]
    for index in range(max(map(len, sequences))):
        present = [s[index].signature if len(s) > index else None for s in sequences]
        counted = Counter(one for one in present if one is not None)
        many = max(counted, key=lambda one: counted[one])
        divergent = [
            log
            for log, one in zip(members, present, strict=True)
            if one is None or not one.agrees(many)
        ]
        if divergent:
            last = sequences[0][index - 1] if index else None
            return _Parting(group, index, many, members, divergent, last)
    return None


# ------------------------------------------------------------------------------- causes
def _called(parting: _Parting, log: RankLog) -> Signature | None:
    calls = parting.calls(log)
    return calls[parting.index].signature if len(calls) > parting.index else None


def _raised(p: _Parting) -> dict[str, Any] | None:
    for log in p.divergent:
        if log.error is not None:
            kind = type(log.error).__name__
            return {"rank": log.rank, "error": f"{kind}: {log.error}", "call": p.many}
    return None


def _size_differs(p: _Parting) -> dict[str, Any] | None:
    for log in p.divergent:
        mine = _called(p, log)
        if mine is not None and mine.name == p.many.name:
            return {"rank": log.rank, "mine": mine, "many": p.many}
    return None


def _skipped(p: _Parting) -> dict[str, Any] | None:
    """The rank calls now what the others call later, or they did before."""
    for log in p.divergent:
        mine = _called(p, log)
        if mine is not None and mine.name != p.many.name:
            return {"rank": log.rank, "mine": mine, "many": p.many, "index": p.index}
    return None


def _left(p: _Parting) -> dict[str, Any] | None:
    for log in p.divergent:
        if log.state == "finished":
            count = len(p.calls(log))
            return {"rank": log.rank, "count": count, "call": p.many}
    return None


def _elsewhere(p: _Parting) -> dict[str, Any] | None:
    for log in p.divergent:
        if log.waiting is not None:
            call = log.waiting
            return {"rank": log.rank, "call": call, "line": call.line, "many": p.many}
    return None


def _not_awaited(p: _Parting) -> dict[str, Any] | None:
    for log in p.divergent:
        if log.state == "running":
            return {"rank": log.rank, "call": p.many}
    return None


_CAUSES: Sequence[tuple[str, Callable[[_Parting], dict[str, Any] | None]]] = (
    ("raised", _raised),
    ("size", _size_differs),
    ("order", _skipped),
    ("left", _left),
    ("elsewhere", _elsewhere),
    ("running", _not_awaited),
)


def _cause(parting: _Parting) -> tuple[str, dict[str, Any]]:
    for name, tried in _CAUSES:
        facts = tried(parting)
        if facts is not None:
            return name, facts
    return "unknown", {}


def _alone(rows: Sequence[Row]) -> dict[str, Any]:
    """The first rank that waits in a send or recv which its peer never answers."""
    for row in rows:
        if row.call is not None and row.call.peer is not None:
            facts = {"rank": row.rank, "peer": row.call.peer}
            return facts | {"call": row.call, "line": row.call.line}
    return {}


def _cycle(rows: Sequence[Row]) -> list[int]:
    """Ranks that wait for each other in a ring by send or recv; [] if there is none."""
    awaits = {
        row.rank: row.call.peer
        for row in rows
        if row.call is not None and row.call.peer is not None
    }
    for start in awaits:
        path = [start]
        while (after := awaits.get(path[-1])) is not None:
            if after in path:
                return [*path[path.index(after) :], after]
            path.append(after)
    return []


def _row_text(row: Row, language: str) -> str:
    facts: dict[str, Any] = {"rank": row.rank, "call": row.call or row.last or "-"}
    if row.call is not None:
        facts |= {"line": row.call.line, "since_us": row.call.begin_us}
    if row.error is not None:
        facts["error"] = f"{type(row.error).__name__}: {row.error}"
    return texts(f"row-{row.state}", **facts)[language]
