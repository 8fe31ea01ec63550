"""The map of a cluster: ranks, the links among them, and how busy each is in a window.

A box is a server, a disc a rank. A line from one rank to another is as thick as the
share of the window in which it carried something; blue inside a server, orange between
servers. The figures below the map name the busiest way of each kind of link. Where
every server has one card only, the ranks stand on one circle. Left out: ranks beyond
`MOST_RANKS`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from npusim.hccl.pictures.shares import LinkShare
from npusim.hccl.topology import Topology
from npusim.profile.amounts import figures, nbytes_text, share_text
from npusim.view.labels import LABELS
from npusim.view.shown import Shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from npusim.view.ink import Ink

MOST_RANKS = 64
MOST_NUMBERS = 16  # ways that carry their share as a number
COLOURS = {True: "#0072b2", False: "#d55e00"}  # inside a server, between servers
_WIDTH = 8.8  # inches of the map; its coordinates are inches
_LINE = 0.19  # inches of a line of text
_DISC = 0.11


@dataclass(frozen=True, repr=False)
class LinkMap(Shown):
    """The map of one window of time."""

    topology: Topology
    shares: tuple[LinkShare, ...]
    start_us: float
    end_us: float
    language: str

    kind = "linkmap"

    @property
    def lines(self) -> list[str]:
        """The window, then one line for each kind of link."""
        head = LABELS(
            "link_window", self.language,
            start=figures(self.start_us), end=figures(self.end_us),
        )  # fmt: skip
        kinds = sorted({one.link for one in self.shares})
        rows = [self._line([s for s in self.shares if s.link == k]) for k in kinds]
        more = self.topology.ranks - MOST_RANKS
        hidden = [LABELS("link_more", self.language, count=more)] if more > 0 else []
        return [head, *(rows or [LABELS("link_idle", self.language)]), *hidden]

    def _line(self, shares: list[LinkShare]) -> str:
        busiest = max(shares, key=lambda s: (s.share, -s.source, -s.target))
        total = math.fsum(s.nbytes for s in shares)
        return LABELS(
            "link_line", self.language, link=shares[0].link, ways=len(shares),
            total=nbytes_text(total), source=busiest.source, target=busiest.target,
            share=share_text(busiest.share), rate=figures(busiest.gb_s),
        )  # fmt: skip

    @property
    def text(self) -> str:
        cluster = LABELS(
            "link_cluster", self.language, ranks=self.topology.ranks,
            servers=self.topology.servers, devices=self.topology.devices,
        )  # fmt: skip
        return " ".join([cluster, *self.lines])

    # ------------------------------------------------------------------------ drawing
    def draw(self, ink: Ink) -> Figure:
        """Boxes, ways, discs; the figures below."""
        from npusim.view.ink import canvas, words

        plan, lines = layout(self.topology), self.lines
        below = _LINE * len(lines) + 0.1
        figure, axes = canvas(plan.height + below, ink, (0.1, 0.1, 0.0, below))
        axes.set_xlim(0, _WIDTH)
        axes.set_ylim(plan.height, 0)
        axes.set_axis_off()
        for box in plan.boxes:
            _box(axes, box, ink)
        self._ways(axes, plan, ink)
        for rank, (x, y) in plan.places.items():
            _disc(axes, rank, x, y, ink)
        for number, line in enumerate(lines):
            below_map = plan.height + _LINE * (number + 0.5)
            words(axes, 0.05, below_map, line, ink, size=9, clip_on=False)
        return figure

    def _ways(self, axes: Axes, plan: Plan, ink: Ink) -> None:
        shown = [s for s in self.shares if {s.source, s.target} <= plan.places.keys()]
        for one in shown:
            _way(axes, plan.places[one.source], plan.places[one.target], one)
        if len(shown) <= MOST_NUMBERS:
            for one in shown:
                ends = plan.places[one.source], plan.places[one.target]
                _number(axes, *ends, share_text(one.share), ink)


# --------------------------------------------------------------------------- the layout
Point = tuple[float, float]


@dataclass(frozen=True)
class Plan:
    """Where ranks stand, the boxes (x, y, side), and the height; in inches."""

    places: dict[int, Point]
    boxes: tuple[tuple[float, float, float], ...]
    height: float


def layout(topology: Topology) -> Plan:
    """Servers in rows of up to four, ranks on a circle in each."""
    if topology.devices == 1:
        return _one_circle(min(topology.ranks, MOST_RANKS))
    servers = min(topology.servers, max(1, MOST_RANKS // topology.devices))
    columns = min(servers, 4)
    side = min(2.9, _WIDTH / columns)
    places: dict[int, Point] = {}
    boxes = []
    for server in range(servers):
        row, column = divmod(server, columns)
        left = (_WIDTH - columns * side) / 2 + column * side
        boxes.append((left, row * side, side))
        middle = (left + side / 2, (row + 0.5) * side)
        for device, place in enumerate(_circle(topology.devices, middle, 0.36 * side)):
            places[server * topology.devices + device] = place
    return Plan(places, tuple(boxes), side * -(-servers // columns))


def _one_circle(ranks: int) -> Plan:
    radius = 1.3 if ranks <= 16 else 1.75
    height = 2 * radius + 0.5
    places = _circle(ranks, (_WIDTH / 2, height / 2), radius)
    return Plan(dict(enumerate(places)), (), height)


def _circle(count: int, middle: Point, radius: float) -> list[Point]:
    """`count` points, the first at the top, clockwise."""
    angles = (2 * math.pi * k / count for k in range(count))
    x, y = middle
    return [(x + radius * math.sin(a), y - radius * math.cos(a)) for a in angles]


# ---------------------------------------------------------------------------- the marks
def _box(axes: Axes, box: tuple[float, float, float], ink: Ink) -> None:
    from matplotlib.patches import Rectangle

    left, top, side = box
    gap = 0.05
    shape = Rectangle(
        (left + gap, top + gap), side - 2 * gap, side - 2 * gap,
        fill=False, edgecolor=ink.faint, linewidth=0.8,
    )  # fmt: skip
    axes.add_patch(shape)


def _disc(axes: Axes, rank: int, x: float, y: float, ink: Ink) -> None:
    from matplotlib.patches import Circle

    from npusim.view.ink import words

    axes.add_patch(Circle((x, y), _DISC, facecolor=ink.faint, linewidth=0, zorder=3))
    style = {"ha": "center", "color": "#ffffff", "zorder": 4}
    words(axes, x, y, str(rank), ink, size=7, **style)


def _way(axes: Axes, start: Point, end: Point, one: LinkShare) -> None:
    """A bent line, so that the way back is seen beside it."""
    from matplotlib.patches import FancyArrowPatch

    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            connectionstyle="arc3,rad=0.12",
            shrinkA=8,
            shrinkB=8,
            arrowstyle="-|>",
            mutation_scale=6,
            zorder=2,
            color=COLOURS[one.inside],
            linewidth=0.5 + 2.5 * one.share,
            alpha=0.45 + 0.55 * one.share,
        )  # fmt: skip
    )


def _number(axes: Axes, start: Point, end: Point, text: str, ink: Ink) -> None:
    """Beside the middle of a way, on the side to which it bends."""
    from npusim.view.ink import words

    (x0, y0), (x1, y1) = start, end
    length = math.hypot(x1 - x0, y1 - y0)
    away = (0.06 * length + 0.12) / length
    x, y = (x0 + x1) / 2 + away * (y1 - y0), (y0 + y1) / 2 - away * (x1 - x0)
    words(axes, x, y, text, ink, size=7, ha="center", zorder=5)
