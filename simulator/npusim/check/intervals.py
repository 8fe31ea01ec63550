"""Sets of half-open byte intervals as sorted numpy arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Intervals(NamedTuple):
    """`[begin, end)` in bytes, sorted by `begin`; `block` says whose each one is."""

    begin: np.ndarray
    end: np.ndarray
    block: np.ndarray


_NOTHING = np.zeros(0, np.int64)
EMPTY = Intervals(_NOTHING, _NOTHING, _NOTHING)


def merge(begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The union, as sorted disjoint intervals; touching ones become one."""
    keep = end > begin
    begin, end = begin[keep], end[keep]
    if not len(begin):
        return begin, end
    order = np.argsort(begin, kind="stable")
    begin, reach = begin[order], np.maximum.accumulate(end[order])
    first = np.concatenate(([True], begin[1:] > reach[:-1]))
    last = np.concatenate((first[1:], [True]))
    return begin[first], reach[last]


def concatenate(parts: list[Intervals]) -> Intervals:
    """All intervals of several owners, sorted by `begin`, then block."""
    if not parts:
        return EMPTY
    begin, end, block = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((block, begin))
    return Intervals(begin[order], end[order], block[order])


def overlaps(begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Per column of `[rows, columns]`: whether any two intervals share a byte."""
    order = np.argsort(begin, axis=0, kind="stable")
    begin = np.take_along_axis(begin, order, 0)
    reach = np.maximum.accumulate(np.take_along_axis(end, order, 0), axis=0)
    return np.any(begin[1:] < reach[:-1], axis=0)


def gaps(begin: np.ndarray, end: np.ndarray, nbytes: int) -> list[tuple[int, int]]:
    """What sorted disjoint intervals leave out of `[0, nbytes)`."""
    starts = np.concatenate(([0], end))
    stops = np.concatenate((begin, [nbytes]))
    keep = stops > starts
    pairs = zip(starts[keep].tolist(), stops[keep].tolist(), strict=True)
    return [(int(start), int(stop)) for start, stop in pairs]
