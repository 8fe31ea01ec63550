"""The state that orders pipes: queues of a TPipe, and flags that are set.

A buffer of a queue goes FREE → ALLOCATED → QUEUED → TAKEN → FREE. A queue hands out
its free buffers in turn, so that two buffers alternate. This module holds the state
of one group; the instructions that change it are in `queues` and `flags`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

Flags = dict[tuple[str, int], list[int]]
"""(event, id) → places (`where`) of the sets not waited for yet, oldest first."""

ALL_LANES = (1 << 128) - 1


class Masking(NamedTuple):
    """The mask state: mode, the 128 bits (in count mode a number), where it was set."""

    counts: bool = False
    bits: int = ALL_LANES
    where: int = -1


FREE, ALLOCATED, QUEUED, TAKEN = "FREE", "ALLOCATED", "QUEUED", "TAKEN"


@dataclass
class Slot:
    """One buffer of a queue, `nbytes` long, at `address` in local memory."""

    address: int
    nbytes: int
    state: str = FREE
    used: bool = False


@dataclass
class Queue:
    """The buffers of one TQue (or the one of a TBuf); `order` are the queued ones."""

    name: str
    slots: list[Slot] = field(default_factory=list)
    order: list[int] = field(default_factory=list)
    turn: int = 0
    where: int = -1

    @property
    def states(self) -> list[tuple[int, str]]:
        return [(index, slot.state) for index, slot in enumerate(self.slots)]

    def next_free(self) -> int | None:
        """The free buffer whose turn it is."""
        count = len(self.slots)
        for step in range(count):
            index = (self.turn + step) % count
            if self.slots[index].state is FREE:
                self.turn = (index + 1) % count
                return index
        return None

    def slot_at(self, address: int) -> int | None:
        """The buffer that starts at `address`."""
        for index, slot in enumerate(self.slots):
            if slot.address == address:
                return index
        return None

    def copy(self) -> Queue:
        return replace(
            self, slots=[replace(s) for s in self.slots], order=[*self.order]
        )


@dataclass
class Pipe:
    """Buffers laid out in UB in call order. `plan`: (name, number, bytes each)."""

    capacity: int
    top: int = 0
    plan: list[tuple[str, int, int]] = field(default_factory=list)
    queues: dict[int, Queue] = field(default_factory=dict)
    positions: dict[str, int] = field(default_factory=dict)  # queue buffers of each

    @property
    def buffers(self) -> int:
        return sum(number for _, number, _ in self.plan)

    def holds(self, address: int) -> bool:
        """Whether a buffer of a queue or TBuf holds this address."""
        return address < self.top

    def copy(self) -> Pipe:
        queues = {index: queue.copy() for index, queue in self.queues.items()}
        return Pipe(self.capacity, self.top, [*self.plan], queues, dict(self.positions))
