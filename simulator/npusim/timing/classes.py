"""Blocks that are timed once: equal streams up to GM addresses form one class.

Streams of the same blocks executed together or one by one give the same classes, so
lockstep and block-by-block execution take the same cycles. A class's copies carry the
mean of its blocks' traffic. Block b runs on core b modulo the cores of the chip.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np

from npusim.timing.lower import Lowered
from npusim.timing.traffic import Totals, Traffic


@dataclass
class BlockClass:
    """Blocks with one instruction stream; `traffic` is summed over all of them.

    `places[i]`: the one address that all blocks of the class read in work i, or None.
    """

    lowered: Lowered
    blocks: np.ndarray
    traffic: list[Traffic | None]
    places: list[int | None]


def _add(first: Traffic | None, second: Traffic | None) -> Traffic | None:
    if first is None or second is None:
        return first
    buffers = {**first, **second}
    return {b: first.get(b, 0) + second.get(b, 0) for b in buffers}


def _merge(known: BlockClass, lowered: Lowered) -> None:
    known.blocks = np.sort(np.concatenate([known.blocks, lowered.blocks]))
    pairs = zip(known.traffic, lowered.traffic, strict=True)
    known.traffic = [_add(first, second) for first, second in pairs]
    both = zip(known.places, lowered.places, strict=True)
    known.places = [first if first == second else None for first, second in both]


def group_blocks(streams: Iterable[Lowered]) -> list[BlockClass]:
    """Classes in the order of their first block."""
    classes: dict[Hashable, BlockClass] = {}
    for lowered in streams:
        known = classes.get(signature := lowered.signature())
        if known is not None:
            _merge(known, lowered)
            continue
        traffic = list(lowered.traffic)
        places = list(lowered.places)
        classes[signature] = BlockClass(lowered, lowered.blocks, traffic, places)
    return sorted(classes.values(), key=lambda c: int(c.blocks[0]))


def total_bytes(streams: Iterable[Lowered]) -> Totals:
    return Totals.of(lowered.totals for lowered in streams)


def place_blocks(
    classes: list[BlockClass], ends: list[int], cores: int, hand_out: int
) -> tuple[list[int], list[int]]:
    """Tick at which each core used is done, and at which each block starts there.

    `ends`: ticks of one block by class. Block b runs on core b modulo `cores`; a core
    gets its next block `hand_out` ticks after it finished one.
    """
    length = {
        block: end
        for members, end in zip(classes, ends, strict=True)
        for block in members.blocks.tolist()
    }
    core_ends, starts = [0] * min(len(length), cores), []
    for block in sorted(length):
        core = block % cores
        starts.append(core_ends[core] + (hand_out if block >= cores else 0))
        core_ends[core] = starts[-1] + length[block]
    return core_ends, starts
