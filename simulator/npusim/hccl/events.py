"""A schedule on real buffers and real links, as events of SimPy.

A rank begins a step when its step before is done. A message starts when both ends have
begun the step and its links are free: first come, first served; of those that come at
the same moment, the nearest target first. It holds the links for bytes ÷ rate and
arrives latency later. What a rank receives in a step is stored or combined at the end
of the step, in the order of the senders, so that results do not depend on time. The
bytes that it reads are those at the start of the message.

Left out: packets of one message that share a link with others; the reduction itself
costs nothing (SDMA combines while it copies).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, MutableMapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, cast

import numpy as np
import simpy

from npusim.hccl.schedule import Schedule, Transfer
from npusim.hccl.topology import Topology

Buffers = Sequence[MutableMapping[int, np.ndarray]]  # rank → slice → data
Combine = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True, slots=True)
class Message:
    """One message as it happened; times in µs, `begin_us` when the link is taken.
    `reduce`: combined with what the target holds, not stored."""

    source: int
    target: int
    step: int
    nbytes: int
    begin_us: float
    end_us: float
    link: str
    reduce: bool = False


class Links:
    """Until when each link of a simulation is taken."""

    def __init__(self, topology: Topology):
        self.topology = topology
        self._free_us: dict[Hashable, float] = {}
        self._paths: dict[tuple[int, int], Any] = {}

    def take(
        self, source: int, target: int, nbytes: int, now: float
    ) -> tuple[float, float, str]:
        """(begin, arrival, link) of a message that is ready at `now`."""
        path = self._paths.get((source, target))
        if path is None:
            path = self._paths[source, target] = self.topology.path(source, target)
        free = self._free_us
        begin = now
        for one in path.resources:
            begin = max(begin, free.get(one, 0.0))
        held = begin + path.link.occupied_us(nbytes)
        for one in path.resources:
            free[one] = held
        return begin, held + path.link.latency_us, path.link.name


def then(event: simpy.Event, action: Callable[[simpy.Event], object]) -> None:
    """Do `action` when the event happens."""
    event.callbacks.append(action)  # type: ignore[arg-type]


@dataclass(slots=True)
class _Rank:
    """How far one rank is: `step` runs, `open` messages of it have not arrived."""

    done: simpy.Event
    step: int = -1
    open: int = 0
    received: list[tuple[int, int, np.ndarray, bool]] = field(default_factory=list)


class Collective:
    """One collective under way. `members[i]` is the rank of local rank i; what was sent
    is added to `messages`.

    `buffers[i]` must hold what local rank i has when it arrives; at its return it holds
    what the schedule brought."""

    def __init__(
        self,
        env: simpy.Environment,
        links: Links,
        schedule: Schedule,
        members: Sequence[int],
        buffers: Buffers,
        combine: Combine,
        messages: list[Message],
    ):
        self.env, self.links, self.messages = env, links, messages
        self.members, self.buffers, self.combine = members, buffers, combine
        self._transfers = [
            (number, t) for number, step in enumerate(schedule.steps) for t in step
        ]
        self._by_rank = _steps_of(schedule.ranks, self._transfers)
        self._one_end_ready: set[int] = set()
        self._both_ends_ready: list[int] = []
        self._ranks: dict[int, _Rank] = {}

    def arrive(self, local: int) -> simpy.Event:
        """Local rank `local` calls the collective now; the event is its return."""
        self._ranks[local] = _Rank(self.env.event())
        self._advance(local)
        return self._ranks[local].done

    def _advance(self, local: int) -> None:
        """The rank's step is done: begin the next one in which it has a part."""
        rank, mine = self._ranks[local], self._by_rank[local]
        self._store(local)
        rank.step += 1
        if rank.step == len(mine):
            rank.done.succeed()
            return
        rank.open = len(mine[rank.step])
        for index in mine[rank.step]:
            self._ready(index)

    def _ready(self, index: int) -> None:
        """One end is ready; the second one starts the message."""
        if index not in self._one_end_ready:
            self._one_end_ready.add(index)
            return
        if not self._both_ends_ready:
            then(self.env.timeout(0), self._send_all)
        self._both_ends_ready.append(index)

    def _send_all(self, _: simpy.Event) -> None:
        """Start the messages that became ready at this moment: first each rank's to
        its neighbour, then those two away, …, so that no port is waited for in vain."""
        ready, self._both_ends_ready = self._both_ends_ready, []
        for index in sorted(ready, key=self._distance):
            self._send(*self._transfers[index])

    def _distance(self, index: int) -> tuple[int, int, int]:
        number, one = self._transfers[index]
        return number, (one.target - one.source) % len(self.members), one.source

    def _send(self, number: int, transfer: Transfer) -> None:
        have = self.buffers[transfer.source]
        data = [have[s] for s in transfer.slices]
        nbytes = sum(one.nbytes for one in data)
        source, target = self.members[transfer.source], self.members[transfer.target]
        begin, end, link = self.links.take(source, target, nbytes, self.env.now)
        ends = (begin, end, link, transfer.reduce)
        self.messages.append(Message(source, target, number, nbytes, *ends))
        arrival = self.env.timeout(end - self.env.now, (transfer, data))
        then(arrival, self._arrived)

    def _arrived(self, event: simpy.Event) -> None:
        transfer, data = cast(tuple[Transfer, list[np.ndarray]], event.value)
        received = self._ranks[transfer.target].received
        for slice_, one in zip(transfer.slices, data, strict=True):
            received.append((transfer.source, slice_, one, transfer.reduce))
        for local in (transfer.source, transfer.target):
            self._ranks[local].open -= 1
            if not self._ranks[local].open:
                self._advance(local)

    def _store(self, local: int) -> None:
        rank, have = self._ranks[local], self.buffers[local]
        for _, slice_, data, reduce in sorted(rank.received, key=_SENDER_AND_SLICE):
            have[slice_] = self.combine(have[slice_], data) if reduce else data
        rank.received = []


_SENDER_AND_SLICE = itemgetter(0, 1)


def _steps_of(
    ranks: int, transfers: Sequence[tuple[int, Transfer]]
) -> list[list[list[int]]]:
    """Local rank → for each step that it has a part in, the indices of its messages."""
    found: list[dict[int, list[int]]] = [{} for _ in range(ranks)]
    for index, (number, transfer) in enumerate(transfers):
        for local in (transfer.source, transfer.target):
            found[local].setdefault(number, []).append(index)
    return [list(one.values()) for one in found]
