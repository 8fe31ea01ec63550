"""Rank programs on one simulated cluster: matching of calls, time, and the end of it.

`run(program, ranks=8)` calls `program(comm)` once for each rank; each is a coroutine
that SimPy resumes. The k-th collective that a rank calls on a communicator belongs to
the k-th of every other rank. If they disagree, or if nobody can go on, the run ends at
once with an `HcclError` whose report says who waits for whom.

Left out: threads within a rank, and streams beside the one of each communicator.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import simpy

from npusim.hccl import waitfor
from npusim.hccl.calls import Call, RankLog, Signature
from npusim.hccl.communicator import Communicator, Pending
from npusim.hccl.environment import Environment
from npusim.hccl.events import Links, Message
from npusim.hccl.faults import HcclError
from npusim.hccl.groups import Group
from npusim.hccl.selector import Choice
from npusim.hccl.server_memory import ServerMemory, require_connected, start_times
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

    def heartbeat_log(self) -> str:
        """The heartbeats of all ranks by time, one a line."""
        return waitfor.heartbeat_log(self.logs)

    def timeline(self, ranks: Sequence[int] | None = None, language: str = "") -> Any:
        """The picture of what each rank did (`pictures.rank_timeline`)."""
        from npusim.hccl.pictures import rank_timeline

        return rank_timeline(self, ranks, language or None)

    def links(self, windows: int = 8, language: str = "") -> Any:
        """The map of the links over time, with a slider (`pictures.link_use`)."""
        from npusim.hccl.pictures import link_use

        return link_use(self.messages, self.topology, windows, language or None)


class Simulation:
    """One run: the clock, the links, the groups, and the log of every rank."""

    def __init__(
        self,
        topology: Topology,
        environment: Environment,
        server_nbytes: int | None = None,
    ):
        self.env = simpy.Environment()
        self.topology, self.environment = topology, environment
        self.memory = ServerMemory(topology, server_nbytes)
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

    async def _rank(
        self, program: RankProgram, rank: int, comm: Communicator, start_us: float
    ) -> None:
        log = self.logs[rank]
        try:
            if start_us:
                await Pending(self, None, self.env.timeout(start_us), lambda: None)
            log.result = await program(comm)
            log.state = "finished"
        except Exception as error:
            log.state, log.error = "raised", error
        self.memory.release(rank)
        log.ended_us = float(self.env.now)

    def run(self, program: RankProgram, starts: Sequence[float]) -> None:
        """Run every rank to its end; HcclError if they cannot all reach it."""
        require_connected(starts, self.environment["HCCL_CONNECT_TIMEOUT"])
        world = self.group(tuple(range(self.topology.ranks)))
        bodies = [
            self._rank(program, rank, Communicator(self, world, rank), starts[rank])
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
        groups = {group.name: group.members for group in self._groups.values()}
        report = waitfor.report(self.logs, float(self.env.now), groups)
        if self.disagreement is not None:
            call, first = self.disagreement
            facts = {"rank": call.rank, "call": call}
            facts |= {"other": first.rank, "first": first}
            raise HcclError("EI0005", "disagreement", report, **facts)
        waiting = [log for log in self.logs if log.state == "running"]
        if waiting:
            seconds = self.environment["HCCL_EXEC_TIMEOUT"]
            facts = {"count": len(waiting), "limit_s": seconds}
            reason = "hang" if seconds else "hang-never"
            raise HcclError("EI0002", reason, report, **facts)
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
    start_us: Sequence[float | None] | None = None,
    server_nbytes: int | None = None,
) -> Outcome:
    """Run `async def program(comm)` on every rank of a cluster.

    `topology`: a name of topologies.toml or a Topology; `environment`: HCCL's
    variables; `start_us`: when each rank starts (None: never); `server_nbytes`: the
    memory of a server that `comm.allocate` takes from. HcclError with a report if the
    ranks disagree or wait for ever; an error that a rank raised is raised here if
    nobody waits for that rank."""
    if not inspect.iscoroutinefunction(program):
        raise HcclError(
            "EI0003", "not-a-coroutine", name=getattr(program, "__name__", program)
        )
    named = load_topology(topology) if isinstance(topology, str) else topology
    variables = Environment.read(environment)
    simulation = Simulation(named.with_ranks(ranks), variables, server_nbytes)
    simulation.run(program, start_times(start_us, ranks))
    return Outcome(
        [log.result for log in simulation.logs],
        float(simulation.env.now),
        simulation.logs,
        simulation.messages,
        simulation.choices,
        simulation.topology,
    )
