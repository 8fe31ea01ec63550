"""Stamps: times that a kernel takes but that only timing can tell.

`get_system_cycle` gives a stamp: it stands for the cycle in which this very step ends,
and execution knows the step, not the cycle. A stamp can be subtracted, printed and
stored; `fill` and `store_stamps` put in the numbers once the launch has been timed.
Numbers are whole cycles of the core's clock since the core began its work (the counter
of the device ticks at 50 MHz; its documentation gives that factor).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from npusim.core.memory import Buffer
from npusim.core.signals import stop

if TYPE_CHECKING:
    from npusim.core.group import Group

MAX_TERMS = 64  # stamps that one difference may be made of
CycleOf = Callable[[int, int], int]
"""(block, number of a step in that block's stream) → the cycle in which it ends."""


@dataclass(frozen=True)
class Stamp:
    """A sum of step times: `terms` are (number of the step, factor), factor ≠ 0."""

    terms: tuple[tuple[int, int], ...]

    def minus(self, other: Stamp, where: int) -> Stamp:
        """The difference, with factors of 64 bits."""
        factors = dict(self.terms)
        for step, factor in other.terms:
            factors[step] = _wrapped(factors.get(step, 0) - factor)
        terms = tuple((s, f) for s, f in sorted(factors.items()) if f)
        if len(terms) > MAX_TERMS:
            facts = {"operand": "stamps", "value": len(terms)}
            stop("ASC-RUN-07", where, operation="-", **facts, required=f"≤ {MAX_TERMS}")
        return Stamp(terms)

    def cycles(self, block: int, cycle_of: CycleOf) -> int:
        return _wrapped(sum(f * cycle_of(block, step) for step, f in self.terms))


def _wrapped(value: int) -> int:
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


class StampStore(NamedTuple):
    """A stamp that block `block` stored as an element of `dtype` in a buffer."""

    block: int
    buffer_id: int
    start: int
    dtype: np.dtype
    stamp: Stamp

    @property
    def end(self) -> int:
        return self.start + self.dtype.itemsize

    def meets(self, begin: int, end: int) -> bool:
        """Whether it lies in the bytes `[begin, end)`, with any part of it."""
        return self.start < end and begin < self.end


def take_stamp(group: Group) -> Stamp:
    """The stamp of the step that the group is about to record."""
    return Stamp(((group.past + len(group.steps), 1),))


def store_stamps(
    stores: Iterable[StampStore], buffers: Mapping[int, Buffer], cycle_of: CycleOf
) -> None:
    """Write the numbers where the kernel stored them."""
    for store in stores:
        cycles = store.stamp.cycles(store.block, cycle_of)
        value = np.array([cycles], np.int64).astype(store.dtype).view(np.uint8)
        data = buffers[store.buffer_id].data.view(np.uint8)
        data[store.start : store.end] = value


# ------------------------------------------------------------------- lines of printf
Part = str | tuple[Stamp, str]
Parts = tuple[Part, ...]


class Line(NamedTuple):
    """A printed line of a block; stamps in it are not numbers yet."""

    block: int
    parts: Parts

    def text(self, cycle_of: CycleOf | None = None) -> str:
        """The line; without `cycle_of` a stamp shows as `…`."""
        return "".join([_shown(part, self.block, cycle_of) for part in self.parts])


def _shown(part: Part, block: int, cycle_of: CycleOf | None) -> str:
    if isinstance(part, str):
        return part
    stamp, spec = part
    return "…" if cycle_of is None else format(stamp.cycles(block, cycle_of), spec)
