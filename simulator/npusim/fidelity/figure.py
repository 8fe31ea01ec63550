"""Figures of the report: predicted over measured, and the Add ladder step by step."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from npusim.fidelity.ladders import tasks
from npusim.fidelity.report import Section
from npusim.view.svg import to_svg

MARKS = "osv^D<>px*h"


def figures(sections: Sequence[Section]) -> dict[str, str]:
    """SVG texts by file name."""
    by_name = {section.group.name: section for section in sections}
    kernels = [s for s in sections if s.results and s.results[0].unit == "us"]
    drawn = {"kernels.svg": to_svg(scatter(kernels), "predicted over measured times")}
    if "add_ladder" in by_name:
        picture = ladder(by_name["add_ladder"])
        drawn["add-ladder.svg"] = to_svg(picture, "Add ladder, published and simulated")
    return drawn


def _axes(width: float, height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width, height), layout="constrained")
    figure.patch.set_alpha(0.0)
    return figure, figure.add_subplot()


def scatter(sections: Sequence[Section]) -> Figure:
    """Predicted over measured time in microseconds, both logarithmic."""
    figure, axes = _axes(6.4, 5.0)
    for mark, section in zip(MARKS * 2, sections, strict=False):
        rows = [r for r in section.results if r.measured < 1e5]
        axes.plot(
            [r.measured for r in rows],
            [r.predicted for r in rows],
            mark,
            markersize=4,
            label=section.group.name,
            alpha=0.7,
        )
    line = [1.0, 1e4]
    axes.plot(line, line, "-", color="grey", linewidth=1)
    axes.plot(line, [1.35 * x for x in line], ":", color="grey", linewidth=1)
    axes.plot(line, [x / 1.35 for x in line], ":", color="grey", linewidth=1)
    axes.set(xscale="log", yscale="log", xlabel="measured, us", ylabel="predicted, us")
    axes.set_title("dotted: 35 % off", fontsize=9)
    axes.legend(fontsize=7)
    return figure


def ladder(section: Section) -> Figure:
    """Task Duration of each step, published beside simulated."""
    figure, axes = _axes(6.4, 3.2)
    rows = tasks(list(section.results))
    places = range(len(rows))
    left, right = [p - 0.2 for p in places], [p + 0.2 for p in places]
    axes.bar(left, [r.measured for r in rows], 0.4, label="published")
    axes.bar(right, [r.predicted for r in rows], 0.4, label="simulated")
    axes.set(yscale="log", ylabel="Task Duration, us", xlabel="step")
    axes.set_xticks(list(places), [str(p) for p in places])
    axes.legend(fontsize=8)
    return figure
