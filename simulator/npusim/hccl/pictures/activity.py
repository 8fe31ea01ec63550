"""What one rank did, as spans of time: sends, receives, reductions, computing, waiting.

A rank waits while it is in a call and none of its messages moves. A message counts from
the moment it takes its link until it has arrived, latency included.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from npusim.hccl.calls import RankLog
from npusim.hccl.events import Message
from npusim.hccl.topology import Topology

Span = tuple[float, float]
KINDS = ("send", "receive", "reduce", "compute", "wait")
FLIGHTS = ("send flight", "receive flight")


@dataclass(frozen=True)
class Activity:
    """Spans in µs by kind (`KINDS`); `receive`: stored, `reduce`: combined. The part
    of sending and receiving that is nothing but latency stands in `FLIGHTS` too."""

    rank: int
    spans: dict[str, tuple[Span, ...]]

    def total_us(self, kind: str) -> float:
        """Time in which at least one span of the kind is open."""
        return math.fsum(end - begin for begin, end in union(self.spans[kind]))


def activities(
    messages: Iterable[Message],
    logs: Sequence[RankLog],
    topology: Topology,
    end_us: float,
) -> list[Activity]:
    """The activity of every rank up to `end_us`."""
    found: list[dict[str, list[Span]]] = [
        {kind: [] for kind in (*KINDS, *FLIGHTS)} for _ in logs
    ]
    for one in messages:
        found[one.source]["send"].append((one.begin_us, one.end_us))
        kind = "reduce" if one.reduce else "receive"
        found[one.target][kind].append((one.begin_us, one.end_us))
        latency_us = topology.link(one.source, one.target).latency_us
        held = (one.begin_us, max(one.begin_us, one.end_us - latency_us))
        for rank, flight in zip((one.source, one.target), FLIGHTS, strict=True):
            found[rank][flight].append(held)
    return [
        _activity(log, kinds, end_us) for log, kinds in zip(logs, found, strict=True)
    ]


def _activity(log: RankLog, kinds: dict[str, list[Span]], end_us: float) -> Activity:
    kinds["compute"] = list(log.computes)
    calls = [(c.begin_us, end_us if c.end_us is None else c.end_us) for c in log.calls]
    busy = union([span for kind in KINDS for span in kinds[kind]])
    kinds["wait"] = [gap for call in union(calls) for gap in gaps(call, busy)]
    under_way = kinds["send"], [*kinds["receive"], *kinds["reduce"]]
    for flight, spans in zip(FLIGHTS, under_way, strict=True):
        held = union(kinds[flight])
        kinds[flight] = [gap for span in union(spans) for gap in gaps(span, held)]
    return Activity(log.rank, {kind: tuple(sorted(s)) for kind, s in kinds.items()})


def union(spans: Iterable[Span]) -> list[Span]:
    """The same time as spans that do not touch, in order."""
    joined: list[Span] = []
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        elif end > begin:
            joined.append((begin, end))
    return joined


def gaps(span: Span, busy: Sequence[Span]) -> list[Span]:
    """The parts of `span` that no span of `busy` (disjoint, in order) covers."""
    found, at = [], span[0]
    for begin, end in busy:
        if begin >= span[1]:
            break
        if begin > at:
            found.append((at, begin))
        at = max(at, end)
    return [*found, (at, span[1])] if at < span[1] else found
