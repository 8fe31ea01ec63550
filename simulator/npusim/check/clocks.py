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

Between cores: sync_all lets every pipe know all that its own core did, and begins a new
*epoch*; accesses of different epochs are ordered across cores. For cross-core flags a
clock has one more entry a flag: how often the pipe has waited for it; what a core had
done at each of its sets is kept in `published` (see `npusim.check.across`).

Rules: public Ascend C documentation (SetFlag/WaitFlag, PipeBarrier, TQue, SyncAll,
CrossCoreSetFlag).
"""

from __future__ import annotations

from typing import NamedTuple

from npusim.core.stream import Pairs, Sync

PIPES = ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX")
PIPE_INDEX = {name: index for index, name in enumerate(PIPES)}
SCALAR = PIPE_INDEX["S"]
COMPLETES_IN_ORDER = tuple(name in ("S", "V", "M") for name in PIPES)

CROSS_FLAGS = 11  # ids 0..10
FIRST_FLAG = len(PIPES)  # entry of flag 0 in a clock that has entries for flags
Clock = tuple[int, ...]


class Published(NamedTuple):
    """What a core had done when it set a cross-core flag; `scalar`: steps of S."""

    past: Clock
    scalar: int


def join(first: Clock, second: Clock) -> Clock:
    """What is known to who knows both."""
    return tuple(map(max, first, second))


class Clocks:
    """The clocks of one core's pipes while its stream is walked in program order."""

    def __init__(self, flags: int = 0) -> None:
        self.flags = flags
        self.done = [0] * (len(PIPES) + flags)  # steps issued so far, per pipe
        self.known: list[Clock] = [tuple(self.done)] * len(PIPES)
        self.epoch = 0
        self.published: dict[tuple[int, int], Published] = {}
        self._pairs: Pairs[Clock] = Pairs()

    def copy(self) -> Clocks:
        """An independent copy, for the parts of a group that splits."""
        other = Clocks(self.flags)
        other.epoch, other.published = self.epoch, dict(self.published)
        other.done, other.known = list(self.done), list(self.known)
        other._pairs = self._pairs.copy()
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
        self._pairs.set(sync.key, self._past(PIPE_INDEX[sync.source]))

    def _wait(self, sync: Sync) -> None:
        past = self._pairs.wait(sync.key)
        if past is not None:
            self._learn(PIPE_INDEX[sync.target], past)

    def _barrier(self, sync: Sync) -> None:
        if sync.source == "ALL":
            self.known = [tuple(self.done)] * len(PIPES)
        else:
            pipe = PIPE_INDEX[sync.source]
            self.known[pipe] = self._past(pipe)

    def _all(self, sync: Sync) -> None:
        self.known = [tuple(self.done)] * len(PIPES)
        self.epoch += 1

    def _cross_set(self, sync: Sync) -> None:
        everything = sync.source == "ALL"
        past = tuple(self.done) if everything else self._past(PIPE_INDEX[sync.source])
        self.published[_meeting(sync)] = Published(past, self.done[SCALAR])

    def _cross_wait(self, sync: Sync) -> None:
        flag_id, number = _meeting(sync)
        self.done[FIRST_FLAG + flag_id] = number
        own = self.published.get((flag_id, number))
        clock = list(own.past) if own else [0] * len(self.done)
        clock[FIRST_FLAG + flag_id] = number
        pipes = PIPES if sync.target == "ALL" else (sync.target,)
        for pipe in pipes:
            self._learn(PIPE_INDEX[pipe], tuple(clock))


def _meeting(sync: Sync) -> tuple[int, int]:
    """(cross-core flag, how often it has been set)."""
    assert isinstance(sync.key, tuple)
    return sync.key[1], sync.key[2]


_APPLY = {
    "set": Clocks._set,
    "wait": Clocks._wait,
    "barrier": Clocks._barrier,
    "all": Clocks._all,
    "cross_set": Clocks._cross_set,
    "cross_wait": Clocks._cross_wait,
}
