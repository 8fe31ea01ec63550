"""What all pictures share: themes, the shipped font, plain axes.

Only `Figure` objects, no pyplot and no backend choice: nothing of the notebook's own
matplotlib state is read or changed. Ink is chosen by theme; the pipes' colours have a
contrast of at least 3 to 1 on white and on JupyterLab's dark background, and are told
apart by colour-blind readers (they also differ in place and in a label).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.ticker import FuncFormatter, MaxNLocator

from npusim.view.fonts import FONT_FILE

WIDTH_INCHES = 9.0


@dataclass(frozen=True)
class Ink:
    """Colours of what is not a bar."""

    text: str
    faint: str
    background: str


THEMES = {
    "inherit": Ink("#010203", "#808080", "none"),
    "light": Ink("#1f2328", "#808080", "#ffffff"),
    "dark": Ink("#e6e6e6", "#808080", "#111111"),
}


def font(size: float) -> FontProperties:
    """The shipped font, which has every label's glyphs."""
    return FontProperties(fname=str(FONT_FILE), size=size)


def canvas(
    height_inches: float,
    ink: Ink,
    margins: tuple[float, float, float, float] = (1.3, 0.45, 0.3, 0.55),
) -> tuple[Figure, Axes]:
    """A figure with one axes; margins in inches: left, right, top, bottom."""
    left, right, top, bottom = margins
    figure = Figure((WIDTH_INCHES, height_inches), dpi=96)
    figure.patch.set_facecolor(ink.background)
    axes = figure.add_axes((
        left / WIDTH_INCHES,
        bottom / height_inches,
        (WIDTH_INCHES - left - right) / WIDTH_INCHES,
        (height_inches - top - bottom) / height_inches,
    ))  # fmt: skip
    axes.set_facecolor("none")
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(ink.faint)
    axes.spines["bottom"].set_linewidth(0.8)
    return figure, axes


def number_axis(axis: Any, ink: Ink, label: str = "", most: int = 8) -> None:
    """Round ticks, thousands separated, in the theme's ink."""
    axis.set_major_locator(MaxNLocator(most))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.12g}"))
    ink_axis(axis, ink, label)


def ink_axis(axis: Any, ink: Ink, label: str = "") -> None:
    """Ticks and label of an axis in the theme's ink and the shipped font."""
    axis.set_tick_params(color=ink.faint, labelcolor=ink.text, length=3)
    for text in axis.get_ticklabels():
        text.set_fontproperties(font(8))
    if label:
        axis.set_label_text(label, color=ink.text, fontproperties=font(9))


def words(axes: Axes, x: float, y: float, text: str, ink: Ink, **style: Any) -> None:
    """Text in the shipped font, in data coordinates unless `transform` says other."""
    size = style.pop("size", 8)
    style.setdefault("color", ink.text)
    style.setdefault("va", "center")
    axes.text(x, y, text, fontproperties=font(size), **style)


def ground(axes: Axes, ink: Ink, axis: str = "x") -> None:
    """Faint grid lines behind everything else."""
    axes.grid(axis=axis, color=ink.faint, alpha=0.25, linewidth=0.6)  # type: ignore[arg-type]
    axes.set_axisbelow(True)
