"""Happens-before between the pipes of one core, as vector clocks.

A clock says, for every pipe, up to which of its steps everything is known to be
complete. It grows where the hardware orders pipes:

* a flag or a queue hand-over: the waiting pipe learns what the setting pipe had done
  and knew at the set (first in, first out per key);
* `pipe_barrier(p)`: pipe p knows its own past complete; PIPE_ALL: every pipe knows all;
* issue: instructions come from S in program order, so what S has waited for holds for
  everything issued later. What S itself *wrote* does not (it needs S_V, S_MTE3, …);
  what it read is complete, because the scalar unit waits for its operands.

V, M and S complete in order. The copies of an MTE pipe start in order but may end in
any order, so their own past is known only through a barrier or a chain of events.

Rules: public Ascend C documentation (SetFlag/WaitFlag, PipeBarrier, TQue).
Left out: synchronisation between cores.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable

from npusim.core.stream import Sync

PIPES = ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX")
PIPE_INDEX = {name: index for index, name in enumerate(PIPES)}
SCALAR = PIPE_INDEX["S"]
COMPLETES_IN_ORDER = tuple(name in ("S", "V", "M") for name in PIPES)

Clock = tuple[int, ...]
_ZERO: Clock = (0,) * len(PIPES)


def join(first: Clock, second: Clock) -> Clock:
    """What is known to who knows both."""
    return tuple(map(max, first, second))


class Clocks:
    """The clocks of one core's pipes while its stream is walked in program order."""

    def __init__(self) -> None:
        self.done = [0] * len(PIPES)  # steps issued so far, per pipe
        self.known = [_ZERO] * len(PIPES)
        self._published: dict[Hashable, deque[Clock]] = {}

    def copy(self) -> Clocks:
        """An independent copy, for the parts of a group that splits."""
        other = Clocks()
        other.done, other.known = list(self.done), list(self.known)
        other._published = {k: deque(v) for k, v in self._published.items()}
        return other

    def advance(self, pipe: int) -> int:
        """Number of the next step on `pipe`, counted from 1."""
        self.done[pipe] += 1
        return self.done[pipe]

    def apply(self, sync: Sync) -> None:
        """Take the order that `sync` makes into account."""
        _APPLY[sync.kind](self, sync)

    def assume(self, pipe: int, other: int, position: int) -> None:
        """Go on as if `pipe` had waited for step `position` of `other`.

        Called after a hazard is reported, so that one missing event is one message.
        """
        clock = list(self.known[other])
        clock[other] = max(clock[other], position)
        self._learn(pipe, tuple(clock))

    def _learn(self, pipe: int, clock: Clock) -> None:
        self.known[pipe] = join(self.known[pipe], clock)
        if pipe == SCALAR:
            known = self.known[SCALAR]
            self.known = [join(clock, known) for clock in self.known]

    def _past(self, pipe: int) -> Clock:
        clock = list(self.known[pipe])
        clock[pipe] = self.done[pipe]
        return tuple(clock)

    def _set(self, sync: Sync) -> None:
        past = self._past(PIPE_INDEX[sync.source])
        self._published.setdefault(sync.key, deque()).append(past)

    def _wait(self, sync: Sync) -> None:
        published = self._published.get(sync.key)
        if published:
            self._learn(PIPE_INDEX[sync.target], published.popleft())

    def _barrier(self, sync: Sync) -> None:
        if sync.source == "ALL":
            self.known = [tuple(self.done)] * len(PIPES)
        else:
            pipe = PIPE_INDEX[sync.source]
            self.known[pipe] = self._past(pipe)


_APPLY = {"set": Clocks._set, "wait": Clocks._wait, "barrier": Clocks._barrier}
