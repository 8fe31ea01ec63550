"""Who waits for whom: the report on ranks that cannot go on.

Of each rank: where it stands and its last heartbeat. Of the communicator in which they
part: the last call that all ranks share, the first one that they do not, the ranks that
differ from the many, the likely cause (`causes`) and its cure. The edges are the
wait-for graph that `pictures.wait_graph` draws.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from npusim.hccl.calls import Call, RankLog, Signature
from npusim.hccl.causes import Parting, error_text, likely, likely_alone
from npusim.hccl.words import LANGUAGES, chosen, texts

Groups = Mapping[str, Sequence[int]]  # communicator → its ranks


@dataclass(frozen=True)
class Row:
    """One rank: its state and, if it waits, the call and the line; `beat`: the time in
    µs and the text of its last heartbeat."""

    rank: int
    state: str
    call: Call | None
    last: Call | None
    error: BaseException | None
    beat: tuple[float, str] | None = None


@dataclass(frozen=True)
class Report:
    """`ranks`: those that differ from the many in `group` at call `index`; `edges`:
    (waiting rank, rank it waits for); `logs`: everything that the ranks did."""

    time_us: float
    rows: list[Row]
    group: str = ""
    index: int = 0
    ranks: tuple[int, ...] = ()
    last_common: Call | None = None
    cause: str = "unknown"
    facts: dict[str, Any] = field(default_factory=dict)
    edges: list[tuple[int, int]] = field(default_factory=list)
    logs: Sequence[RankLog] = ()
    groups: Groups = field(default_factory=dict)

    def text(self, language: str) -> str:
        """The report in "en" or "zh"."""
        lines = [texts("report-head", time_us=self.time_us)[language]]
        lines += [_row_text(row, language) for row in self.rows]
        return "\n".join([*lines, *self.verdict(language)])

    def verdict(self, language: str) -> list[str]:
        """The last lines: last common call, first divergent one, cause, cure."""
        last = self.last_common or texts("report-none")[language]
        lines = [texts("report-common", call=last)[language]]
        if self.ranks:
            ranks = ", ".join(map(str, self.ranks))
            facts = {"ranks": ranks, "index": self.index, "group": self.group}
            lines.append(texts("report-divergent", **facts)[language])
        cause = texts(f"cause-{self.cause}", **self.facts)[language]
        lines.append(texts("report-cause", cause=cause)[language])
        cure = texts(f"cure-{self.cause}", **self.facts)[language]
        lines.append(texts("report-cure", cure=cure)[language])
        return lines

    def graph(self, language: str = "") -> Any:
        """The wait-for graph (`pictures.wait_graph`)."""
        from npusim.hccl.pictures import wait_graph

        return wait_graph(self, language or None)

    def steps(self, language: str = "") -> Any:
        """The wait-for graph over time, with a slider (`pictures.wait_steps`)."""
        from npusim.hccl.pictures import wait_steps

        return wait_steps(self, language or None)

    def __str__(self) -> str:
        return chosen({one: self.text(one) for one in LANGUAGES})

    def heartbeat_log(self) -> str:
        """The heartbeats of all ranks by time (`heartbeat_log`)."""
        return heartbeat_log(self.logs)


def heartbeat_log(logs: Sequence[RankLog]) -> str:
    """One line for each heartbeat: simulated time in µs, rank, text; by time."""
    beats = [(time, log.rank, text) for log in logs for time, text in log.heartbeats]
    lines = [
        f"{time:12.1f} us  rank {rank}  {text}" for time, rank, text in sorted(beats)
    ]
    return "\n".join(lines)


def report(
    logs: Sequence[RankLog], time_us: float, groups: Groups | None = None
) -> Report:
    """The report on ranks with these logs; `groups`: who belongs to a communicator,
    where not only the ranks that called it do."""
    members = _members(logs, groups or {})
    rows, edges = [_row(log) for log in logs], _edges(logs, members)
    parting = _parting(members)
    if parting is None:
        cause, facts = likely_alone({r.rank: r.call for r in rows if r.call})
        return Report(
            float(time_us),
            rows,
            cause=cause,
            facts=facts,
            edges=edges,
            logs=logs,
            groups=groups or {},
        )
    cause, facts = likely(parting)
    return Report(
        float(time_us),
        rows,
        parting.group,
        parting.index,
        _differing(parting, cause, facts),
        parting.last_common,
        cause,
        facts,
        edges,
        logs,
        groups or {},
    )


def _differing(
    parting: Parting, cause: str, facts: Mapping[str, Any]
) -> tuple[int, ...]:
    """The divergent ranks; of two crossed ones both, for either may be wrong."""
    if cause == "crossed":
        return tuple(sorted((facts["rank"], facts["other"])))
    return tuple(log.rank for log in parting.divergent)


def _row(log: RankLog) -> Row:
    return Row(
        log.rank,
        "waiting" if log.waiting else log.state,
        log.waiting,
        log.calls[-1] if log.calls else None,
        log.error,
        log.heartbeats[-1] if log.heartbeats else None,
    )


# ----------------------------------------------------------------------------- parting
def _members(logs: Sequence[RankLog], groups: Groups) -> dict[str, Sequence[RankLog]]:
    """Communicator → its ranks, for those on which a collective was called."""
    called: dict[str, list[RankLog]] = {}
    for log in logs:
        for call in log.calls:
            if call.peer is None and log not in called.setdefault(call.group, []):
                called[call.group].append(log)
    known = {name: [logs[rank] for rank in ranks] for name, ranks in groups.items()}
    return {"world": logs} | called | known if called else {}


def _parting(members: Mapping[str, Sequence[RankLog]]) -> Parting | None:
    """The first communicator, by time, whose ranks do not all call the same."""
    found = [p for one in members.items() if (p := _parting_in(*one, members))]
    return min(found, key=lambda one: one.since_us) if found else None


def _parting_in(
    group: str, members: Sequence[RankLog], groups: Mapping[str, Sequence[RankLog]]
) -> Parting | None:
    sequences = [log.of_group(group) for log in members]
    for index in range(max(map(len, sequences), default=0)):
        present = [s[index].signature if len(s) > index else None for s in sequences]
        counted = Counter(one for one in present if one is not None)
        many = max(counted, key=lambda one: counted[one])
        differ = [one is None or not one.agrees(many) for one in present]
        if any(differ):
            extra = _is_extra(members, present)
            if extra:
                differ = [one is not None for one in present]
            pairs = zip(members, differ, strict=True)
            divergent = [log for log, other in pairs if other]
            last = sequences[0][index - 1] if index else None
            return Parting(group, index, many, members, divergent, last, extra, groups)
    return None


def _is_extra(members: Sequence[RankLog], present: Sequence[Signature | None]) -> bool:
    """Most ranks have returned without this call: those that make it differ."""
    pairs = zip(members, present, strict=True)
    gone = sum(one is None and log.state == "finished" for log, one in pairs)
    return 2 * gone > len(members)


# ------------------------------------------------------------------------------- edges
def _edges(
    logs: Sequence[RankLog], members: Mapping[str, Sequence[RankLog]]
) -> list[tuple[int, int]]:
    """(waiting rank, rank it waits for) in the order of ranks."""
    found = []
    for log in logs:
        call = log.waiting
        if call is not None and call.peer is not None:
            found.append((log.rank, call.peer))
        elif call is not None:
            others = members[call.group]
            awaited = (one.rank for one in others if not _answers(one, call))
            found += [(log.rank, rank) for rank in awaited if rank != log.rank]
    return found


def _answers(log: RankLog, call: Call) -> bool:
    """Whether the rank has made this call of the communicator too."""
    calls = log.of_group(call.group)
    here = calls[call.index].signature if len(calls) > call.index else None
    return here is not None and here.agrees(call.signature)


def _row_text(row: Row, language: str) -> str:
    facts: dict[str, Any] = {"rank": row.rank, "call": row.call or row.last or "-"}
    if row.call is not None:
        facts |= {"line": row.call.line, "since_us": row.call.begin_us}
    if row.error is not None:
        facts["error"] = error_text(row.error)
    text = texts(f"row-{row.state}", **facts)[language]
    if row.beat is None:
        return text
    time_us, said = row.beat
    return text + texts("row-beat", time_us=time_us, text=said)[language]
