"""What lies in L2 between launches, for `cache="keep"`.

Tensors are remembered whole, the one used last newest. A launch adds its tensors to
what was there (`keep`) or to nothing (other states fill L2 with other lines first);
what no longer fits goes, oldest first. A tensor larger than L2 pushes everything out
and does not stay itself: when it is read again from its start, its first lines are
gone. Tensors with the hint CACHE_MODE_DISABLE leave nothing. Left out: parts of
tensors, and the order of accesses inside a launch.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Used(NamedTuple):
    """A host object that a launch used: its identity, and bytes that it takes in L2."""

    host: Any
    identity: Any
    nbytes: int


class _Line(NamedTuple):
    host: weakref.ref
    identity: Any
    nbytes: int


@dataclass
class L2State:
    """The L2 of the simulated device."""

    lines: list[_Line] = field(default_factory=list)  # oldest first

    def after(self, cache: str, used: Iterable[Used], capacity_nbytes: int) -> None:
        """Take a launch into account that started in state `cache`."""
        kept = self.lines if cache == "keep" else []
        new = [_Line(weakref.ref(u.host), u.identity, u.nbytes) for u in used]
        fresh = {line.identity for line in new}
        self.lines = [line for line in kept if line.identity not in fresh] + new
        self._evict(capacity_nbytes)

    def _evict(self, room: int) -> None:
        """Keep the newest lines as far as they fit; one that does not ends the rest."""
        stay: list[_Line] = []
        for line in reversed(self.lines):
            room -= line.nbytes
            if room < 0:
                break
            stay.append(line)
        self.lines = stay[::-1]

    def identities(self, identity: Callable[[Any], Any]) -> set[Any]:
        """Identities of what is resident and still alive; `identity` names a host now:
        memory that was given to another array since does not count."""
        alive = ((line, line.host()) for line in self.lines)
        return {
            line.identity
            for line, host in alive
            if host is not None and identity(host) == line.identity
        }
