"""What lies in L2 between launches, for `cache="keep"`.

A tensor is remembered with the share of it that a launch moved, and whether it was
written; the one used last is newest. A tensor that was only named leaves nothing. A
launch adds its tensors to what was there (`keep`) or to foreign lines, which are clean
(`cold`, `l2`) or all dirty (`dirty`). What no longer fits goes, oldest first. A tensor
larger than L2 pushes everything out and does not stay itself: when it is read again
from its start, its first lines are gone. Tensors with the hint CACHE_MODE_DISABLE leave
nothing. Left out: which part of a tensor it is, and the order of accesses inside a
launch.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Used(NamedTuple):
    """A host object that a launch used: its identity, bytes that it takes in L2, the
    share of it that they are, and whether it was written."""

    host: Any
    identity: Any
    nbytes: int
    share: float
    written: bool


class _Lines(NamedTuple):
    host: weakref.ref
    identity: Any
    nbytes: int
    share: float
    dirty: bool


@dataclass
class L2State:
    """The L2 of the simulated device; `foreign_dirty`: bytes of other lines that must
    be written back."""

    lines: list[_Lines] = field(default_factory=list)  # oldest first
    foreign_dirty: int = 0

    def after(self, cache: str, used: Iterable[Used], capacity_nbytes: int) -> None:
        """Take a launch into account that started in state `cache`."""
        if cache != "keep":
            self.lines = []
            self.foreign_dirty = capacity_nbytes if cache == "dirty" else 0
        before = {line.identity: line for line in self.lines}
        new = [_joined(one, before.get(one.identity)) for one in used]
        fresh = {line.identity for line in new}
        self.lines = [line for line in self.lines if line.identity not in fresh] + new
        self._evict(capacity_nbytes)

    def _evict(self, room: int) -> None:
        """Keep the newest lines as far as they fit; one that does not ends the rest."""
        stay: list[_Lines] = []
        for line in reversed(self.lines):
            if line.nbytes > room:
                room = 0
                break
            room -= line.nbytes
            stay.append(line)
        self.lines = stay[::-1]
        self.foreign_dirty = min(self.foreign_dirty, room)

    def resident(self, identity: Callable[[Any], Any]) -> dict[Any, float]:
        """The share that is resident, by identity, of what is still alive; `identity`
        names a host now: memory given to another array since does not count."""
        alive = ((line, line.host()) for line in self.lines)
        return {
            line.identity: line.share
            for line, host in alive
            if host is not None and identity(host) == line.identity
        }

    def older(
        self, identities: Iterable[Any], capacity_nbytes: int
    ) -> tuple[tuple[int, float], ...]:
        """What a launch that uses `identities` may push out, the oldest first: (bytes,
        share that is dirty); foreign lines are older than all others."""
        foreign = capacity_nbytes - sum(line.nbytes for line in self.lines)
        share = min(1.0, self.foreign_dirty / foreign) if foreign > 0 else 0.0
        own = set(identities)
        rest = (line for line in self.lines if line.identity not in own)
        return (max(0, foreign), share), *((x.nbytes, float(x.dirty)) for x in rest)


def _joined(used: Used, before: _Lines | None) -> _Lines:
    """A launch's tensor with what was left of it before."""
    host = weakref.ref(used.host)
    if before is None or before.host() is not used.host:
        return _Lines(host, used.identity, used.nbytes, used.share, used.written)
    nbytes, share = max(used.nbytes, before.nbytes), max(used.share, before.share)
    return _Lines(host, used.identity, nbytes, share, used.written or before.dirty)
