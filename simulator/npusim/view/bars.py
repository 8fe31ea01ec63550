"""Spans as shapes: single bars while they can be told apart, else a density profile.

Bars of neighbouring instructions alternate in shade. Where a lane holds more bars than
the picture can show, it is cut into bins and the height of a bin is the share of its
time in which the pipe was busy: no idle time is painted over, and the picture's size
does not grow with the number of instructions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from npusim.profile.spans import Spans, merged

MOST_BARS = 240
BINS = 300


@dataclass(frozen=True)
class Bars:
    """`left` and `right` in ticks, `height` in shares of the lane, `dense`: merged."""

    left: np.ndarray
    right: np.ndarray
    height: np.ndarray
    dense: bool


def bars(spans: Spans, start: float, end: float) -> Bars:
    """What a lane shows between `start` and `end` (ticks)."""
    inside = (spans.ends > start) & (spans.starts < end)
    starts = np.clip(spans.starts[inside], start, end)
    ends = np.clip(spans.ends[inside], start, end)
    if len(starts) > MOST_BARS:
        return _density(starts, ends, start, end)
    return Bars(starts, ends, np.ones(len(starts)), False)


def _density(starts: np.ndarray, ends: np.ndarray, start: float, end: float) -> Bars:
    edges = np.linspace(start, end, BINS + 1)
    share = busy_share(starts, ends, edges)
    return Bars(edges[:-1], edges[1:], share, True)


def busy_share(
    starts: np.ndarray, ends: np.ndarray, edges: Sequence[float] | np.ndarray
) -> np.ndarray:
    """Share of each bin in which at least one span is open; 0 to 1."""
    starts, ends = merged(starts, ends)
    lengths = np.concatenate(([0], np.cumsum(ends - starts)))
    times = np.stack((starts, ends), axis=1).ravel()
    busy = np.stack((lengths[:-1], lengths[1:]), axis=1).ravel()
    return np.diff(np.interp(edges, times, busy)) / np.diff(edges)
