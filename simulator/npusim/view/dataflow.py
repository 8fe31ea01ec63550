"""`run.dataflow(tile=0)`: the way of one tile through the machine.

Boxes are arrays in GM and buffers in UB; an arrow is an instruction that reads one and
writes the other, labelled with its name, its pipe's colour and the bytes it moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from npusim.core.stream import Access
from npusim.diagnostic.language import current, parts
from npusim.launch import Run
from npusim.profile.amounts import nbytes_text
from npusim.profile.table import PIPE_COLOURS
from npusim.timing import ClassTiming
from npusim.view.labels import LABELS
from npusim.view.lives import place_of, places
from npusim.view.shown import Shown
from npusim.view.tiles import tile_indices

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from npusim.view.ink import Ink

Node = tuple[str, str]  # memory, name
_ROW_INCHES = 0.62
_BOX = 0.30  # half height of a box, in rows
_WIDE = 0.36  # half width of a box, in columns


@dataclass(frozen=True)
class Arrow:
    """One instruction of the tile: what it reads and writes, its bytes."""

    name: str
    pipe: str
    line: int
    reads: tuple[Node, ...]
    writes: tuple[Node, ...]
    nbytes: int


@dataclass(frozen=True, repr=False)
class DataFlow(Shown):
    """The instructions of one tile of one block, in program order."""

    kernel: str
    block: int
    tile: int
    arrows: tuple[Arrow, ...]
    language: str

    kind = "dataflow"

    @property
    def text(self) -> str:
        head = LABELS("flow_alt", self.language, kernel=self.kernel, tile=self.tile,
                      block=self.block)  # fmt: skip
        return " ".join([head, *(self._row(arrow) for arrow in self.arrows)])

    def _row(self, arrow: Arrow) -> str:
        return LABELS(
            "flow_row", self.language, name=arrow.name, pipe=arrow.pipe,
            line=arrow.line, nbytes=nbytes_text(arrow.nbytes),
            reads=", ".join(map(" ".join, arrow.reads)) or "–",
            writes=", ".join(map(" ".join, arrow.writes)) or "–",
        )  # fmt: skip

    def columns(self) -> dict[Node, int]:
        """Column of each box: sources in 0, each box right of what it is made from."""
        found: dict[Node, int] = {}
        for arrow in self.arrows:
            for node in arrow.reads:
                found.setdefault(node, 0)
            deepest = max((found[node] for node in arrow.reads), default=0)
            for node in arrow.writes:
                if node not in found:
                    found[node] = deepest + 1
        return found

    def draw(self, ink: Ink) -> Figure:
        """Boxes by column, arrows between them."""
        from npusim.view.ink import canvas

        columns = self.columns()
        rows = _rows(columns)
        height = max(rows.values(), default=0) + 1
        figure, axes = canvas(height * _ROW_INCHES + 0.5, ink, (0.3, 0.3, 0.3, 0.2))
        axes.spines["bottom"].set_visible(False)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_xlim(-0.5, max(columns.values(), default=0) + 0.5)
        axes.set_ylim(height - 0.4, -0.6)
        places = {node: (float(columns[node]), rows[node]) for node in columns}
        _arrows(axes, self.arrows, places, ink)
        for node, place in places.items():
            _box(axes, node, place, ink)
        return figure


def _rows(columns: dict[Node, int]) -> dict[Node, float]:
    """Row of each box: those of a column below one another, columns centred."""
    members: dict[int, list[Node]] = {}
    for node, column in columns.items():
        members.setdefault(column, []).append(node)
    most = max((len(nodes) for nodes in members.values()), default=0)
    return {
        node: index + (most - len(nodes)) / 2
        for nodes in members.values()
        for index, node in enumerate(nodes)
    }


def _box(axes: Axes, node: Node, place: tuple[float, float], ink: Ink) -> None:
    from matplotlib.patches import FancyBboxPatch

    from npusim.view.drawable import drawable
    from npusim.view.ink import words

    x, y = place
    memory, name = node
    axes.add_patch(
        FancyBboxPatch(
            (x - _WIDE, y - _BOX), 2 * _WIDE, 2 * _BOX, linewidth=1.2,
            boxstyle="round,pad=0,rounding_size=0.06", edgecolor=ink.text,
            facecolor=_FILL.get(memory, "#80808018"),
        )
    )  # fmt: skip
    words(axes, x, y, drawable(f"{memory}  {name}"), ink, ha="center")


_FILL = {"GM": "#0072b230", "UB": "#d55e0024"}


def _arrows(
    axes: Axes,
    arrows: tuple[Arrow, ...],
    places: dict[Node, tuple[float, float]],
    ink: Ink,
) -> None:
    from npusim.view.ink import words

    labels: dict[tuple[float, float], list[str]] = {}
    for arrow in arrows:
        colour = PIPE_COLOURS[arrow.pipe]
        for target in arrow.writes:
            for source in arrow.reads:
                if source != target:
                    _line(axes, places[source], places[target], colour)
            x, y = places[target]
            labels.setdefault((x, y), []).append(arrow.name)
    for (x, y), names in labels.items():
        shown = names if len(names) <= 3 else [*names[:3], f"+{len(names) - 3}"]
        words(axes, x, y - _BOX - 0.11, " · ".join(shown), ink, ha="center", size=7)


def _line(
    axes: Axes, start: tuple[float, float], end: tuple[float, float], colour: str
) -> None:
    side = 1 if end[0] > start[0] else -1
    axes.annotate(
        "", (end[0] - side * _WIDE, end[1]), (start[0] + side * _WIDE, start[1]),
        arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.6},
    )  # fmt: skip


# ------------------------------------------------------------------------- collecting
class _Naming:
    """One name for each place: a buffer of UB keeps the names of all its tensors."""

    def __init__(self, part: ClassTiming):
        self.places = places(part)
        self.starts = [place.start for place in self.places]

    def node(self, access: Access) -> Node:
        if access.space != "UB":
            return access.space, access.name
        names = self.places[place_of(access, self.starts)].names
        return "UB", " = ".join(names[:2])

    def nodes(self, accesses: tuple[Access, ...]) -> tuple[Node, ...]:
        used = (self.node(a) for a in accesses if a.total_nbytes)
        return tuple(dict.fromkeys(used))


def dataflow(
    run: Run, tile: int = 0, block: int = 0, language: str | None = None
) -> DataFlow:
    """The way of tile `tile` of `block`; ValueError where one of them is not there."""
    from npusim.view.stepping import class_of

    reader = parts(language or current())[0]
    part = class_of(run, block, reader)
    steps = list(part.stream.steps())
    chosen = [steps[i] for i in tile_indices(steps, tile, reader)]
    locations, naming = run.execution.program.locations, _Naming(part)
    arrows = tuple(
        Arrow(
            step.name, step.pipe, locations[step.where].line,
            naming.nodes(step.reads), naming.nodes(step.writes),
            sum(a.total_nbytes for a in (step.writes or step.reads)),
        )
        for step in chosen
    )  # fmt: skip
    return DataFlow(run.kernel, block, tile, arrows, reader)
