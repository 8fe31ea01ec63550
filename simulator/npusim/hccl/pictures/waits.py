"""The wait-for graph: ranks in a circle, an arrow to each rank that one waits for.

A rank that waits is blue, one that returned grey, one that raised red, one that works
green; those that differ from the many have a ring. Below stand the last common call,
the first one at which the ranks part, the likely cause and its cure. `wait_steps` walks
through the run: one graph for each moment at which a rank called, returned or ended.
Left out: ranks beyond `MOST_RANKS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from npusim.diagnostic.language import current, parts
from npusim.hccl.calls import Call, RankLog
from npusim.hccl.pictures.linkmap import _circle as circle
from npusim.hccl.waitfor import Report, Row, report
from npusim.profile.amounts import figures
from npusim.view.fonts import FONT_FILE
from npusim.view.labels import LABELS
from npusim.view.shown import Shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from npusim.view.ink import Ink

MOST_RANKS = 32
COLOURS = {
    "waiting": "#0072b2",
    "finished": "#7f7f7f",
    "raised": "#c0392b",
    "running": "#009068",
}
_DIFFERS = "#d55e00"
_WIDTH, _HEIGHT, _LINE, _RADIUS = 8.8, 2.9, 0.19, 1.1  # inches
_LETTERS = {"en": 105, "zh": 58}  # in a line below the graph


@dataclass(frozen=True, repr=False)
class WaitGraph(Shown):
    """The graph of one report; `final`: at the end, so that a cause is named."""

    report: Report
    language: str
    final: bool = True

    kind = "waitgraph"

    @property
    def lines(self) -> list[str]:
        """Time and number of waiting ranks; at the end also what the report says."""
        waiting = sum(row.state == "waiting" for row in self.report.rows)
        head = LABELS(
            "wait_head", self.language, time_us=figures(self.report.time_us),
            count=waiting, ranks=len(self.report.rows),
        )  # fmt: skip
        more = len(self.report.rows) - MOST_RANKS
        hidden = [LABELS("wait_more", self.language, count=more)] if more > 0 else []
        said = self.report.verdict(self.language) if self.final else []
        return [head, *hidden, *said]

    @property
    def text(self) -> str:
        rows = self.report.text(self.language).splitlines()[1 : 1 + len(self._shown)]
        return " ".join([*self.lines, *(row.strip() for row in rows)])

    @property
    def _shown(self) -> Sequence[Row]:
        return self.report.rows[:MOST_RANKS]

    # ------------------------------------------------------------------------ drawing
    def draw(self, ink: Ink) -> Figure:
        """Arrows, discs with the number of the rank, the legend, the lines below."""
        from npusim.view.ink import canvas, words

        width = _LETTERS.get(self.language, _LETTERS["en"])
        drawn = map(_drawable, self.lines)
        lines = [part for line in drawn for part in wrap(line, width)]
        below = _LINE * len(lines) + 0.1
        figure, axes = canvas(_HEIGHT + below, ink, (0.1, 0.1, 0.0, below))
        axes.set_xlim(0, _WIDTH)
        axes.set_ylim(_HEIGHT, 0)
        axes.set_axis_off()
        places = circle(len(self._shown), (_WIDTH / 2, _HEIGHT / 2), _RADIUS)
        for source, target in self.report.edges:
            if max(source, target) < len(places):
                _arrow(axes, places[source], places[target], ink)
        for row, place in zip(self._shown, places, strict=True):
            _disc(axes, row, place, self.final and row.rank in self.report.ranks, ink)
        self._legend(axes, ink)
        for number, line in enumerate(lines):
            y = _HEIGHT + _LINE * (number + 0.5)
            words(axes, 0.05, y, line, ink, size=9, clip_on=False)
        return figure

    def _legend(self, axes: Axes, ink: Ink) -> None:
        from npusim.view.ink import words

        for number, (state, colour) in enumerate(COLOURS.items()):
            y = 0.25 + 0.24 * number
            axes.plot([0.15], [y], "o", color=colour, markersize=7)
            words(axes, 0.3, y, LABELS(f"wait_{state}", self.language), ink, size=8)
        y = 0.25 + 0.24 * len(COLOURS)
        axes.plot([0.15], [y], "o", mfc="none", mec=_DIFFERS, mew=2, markersize=8)
        words(axes, 0.3, y, LABELS("wait_differs", self.language), ink, size=8)


def _drawable(line: str) -> str:
    """The line with "?" for what the font lacks: an error may say anything."""
    from matplotlib.ft2font import FT2Font

    known = FT2Font(str(FONT_FILE)).get_charmap()
    return "".join(letter if ord(letter) in known else "?" for letter in line)


def _arrow(axes: Axes, start: Any, end: Any, ink: Ink) -> None:
    from matplotlib.patches import FancyArrowPatch

    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            connectionstyle="arc3,rad=0.1",
            arrowstyle="-|>",
            shrinkA=11,
            shrinkB=12,
            mutation_scale=9,
            color=ink.faint,
            linewidth=1.1,
        )  # fmt: skip
    )


def _disc(axes: Axes, row: Row, place: Any, differs: bool, ink: Ink) -> None:
    from matplotlib.patches import Circle

    from npusim.view.ink import words

    edge: dict[str, Any] = (
        {"edgecolor": _DIFFERS, "linewidth": 2.6} if differs else {"linewidth": 0}
    )
    disc = Circle(place, 0.14, facecolor=COLOURS[row.state], zorder=3, **edge)
    axes.add_patch(disc)
    style: dict[str, Any] = {"ha": "center", "color": "#ffffff", "zorder": 4}
    x, y = place
    words(axes, x, y, str(row.rank), ink, size=8, **style)


# --------------------------------------------------------------------------- over time
@dataclass(frozen=True)
class WaitSteps:
    """One graph for each of `times_us`."""

    report: Report
    times_us: tuple[float, ...]
    language: str

    def at(self, step: int) -> WaitGraph:
        """The graph of a step, 0 … last; ValueError for any other number."""
        last = len(self.times_us) - 1
        if type(step) is not int or not 0 <= step <= last:
            raise ValueError(LABELS("error_step", self.language, step=step, last=last))
        if step == last:
            return WaitGraph(self.report, self.language)
        time_us = self.times_us[step]
        then = [_until(log, time_us) for log in self.report.logs]
        known = report(then, time_us, self.report.groups)
        return WaitGraph(known, self.language, final=False)

    def widget(self) -> Any:
        """An ipywidgets box: the slider over the moments, the graph below."""
        import ipywidgets

        slider = ipywidgets.SelectionSlider(
            options=[(figures(t), n) for n, t in enumerate(self.times_us)],
            description=LABELS("link_head", self.language), continuous_update=False,
            layout=ipywidgets.Layout(width="80%"),
        )  # fmt: skip
        shown = ipywidgets.HTML(self.at(0)._repr_html_())

        def turn(_: Any) -> None:
            shown.value = self.at(slider.value)._repr_html_()

        slider.observe(turn, names="value")
        return ipywidgets.VBox([slider, shown])

    def __repr__(self) -> str:
        graphs = (self.at(step) for step in range(len(self.times_us)))
        return "\n".join(line for graph in graphs for line in graph.lines)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        last = self.at(len(self.times_us) - 1)
        page = f"{last._repr_html_()}<pre>{escape(repr(self))}</pre>"
        plain = {"text/plain": repr(self), "text/html": page}
        try:
            return {**self.widget()._repr_mimebundle_(), **plain}
        except ImportError:
            return plain


def _until(log: RankLog, time_us: float) -> RankLog:
    """What the log said at a time."""
    ended = log.ended_us is not None and log.ended_us <= time_us
    return replace(
        log,
        calls=[_call_until(c, time_us) for c in log.calls if c.begin_us <= time_us],
        heartbeats=[beat for beat in log.heartbeats if beat[0] <= time_us],
        state=log.state if ended else "running",
        error=log.error if ended else None,
    )


def _call_until(call: Call, time_us: float) -> Call:
    done = call.end_us is not None and call.end_us <= time_us
    return replace(call, end_us=call.end_us if done else None)


def wait_graph(known: Report, language: str | None = None) -> WaitGraph:
    """The wait-for graph of a report."""
    return WaitGraph(known, parts(language or current())[0])


def wait_steps(known: Report, language: str | None = None) -> WaitSteps:
    """The graph over time, with a slider."""
    reader = parts(language or current())[0]
    times = {call.begin_us for log in known.logs for call in log.calls}
    times |= {c.end_us for log in known.logs for c in log.calls if c.end_us is not None}
    times |= {log.ended_us for log in known.logs if log.ended_us is not None}
    return WaitSteps(known, (*sorted(times - {known.time_us}), known.time_us), reader)
