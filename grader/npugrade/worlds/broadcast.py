"""A broadcast among ranks: rank 0 has a token, every rank must hold it at the end.

`await world.send(rank, token)` takes `send_ticks` of the sender's time; the token then
lies in the receiver's inbox. `await world.receive()` waits for the next token there.
Cost: the tick at which the last rank is done. Floor: holders can at best double with
each send. Ranks share a process and could pass the token behind the world's back, so it
keeps account of who was given it. Left out: links that are shared, failures.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Mapping
from typing import Any

from npugrade.outcome import Outcome, Refused
from npugrade.worlds.repeat import Repeat

TOKEN = 4711


class Broadcast:
    """`arguments`: `ranks` and `send_ticks`."""

    proxy = "world"

    def __init__(self, arguments: Mapping[str, Any]):
        self.programs = int(arguments["ranks"])
        self.send_ticks = int(arguments["send_ticks"])
        self.now = 0
        self._ready: list[tuple[int, int, Any]] = []  # (tick, rank, value)
        self._inbox: list[deque[Any]] = [deque() for _ in range(self.programs)]
        self._waiting: set[int] = set()
        self._holders = {0}
        self._flying: list[tuple[int, int, int, Any]] = []  # (tick, order, rank, token)
        self._sent = 0

    def arguments(self, program: int) -> tuple[Any, ...]:
        """(rank, number of ranks, token or None)."""
        return program, self.programs, TOKEN if program == 0 else None

    def request(self, program: int, name: str, arguments: list[Any]) -> None:
        {"send": self._send, "receive": self._receive}.get(name, self._unknown)(
            program, arguments
        )

    def _unknown(self, program: int, arguments: list[Any]) -> None:
        raise Refused("broadcast.request")

    def _send(self, program: int, arguments: list[Any]) -> None:
        if len(arguments) != 2 or type(arguments[0]) is not int:
            raise Refused("broadcast.request")
        rank, token = arguments
        if not 0 <= rank < self.programs or rank == program:
            raise Refused("broadcast.rank", rank=rank)
        if program not in self._holders:
            raise Refused("broadcast.holder", rank=program)
        done = self.now + self.send_ticks
        self._sent += 1
        heapq.heappush(self._flying, (done, self._sent, rank, token))
        heapq.heappush(self._ready, (done, program, None))

    def _receive(self, program: int, arguments: list[Any]) -> None:
        if arguments:
            raise Refused("broadcast.request")
        self._waiting.add(program)
        self._deliver(program)

    def _deliver(self, rank: int) -> None:
        if rank in self._waiting and self._inbox[rank]:
            self._waiting.remove(rank)
            token = self._inbox[rank].popleft()
            self._holders.add(rank)
            heapq.heappush(self._ready, (self.now, rank, token))

    def finished(self, program: int, answer: Any) -> None:
        if program not in self._holders:
            raise Refused("broadcast.holder", rank=program)
        if type(answer) is not int or answer != TOKEN:
            raise Refused("broadcast.answer", rank=program)

    def next(self) -> tuple[int, Any] | None:
        while self._flying and (
            not self._ready or self._flying[0][0] <= self._ready[0][0]
        ):
            self.now, _, rank, token = heapq.heappop(self._flying)
            self._inbox[rank].append(token)
            self._deliver(rank)
        if not self._ready:
            return None
        self.now, program, value = heapq.heappop(self._ready)
        return program, value

    def also(self) -> tuple[int, Any] | None:
        """Nobody: one rank a time."""
        return None

    def outcome(self) -> Outcome:
        rounds = (self.programs - 1).bit_length()
        return Outcome(self.now, rounds * self.send_ticks)

    def repeats(self) -> list[Repeat]:
        """None: the world keeps account of who was given the token."""
        return []
