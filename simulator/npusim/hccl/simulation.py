"""Rank programs on one simulated cluster: matching of calls, time, and the end of it.

`run(program, ranks=8)` calls `program(comm)` once for each rank; each is a coroutine
that SimPy resumes. The k-th collective that a rank calls on a communicator belongs to
the k-th of every other rank. If they disagree, or if nobody can go on, the run ends at
once with an `HcclError` whose report says who waits for whom.

Left out: threads within a rank, and streams beside the one of each communicator.
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import simpy

from npusim.hccl import waitfor
from npusim.hccl.buffers import LAYOUTS, OPERATIONS, Place
from npusim.hccl.calls import Call, RankLog, Signature
from npusim.hccl.communicator import Communicator, Pending
from npusim.hccl.environment import Environment
from npusim.hccl.events import Collective, Links, Message, then
from npusim.hccl.faults import HcclError
from npusim.hccl.selector import Choice, choose, plan
from npusim.hccl.topology import Topology, load_topology

MAX_EVENTS = 5_000_000
RankProgram = Callable[[Communicator], Awaitable[Any]]


@dataclass(frozen=True)
class Outcome:
    """What came of a run: `results[r]` is what rank r returned; times in µs."""

    results: list[Any]
    time_us: float
    logs: list[RankLog]
    messages: list[Message]
    choices: list[Choice]
    topology: Topology

    def timeline(self, ranks: Sequence[int] | None = None, language: str = "") -> Any:
        """The picture of what each rank did (`pictures.rank_timeline`)."""
        from npusim.hccl.pictures import rank_timeline

        return rank_timeline(self, ranks, language or None)

    def links(self, windows: int = 8, language: str = "") -> Any:
        """The map of the links over time, with a slider (`pictures.link_use`)."""
        from npusim.hccl.pictures import link_use

        return link_use(self.messages, self.topology, windows, language or None)


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


class Simulation:
    """One run: the clock, the links, the groups, and the log of every rank."""

    def __init__(self, topology: Topology, environment: Environment):
        self.env = simpy.Environment()
        self.topology, self.environment = topology, environment
        self.links = Links(topology)
        self.logs = [RankLog(rank) for rank in range(topology.ranks)]
        self.messages: list[Message] = []
        self.choices: list[Choice] = []
        self.fault: HcclError | None = None
        self.disagreement: tuple[Call, Call] | None = None
        self._groups: dict[tuple[int, ...], Group] = {}

    def group(self, members: tuple[int, ...]) -> Group:
        """The communicator of these ranks, the same for all that ask."""
        if members not in self._groups:
            name = "world" if len(members) == self.topology.ranks else str(members)
            self._groups[members] = Group(self, members, name)
        return self._groups[members]

    def topology_of(self, members: tuple[int, ...]) -> Topology:
        """How the ranks of a group lie: whole servers, one server, or a rail."""
        return self.topology.part(members)

    def called(
        self, rank: int, group: str, index: int, signature: Signature, line: int
    ) -> Call:
        """Enter a call into the rank's log."""
        call = Call(rank, group, index, signature, float(self.env.now), line)
        self.logs[rank].calls.append(call)
        return call

    def returned(self, call: Call) -> None:
        """The call is done; it is a fault if it took longer than the time-out."""
        call.end_us = float(self.env.now)
        limit = self.environment.exec_timeout_us
        if call.end_us - call.begin_us > limit and self.fault is None:
            facts = {"rank": call.rank, "call": call, "limit_s": limit / 1e6}
            self.fault = HcclError("EI0002", "waited-too-long", **facts)

    def disagree(self, call: Call, first: Call) -> None:
        """Two ranks call different things where the same was due: neither returns."""
        if self.disagreement is None:
            self.disagreement = (call, first)

    async def _rank(self, program: RankProgram, rank: int, comm: Communicator) -> None:
        log = self.logs[rank]
        try:
            log.result = await program(comm)
            log.state = "finished"
        except Exception as error:
            log.state, log.error = "raised", error
        log.ended_us = float(self.env.now)

    def run(self, program: RankProgram) -> None:
        """Run every rank to its end; HcclError if they cannot all reach it."""
        world = self.group(tuple(range(self.topology.ranks)))
        bodies = [
            self._rank(program, rank, Communicator(self, world, rank))
            for rank in world.members
        ]
        for body in bodies:
            self.env.process(body)  # type: ignore[arg-type]
        try:
            self._until_nothing_happens()
        finally:
            for body in bodies:
                body.close()
        self._judge()

    def _judge(self) -> None:
        """Raise what went wrong: a time-out, a disagreement, a hang, a rank's error."""
        if self.fault is not None:
            raise self.fault
        report = waitfor.report(self.logs, float(self.env.now))
        if self.disagreement is not None:
            call, first = self.disagreement
            facts = {"rank": call.rank, "call": call}
            facts |= {"other": first.rank, "first": first}
            raise HcclError("EI0005", "disagreement", report, **facts)
        waiting = [log for log in self.logs if log.state == "running"]
        if waiting:
            seconds = self.environment["HCCL_EXEC_TIMEOUT"]
            facts = {"count": len(waiting), "limit_s": seconds}
            raise HcclError("EI0002", "hang", report, **facts)
        for log in self.logs:
            if log.error is not None:
                raise log.error

    def _until_nothing_happens(self) -> None:
        for _ in range(MAX_EVENTS):
            if self.fault is not None or self.env.peek() == float("inf"):
                return
            self.env.step()
        raise HcclError("EI0007", "too-many-events", limit=MAX_EVENTS)


def run(
    program: RankProgram,
    ranks: int = 8,
    topology: str | Topology = "a2",
    environment: Mapping[str, Any] | None = None,
) -> Outcome:
    """Run `async def program(comm)` on every rank of a cluster.

    `topology`: a name of topologies.toml or a Topology; `environment`: HCCL's
    variables. HcclError with a report if the ranks disagree or wait for ever; an error
    that a rank raised is raised here if nobody waits for that rank."""
    if not inspect.iscoroutinefunction(program):
        raise HcclError(
            "EI0003", "not-a-coroutine", name=getattr(program, "__name__", program)
        )
    named = load_topology(topology) if isinstance(topology, str) else topology
    simulation = Simulation(named.with_ranks(ranks), Environment.read(environment))
    simulation.run(program)
    return Outcome(
        [log.result for log in simulation.logs],
        float(simulation.env.now),
        simulation.logs,
        simulation.messages,
        simulation.choices,
        simulation.topology,
    )


def _nbytes(x: Any) -> int:
    if isinstance(x, np.ndarray):
        return x.nbytes
    return sum(one.nbytes for one in x) if isinstance(x, Sequence) else 0
