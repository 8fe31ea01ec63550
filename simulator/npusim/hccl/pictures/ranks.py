"""The timeline of the ranks: one row a rank, time in µs to the right.

In the upper half of a row stand its sends, in the lower half what it receives: stored
(green) or combined (orange); the pale end of a message is its latency. A strip in
the middle is computing, a thin line waiting in a call.
Left out: ranks beyond `MOST_ROWS`, unless they are asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from npusim.diagnostic.language import current, parts
from npusim.hccl.pictures.activity import FLIGHTS, KINDS, Activity, Span, activities
from npusim.profile.amounts import figures, share_text
from npusim.view.labels import LABELS
from npusim.view.shown import Shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from npusim.hccl.simulation import Outcome
    from npusim.view.ink import Ink

MOST_ROWS = 16
COLOURS = {
    "send": "#0072b2",
    "receive": "#009068",
    "reduce": "#d55e00",
    "compute": "#7b61c9",
    "wait": "#7f7f7f",
    **dict.fromkeys(FLIGHTS, "#ffffff99"),
}
_ORDER = ("send", "receive", "reduce", "wait", *FLIGHTS, "compute")
_PALE = "#99c7e0"  # the blue of sending below the white of FLIGHTS
_ROW_INCHES = 0.3
_MARGINS = (0.9, 0.3, 0.1, 0.8)
_PLACES = {  # kind → (top, height) in a row of height 1
    "send": (0.12, 0.36),
    "receive": (0.52, 0.36),
    "reduce": (0.52, 0.36),
    "compute": (0.38, 0.24),
    "wait": (0.47, 0.06),
    "send flight": (0.12, 0.36),
    "receive flight": (0.52, 0.36),
}


@dataclass(frozen=True, repr=False)
class RankTimeline(Shown):
    """The activity of some ranks of a run that took `time_us`."""

    rows: tuple[Activity, ...]
    ranks: int
    time_us: float
    language: str

    kind = "ranktimeline"

    @property
    def text(self) -> str:
        head = LABELS(
            "ranks_alt", self.language, shown=len(self.rows), ranks=self.ranks,
            time_us=figures(self.time_us),
        )  # fmt: skip
        return " ".join([head, *map(self._row_text, self.rows)])

    def _row_text(self, row: Activity) -> str:
        shares = {kind: share_text(self.share(row, kind)) for kind in KINDS}
        return LABELS("ranks_alt_row", self.language, rank=row.rank, **shares)

    def share(self, row: Activity, kind: str) -> float:
        """Share of the run in which the rank did this, 0 to 1."""
        return row.total_us(kind) / self.time_us if self.time_us else 0.0

    def table(self) -> str:
        """The shares of every row as text."""
        names = [LABELS(f"ranks_{kind}", self.language) for kind in KINDS]
        head = [LABELS("ranks_rank", self.language), *names]
        rows = [
            [str(r.rank), *(share_text(self.share(r, kind)) for kind in KINDS)]
            for r in self.rows
        ]
        return "\n".join("  ".join(f"{c:>9}" for c in row) for row in [head, *rows])

    # ------------------------------------------------------------------------ drawing
    def draw(self, ink: Ink) -> Figure:
        """One row a rank, the legend below."""
        from npusim.view.ink import canvas, ground, number_axis, words

        height = len(self.rows) * _ROW_INCHES
        figure, axes = canvas(height + _MARGINS[2] + _MARGINS[3], ink, _MARGINS)
        axes.set_xlim(0, self.time_us or 1.0)
        axes.set_ylim(len(self.rows), 0)
        axes.set_yticks([])
        for y, row in enumerate(self.rows):
            for kind in _ORDER:
                _bars(axes, y, kind, row.spans[kind])
            name = LABELS("ranks_row", self.language, rank=row.rank)
            place: dict[str, Any] = {"transform": axes.get_yaxis_transform()}
            words(axes, -0.01, y + 0.5, name, ink, ha="right", **place)
        ground(axes, ink)
        number_axis(axes.xaxis, ink, LABELS("us_axis", self.language))
        self._legend(figure, axes, ink)
        return figure

    def _legend(self, figure: Figure, axes: Axes, ink: Ink) -> None:
        from matplotlib.patches import Patch

        from npusim.view.ink import font

        seen = [k for k in KINDS if any(row.spans[k] for row in self.rows)]
        handles = [
            Patch(color=COLOURS[k], label=LABELS(f"ranks_{k}", self.language))
            for k in seen
        ]
        pale = LABELS("ranks_latency", self.language)
        handles.append(Patch(facecolor=_PALE, label=pale))
        legend = figure.legend(
            handles=handles, loc="lower right", ncols=len(handles),
            frameon=False, prop=font(8), borderaxespad=0.1,
        )  # fmt: skip
        for text in legend.get_texts():
            text.set_color(ink.text)


def _bars(axes: Axes, y: float, kind: str, spans: Sequence[Span]) -> None:
    top, height = _PLACES[kind]
    bars = [(begin, end - begin) for begin, end in spans]
    if bars:
        axes.broken_barh(
            bars, (y + top, height), facecolors=COLOURS[kind],
            edgecolors="none" if kind == "wait" else "#ffffff80", linewidth=0.4,
        )  # fmt: skip


def rank_timeline(
    outcome: Outcome, ranks: Sequence[int] | None = None, language: str | None = None
) -> RankTimeline:
    """The timeline of `ranks` (default: the first `MOST_ROWS`) of a run.

    ValueError for a rank that the run does not have."""
    reader = parts(language or current())[0]
    count = outcome.topology.ranks
    chosen = list(range(min(count, MOST_ROWS))) if ranks is None else list(ranks)
    for rank in chosen:
        if type(rank) is not int or not 0 <= rank < count:
            facts = {"rank": rank, "last": count - 1}
            raise ValueError(LABELS("error_rank", reader, **facts))
    rows = activities(outcome.messages, outcome.logs, outcome.topology, outcome.time_us)
    shown = tuple(rows[rank] for rank in chosen)
    return RankTimeline(shown, count, outcome.time_us, reader)
