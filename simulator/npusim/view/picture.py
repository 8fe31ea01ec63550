"""A timeline as a matplotlib Figure: rows are core × pipe, time runs to the right.

Bars that can be told apart alternate in shade; more are merged to a density profile.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.patheffects import withStroke

from npusim.profile.table import PIPE_COLOURS
from npusim.timing import TICKS_PER_CYCLE
from npusim.view.bars import Bars, bars
from npusim.view.ink import Ink, canvas, font, ground, number_axis
from npusim.view.labels import LABELS
from npusim.view.lanes import CoreLanes
from npusim.view.stalls import STYLES, stalls

ROW_INCHES = 0.24
MARGIN_TOP, MARGIN_BOTTOM = 0.5, 0.75
MARGINS = (1.3, 0.45, MARGIN_TOP, MARGIN_BOTTOM)
GROUP_GAP = 0.6  # rows between two cores
BAR = 0.78  # height of a bar in rows
ROOM_FOR_A_LINE = 0.025  # of the window: bars this wide carry their source line
_OUTLINE = (withStroke(linewidth=1.6, foreground="#00000099"),)


@dataclass(frozen=True)
class Window:
    """What is drawn: cycles `start` to `end`, the clock for the upper axis."""

    start: float
    end: float
    cycles_per_us: float

    @property
    def ticks(self) -> tuple[float, float]:
        return self.start * TICKS_PER_CYCLE, self.end * TICKS_PER_CYCLE


def draw(cores: list[CoreLanes], window: Window, language: str, ink: Ink) -> Figure:
    """The figure of `cores` (from the top) between the window's cycles."""
    rows = list(_rows(cores))
    height = (rows[-1][0] + 1 if rows else 1) * ROW_INCHES
    figure, axes = canvas(height + MARGIN_TOP + MARGIN_BOTTOM, ink, MARGINS)
    axes.set_xlim(window.start, window.end)
    axes.set_ylim(height / ROW_INCHES, 0)
    shown = [(y, core, pipe, bars(core.lanes[pipe], *window.ticks))
             for y, core, pipe in rows]  # fmt: skip
    reasons: dict[str, None] = {}
    for y, core, pipe, lane in shown:
        _lane(axes, y, PIPE_COLOURS[pipe], lane, ink)
        if not lane.dense and pipe in core.notes:
            reasons |= _stalls(axes, y, core, pipe, window, ink)
            _lines(axes, y, core, pipe, window)
    _time_axes(axes, window, language, ink)
    _row_labels(axes, rows, language, ink)
    _note(axes, shown, list(reasons), language, ink)
    return figure


def _rows(cores: list[CoreLanes]) -> Iterator[tuple[float, CoreLanes, str]]:
    y = 0.0
    for core in cores:
        for pipe in core.lanes:
            yield y, core, pipe
            y += 1
        y += GROUP_GAP


# ----------------------------------------------------------------------------- bars
def _lane(axes: Axes, y: float, colour: str, lane: Bars, ink: Ink) -> None:
    axes.axhline(y + 0.5 + BAR / 2, color=ink.faint, alpha=0.35, linewidth=0.5)
    if not len(lane.left):
        return
    shapes = [(_skyline(lane, y), 1.0)]
    if not lane.dense:
        shapes = [(_boxes(lane, y, 0, 2), 1.0), (_boxes(lane, y, 1, 2), 0.66)]
    for path, alpha in shapes:
        axes.add_patch(PathPatch(path, facecolor=colour, alpha=alpha, linewidth=0))


def _boxes(lane: Bars, y: float, phase: int, step: int) -> Path:
    """Every `step`-th bar as a closed box, all in one path."""
    left = lane.left[phase::step] / TICKS_PER_CYCLE
    right = lane.right[phase::step] / TICKS_PER_CYCLE
    low = np.full(len(left), y + 0.5 + BAR / 2)
    high = low - BAR * lane.height[phase::step]
    x = np.stack((left, left, right, right, left), axis=1)
    vertical = np.stack((low, high, high, low, low), axis=1)
    codes = (Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY)
    vertices = np.stack((x.ravel(), vertical.ravel()), axis=1)
    return Path(vertices, np.tile(np.array(codes, np.uint8), len(left)), closed=False)


def _skyline(lane: Bars, y: float) -> Path:
    """Merged bars as one outline: up and down from the lane's ground."""
    ground = y + 0.5 + BAR / 2
    x = np.stack((lane.left, lane.right), axis=1).ravel() / TICKS_PER_CYCLE
    top = np.repeat(ground - BAR * lane.height, 2)
    vertices = np.column_stack((
        np.concatenate((x[:1], x, x[-1:], x[:1])),
        np.concatenate(([ground], top, [ground], [ground])),
    ))  # fmt: skip
    codes = np.full(len(vertices), Path.LINETO, np.uint8)
    codes[0], codes[-1] = Path.MOVETO, Path.CLOSEPOLY
    return Path(vertices, codes)


def _stalls(
    axes: Axes, y: float, core: CoreLanes, pipe: str, window: Window, ink: Ink
) -> dict[str, None]:
    """A line in the middle of each gap, its style telling the reason."""
    found = [
        stall
        for stall in stalls(core, pipe)
        if stall.end > window.ticks[0] and stall.start < window.ticks[1]
    ]
    for start, end, reason in found:
        axes.plot(
            (start / TICKS_PER_CYCLE, end / TICKS_PER_CYCLE), (y + 0.5, y + 0.5),
            STYLES[reason], color=ink.text, alpha=0.7, linewidth=0.9,
        )  # fmt: skip
    return dict.fromkeys(stall.reason for stall in found)


def _lines(axes: Axes, y: float, core: CoreLanes, pipe: str, window: Window) -> None:
    """The source line inside each bar that has room for it."""
    lane, room = core.lanes[pipe], ROOM_FOR_A_LINE * (window.end - window.start)
    left = np.maximum(lane.starts / TICKS_PER_CYCLE, window.start)
    right = np.minimum(lane.ends / TICKS_PER_CYCLE, window.end)
    for index in np.flatnonzero(right - left > room):
        axes.text(
            (left[index] + right[index]) / 2, y + 0.52,
            str(core.notes[pipe].lines[index]), color="#ffffff", ha="center",
            va="center", fontproperties=font(7), path_effects=_OUTLINE,
        )  # fmt: skip


# ----------------------------------------------------------------------------- text
def _time_axes(axes: Axes, window: Window, language: str, ink: Ink) -> None:
    upper = axes.secondary_xaxis(
        "top",
        functions=(
            lambda x: np.asarray(x) / window.cycles_per_us,
            lambda x: np.asarray(x) * window.cycles_per_us,
        ),
    )
    number_axis(axes.xaxis, ink, LABELS("cycles_axis", language))
    number_axis(upper.xaxis, ink, LABELS("us_axis", language))
    ground(axes, ink)
    axes.spines["top"].set_visible(True)
    for spine in (axes.spines["top"], upper.spines["top"]):
        spine.set_color(ink.faint)
        spine.set_linewidth(0.8)


def _row_labels(axes: Axes, rows: list[Any], language: str, ink: Ink) -> None:
    axes.set_yticks([])
    place = axes.get_yaxis_transform()
    style: dict[str, Any] = {"transform": place, "color": ink.text, "va": "center"}
    for y, _, pipe in rows:
        axes.text(-0.008, y + 0.5, pipe, ha="right", fontproperties=font(8), **style)
    for core in dict.fromkeys(id(core) for _, core, _ in rows):
        mine = [(y, c) for y, c, _ in rows if id(c) == core]
        middle = (mine[0][0] + mine[-1][0] + 1) / 2
        text = core_label(mine[0][1], language)
        axes.text(-0.16, middle, text, ha="left", fontproperties=font(8), **style)


def core_label(core: CoreLanes, language: str) -> str:
    """The core's number, and how many look like it where it is not the only one."""
    if core.label:
        return core.label
    key = "core_alike" if core.alike > 1 else "core"
    return LABELS(key, language, core=core.core, count=core.alike)


def _note(
    axes: Axes, shown: list[Any], reasons: list[str], language: str, ink: Ink
) -> None:
    """One line below: how to read merged bars and gaps, or that nothing is there."""
    lanes = [lane for *_, lane in shown]
    keys = [
        ("empty", not any(len(lane.left) for lane in lanes)),
        ("dense", any(lane.dense for lane in lanes)),
    ]
    lines = [LABELS(key, language) for key, holds in keys if holds]
    if reasons:
        named = (LABELS(f"stall_{reason}", language) for reason in reasons)
        dashes = (LABELS(f"dash_{reason}", language) for reason in reasons)
        gaps = "   ".join(map(" ".join, zip(dashes, named, strict=True)))
        lines.append(LABELS("stalls", language, reasons=gaps))
    if lines:
        axes.annotate(
            "   ".join(lines), (1, 0), (0, -45), xycoords="axes fraction",
            textcoords="offset points", ha="right", va="center",
            color=ink.text, fontproperties=font(8),
        )  # fmt: skip
