"""An all-reduce among cards that can only send and receive: rank programs, judged.

Every card has one port to a switch (`roce-200`); time is that of `npusim.hccl`. The
program of a rank gets its own `comm` and its own float32 array. A call begins at once
and travels with the next `await`. An element stands for `element_nbytes` bytes, so that
large messages stay small here. Cost and floor in ns; the floor is the larger of the
bytes that the busiest port must carry, 2·(p-1)/p·n, and ⌈log2 p⌉ latencies.

All programs share a process and could pass data behind the world's back. So each half
of the ranks runs a second time without the other half, on what it was given the first
time, and must ask and answer the same (`repeats`). Who belongs to which half follows
from `salt`, which no program sees.
"""

from __future__ import annotations

import hashlib
import math
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from npugrade.outcome import Outcome, Refused
from npugrade.worlds.repeat import Repeat, Story
from npusim.hccl.communicator import Communicator, Pending
from npusim.hccl.environment import Environment
from npusim.hccl.events import then
from npusim.hccl.links import load_link
from npusim.hccl.simulation import Simulation
from npusim.hccl.topology import Topology

NS_A_US = 1e3
_CALLS = {"send": 3, "recv": 2}  # name → number of arguments


class AllReduce:
    """`arguments`: `data` (ranks × count, float32), `element_nbytes`, `salt`."""

    proxy = "comm"

    def __init__(self, arguments: Mapping[str, Any]):
        self.data: np.ndarray = arguments["data"]
        self.programs, self.count = self.data.shape
        self.salt = str(arguments["salt"])
        self.nbytes = self.count * int(arguments["element_nbytes"])
        real = load_link("roce-200")
        scale = self.data.itemsize / int(arguments["element_nbytes"])
        link = replace(real, collective_gb_s=real.collective_gb_s * scale)
        self._link = real
        self.simulation = Simulation(
            Topology("switch", self.programs, 1, link, link), Environment()
        )
        group = self.simulation.group(tuple(range(self.programs)))
        ranks = range(self.programs)
        self._comms = [Communicator(self.simulation, group, rank) for rank in ranks]
        self._pending: list[dict[int, Pending]] = [{} for _ in ranks]
        self._begun = [0] * self.programs
        self._ready: deque[tuple[int, Pending]] = deque()
        self._stories = [Story(self.arguments(rank)) for rank in ranks]

    def arguments(self, program: int) -> tuple[Any, ...]:
        """(rank, number of ranks, its array)."""
        return program, self.programs, self.data[program]

    # ------------------------------------------------------------------------ requests
    def request(self, program: int, name: str, arguments: list[Any]) -> None:
        """`wait(begun, number)`: the calls begun since, and the one awaited."""
        self._stories[program].asked(name, arguments)
        if name != "wait" or len(arguments) != 2:
            raise Refused("ranks.request", rank=program)
        self._begin(program, arguments[0])
        number = arguments[1]
        pending = self._pending[program].get(number) if type(number) is int else None
        if pending is None:
            raise Refused("ranks.request", rank=program)
        if pending.event.callbacks is None:  # done already
            self._ready.append((program, pending))
        else:
            then(pending.event, lambda _: self._ready.append((program, pending)))

    def _begin(self, program: int, calls: Any) -> None:
        if not isinstance(calls, list):
            raise Refused("ranks.request", rank=program)
        for call in calls:
            self._pending[program][self._begun[program]] = self._call(program, call)
            self._begun[program] += 1

    def _call(self, program: int, call: Any) -> Pending:
        parts: list[Any] = call if isinstance(call, list) and call else [None]
        name, *rest = parts
        if _CALLS.get(name if isinstance(name, str) else "") != len(rest):
            raise Refused("ranks.call", rank=program, name=str(name)[:40])
        *_, peer, tag = rest
        if not self._is_other(program, peer) or type(tag) is not int:
            facts = {"rank": program, "name": name, "peer": str(peer)[:40]}
            raise Refused("ranks.peer", **facts, last=self.programs - 1)
        if name == "recv":
            return self._comms[program].recv(peer, tag)
        array = rest[0]
        if not isinstance(array, np.ndarray) or array.dtype != np.float32:
            raise Refused("ranks.array", rank=program)
        return self._comms[program].send(array, peer, tag)

    def _is_other(self, program: int, peer: Any) -> bool:
        return type(peer) is int and 0 <= peer < self.programs and peer != program

    def finished(self, program: int, answer: Any) -> None:
        """The program returned; `answer`: its result and the calls begun since."""
        self._stories[program].ended(answer)
        if not isinstance(answer, list) or len(answer) != 2:
            raise Refused("ranks.request", rank=program)
        result, calls = answer
        self._begin(program, calls)
        if not isinstance(result, np.ndarray) or result.dtype != np.float32:
            raise Refused("ranks.result", rank=program)
        if result.shape != (self.count,):
            raise Refused("ranks.result", rank=program)
        self._check(program, result)

    def _check(self, program: int, result: np.ndarray) -> None:
        """Close to the sum: p - 1 additions in float32 lose at most p · u · Σ|x|."""
        exact = self.data.astype(np.float64)
        room = self.programs * 2.0**-24 * np.abs(exact).sum(axis=0)
        wrong = ~(np.abs(result - exact.sum(axis=0)) <= room)
        if wrong.any():
            index = int(np.flatnonzero(wrong)[0])
            got, due = float(result[index]), float(exact.sum(axis=0)[index])
            facts = {"rank": program, "index": index, "got": got, "due": due}
            raise Refused("ranks.wrong", **facts, count=int(wrong.sum()))

    # ---------------------------------------------------------------------------- time
    def next(self) -> tuple[int, Any] | None:
        """Who goes on, when all that happens at this moment has happened; Refused where
        all wait for each other."""
        env = self.simulation.env
        while env.peek() == env.now or not self._ready and env.peek() < float("inf"):
            env.step()
        if not self._ready:
            raise self._hang()
        return self.also()

    def also(self) -> tuple[int, Any] | None:
        """The next of those that go on at this moment."""
        if not self._ready:
            return None
        program, pending = self._ready.popleft()
        value = pending.result()
        self._stories[program].told(value)
        return program, value

    def _hang(self) -> Refused:
        waiting = [log.waiting for log in self.simulation.logs if log.waiting]
        if not waiting:
            return Refused("driven.stuck", count=self.programs)
        first = waiting[0]
        facts = {"count": len(waiting), "rank": first.rank, "call": first}
        return Refused("ranks.hang", **facts)

    def outcome(self) -> Outcome:
        """The time until the last message has arrived, and the floor; in ns."""
        self.simulation.env.run()
        p, rate = self.programs, self._link.collective_gb_s * 1e3
        carried_us = 2 * (p - 1) / p * self.nbytes / rate
        floor_us = max(carried_us, (p - 1).bit_length() * self._link.latency_us)
        cost = math.ceil(self.simulation.env.now * NS_A_US)
        return Outcome(cost, math.floor(floor_us * NS_A_US))

    def repeats(self) -> list[Repeat]:
        """Each half of the ranks without the other; of one rank nothing."""
        if self.programs == 1:
            return []
        order = sorted(range(self.programs), key=self._drawn)
        half = self.programs // 2
        return [
            Repeat([self._stories[rank] for rank in part], "comm", "ranks.shared")
            for part in (order[:half], order[half:])
        ]

    def _drawn(self, rank: int) -> bytes:
        return hashlib.sha256(f"{self.salt}|{rank}".encode()).digest()
