"""The ranks of one communicator: matching their calls, and starting what is matched.

The k-th collective that a rank calls on a communicator belongs to the k-th of every
other rank; a `send` belongs to the `recv` of the same ends and tag, in order. Left out:
streams beside the one of each communicator.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import simpy

from npusim.hccl.buffers import LAYOUTS, OPERATIONS, Place
from npusim.hccl.calls import Call, Signature
from npusim.hccl.communicator import Pending
from npusim.hccl.events import Collective, Message, then
from npusim.hccl.selector import choose, plan

if TYPE_CHECKING:
    from npusim.hccl.simulation import Simulation


class _Slot:
    """The k-th collective of a group.

    A rank that gives no array (a broadcast to it) cannot say how large the buffer is:
    nothing starts before one that can has called."""

    def __init__(self, group: Group, first: Call):
        self.group, self.first = group, first
        self.held: list[dict[int, np.ndarray]] = [{} for _ in group.members]
        self.collective: Collective | None = None
        self._slices = 0
        self._early: list[Callable[[], None]] = []

    def place(self, local: int) -> Place:
        """What the layout of a collective needs to know of a rank."""
        root = self.first.signature.root or 0
        return Place(local, len(self.group.members), self._slices, root)

    def know_size(self, nbytes: int) -> None:
        """Choose the algorithm and begin; only the first size counts."""
        if self.collective is not None:
            return
        simulation, signature = self.group.simulation, self.first.signature
        name = "all_reduce" if signature.name == "barrier" else signature.name
        choice = choose(name, self.group.topology, nbytes, simulation.environment)
        simulation.choices.append(choice)
        schedule = plan(choice, self.group.topology, signature.root or 0)
        self._slices = schedule.slices
        self.collective = Collective(
            simulation.env,
            simulation.links,
            schedule,
            self.group.members,
            self.held,
            OPERATIONS[signature.operation or "sum"],
            simulation.messages,
        )
        early, self._early = self._early, []
        for start in early:
            start()

    def arrive(self, local: int, hold: Callable[[], None], done: simpy.Event) -> None:
        """Rank `local` is there: `hold` puts its data down; `done` when it returns."""

        def start() -> None:
            hold()
            assert self.collective is not None
            returned = self.collective.arrive(local)
            then(returned, lambda _: done.succeed())

        if self.collective is None:
            self._early.append(start)
        else:
            start()


class Group:
    """The ranks of one communicator, and what they have called so far."""

    def __init__(self, simulation: Simulation, members: tuple[int, ...], name: str):
        self.simulation, self.members, self.name = simulation, members, name
        self._slots: list[_Slot] = []
        self._count = dict.fromkeys(members, 0)
        self._tail: dict[int, simpy.Event] = {}
        self._posted: dict[tuple[int, int, int], dict[str, deque[Any]]] = {}
        self.topology = simulation.topology_of(members)

    # ------------------------------------------------------------------ collectives
    def collective(
        self,
        rank: int,
        signature: Signature,
        x: Any,
        line: int,
        timeout_us: float | None,
    ) -> Pending:
        """Rank `rank` calls its next collective."""
        simulation, local = self.simulation, self.members.index(rank)
        index = self._count[rank]
        self._count[rank] += 1
        call = simulation.called(rank, self.name, index, signature, line)
        slot = self._slot(index, call)
        if not slot.first.signature.agrees(signature):
            simulation.disagree(call, slot.first)
            return Pending(simulation, call, simulation.env.event(), lambda: None)
        if x is not None:
            slot.know_size(_nbytes(x))
        layout = LAYOUTS.get(signature.name, LAYOUTS["all_reduce"])

        def hold() -> None:
            slot.held[local].update(layout.before(x, slot.place(local)))

        event = self._in_order(rank, lambda done: slot.arrive(local, hold, done))
        then(event, lambda _: simulation.returned(call))
        return Pending(
            simulation,
            call,
            event,
            lambda: layout.after(slot.held[local], x, slot.place(local)),
            timeout_us,
        )

    def _slot(self, index: int, call: Call) -> _Slot:
        if index == len(self._slots):
            self._slots.append(_Slot(self, call))
        return self._slots[index]

    def _in_order(self, rank: int, start: Callable[[simpy.Event], None]) -> simpy.Event:
        """Start after the rank's call before, as on a stream; the event is its end."""
        before, done = self._tail.get(rank), self.simulation.env.event()
        if before is None or before.processed:
            start(done)
        else:
            then(before, lambda _: start(done))
        self._tail[rank] = done
        return done

    # -------------------------------------------------------------- point to point
    def point_to_point(
        self,
        name: str,
        rank: int,
        peer: int,
        tag: int,
        data: np.ndarray | None,
        line: int,
        timeout_us: float | None,
    ) -> Pending:
        """Rank `rank` sends to, or receives from, the local rank `peer`."""
        simulation, other = self.simulation, self.members[peer]
        count, dtype = (None, None) if data is None else (data.size, str(data.dtype))
        signature = Signature(f"{name}", count, dtype)
        call = simulation.called(rank, self.name, -1, signature, line)
        call.peer = other
        ends = (rank, other) if name == "send" else (other, rank)
        posted = self._posted.setdefault(
            (*ends, tag), {"send": deque(), "recv": deque()}
        )
        event = simulation.env.event()
        posted[name].append((event, data))
        if posted["send"] and posted["recv"]:
            self._deliver(ends, posted["send"].popleft(), posted["recv"].popleft())
        then(event, lambda _: simulation.returned(call))
        return Pending(simulation, call, event, lambda: event.value, timeout_us)

    def _deliver(self, ends: tuple[int, int], sent: Any, wanted: Any) -> None:
        simulation, (source, target) = self.simulation, ends
        data = sent[1]
        now = simulation.env.now
        begin, end, link = simulation.links.take(source, target, data.nbytes, now)
        message = Message(source, target, 0, data.nbytes, begin, end, link)
        simulation.messages.append(message)
        arrival = simulation.env.timeout(end - now)
        then(arrival, lambda _: sent[0].succeed())
        then(arrival, lambda _: wanted[0].succeed(data))


def _nbytes(x: Any) -> int:
    if isinstance(x, np.ndarray):
        return x.nbytes
    return sum(one.nbytes for one in x) if isinstance(x, Sequence) else 0
