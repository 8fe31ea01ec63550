"""Order between cores by cross-core flags of mode 0.

An access of one core comes before an access of another if some flag was set after the
first (by its pipe, or by one that knew of it) and waited for before the second. A core
that waited for a flag knows all that the cores which set it had waited for themselves.
sync_all is not looked at here: it parts a launch into epochs.
"""

from __future__ import annotations

from collections.abc import Mapping

from npusim.check.clocks import FIRST_FLAG, SCALAR, Published
from npusim.check.local import GlobalTouch

Meeting = tuple[int, int]  # (flag, how often it has been set)


class CrossOrder:
    """`published`: block → what it had done at each of its sets."""

    def __init__(self, published: Mapping[int, Mapping[Meeting, Published]]):
        self.published = published
        self._known: dict[Meeting, tuple[int, ...]] = {}
        for sets in published.values():
            for meeting, done in sets.items():
                flags = done.past[FIRST_FLAG:]
                before = self._known.get(meeting, flags)
                self._known[meeting] = tuple(map(max, before, flags))

    def __bool__(self) -> bool:
        return bool(self.published)

    def is_ordered(
        self, a: tuple[int, GlobalTouch], b: tuple[int, GlobalTouch]
    ) -> bool:
        """Whether one of two accesses, each with its block, comes before the other."""
        return self._before(a, b) or self._before(b, a)

    def _before(self, a: tuple[int, GlobalTouch], b: tuple[int, GlobalTouch]) -> bool:
        sets = self.published.get(a[0], {})
        waited = self._reach(b[1].clock[FIRST_FLAG:])
        return any(
            waited[flag] >= number and _is_done(a[1], done)
            for (flag, number), done in sets.items()
        )

    def _reach(self, waited: tuple[int, ...]) -> tuple[int, ...]:
        """The waits that are known to who knows these."""
        while True:
            wider = waited
            for meeting in enumerate(waited):
                known = self._known.get(meeting, waited)
                wider = tuple(map(max, wider, known))
            if wider == waited:
                return waited
            waited = wider


def _is_done(access: GlobalTouch, done: Published) -> bool:
    touch = access.touch
    if touch.pipe == SCALAR and touch.kind == "read":
        return done.scalar >= touch.position
    return done.past[touch.pipe] >= touch.position
