"""`run.roofline(*others)`: how near the roofs a run is, and a ladder of attempts.

The horizontal axis is arithmetic intensity (floating-point operations a byte of GM
moved), the vertical one the rate. Slanted roofs are the bandwidths of HBM and of L2,
the flat one is the vector unit: one operation a lane and cycle on every core. Runs are
numbered in the order given and joined by a line. A run without floating-point work has
no place here and is named in the words only. Bandwidths and widths: the chip file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from npusim.chip import Chip
from npusim.diagnostic.language import current, parts
from npusim.launch import Run
from npusim.profile.amounts import figures, share_text
from npusim.profile.blockfacts import block_ids, facts_of
from npusim.profile.table import PIPE_COLOURS
from npusim.view.labels import LABELS
from npusim.view.shown import Shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from npusim.view.ink import Ink

_FP32_NBYTES = 4
_HEIGHT_INCHES = 4.2


@dataclass(frozen=True)
class Attempt:
    """One run: operations a byte, rate in GFLOP/s, share of the roofline, time."""

    intensity: float
    rate: float
    share: float
    time_us: float


@dataclass(frozen=True)
class Roofs:
    """GB/s of HBM and L2, GFLOP/s of all vector lanes in fp32."""

    hbm: float
    l2: float
    vector: float

    @classmethod
    def of(cls, chip: Chip) -> Roofs:
        lanes = chip.constant("repeat") / _FP32_NBYTES
        vector = lanes * chip.vector_cores * chip.clock_ghz
        return cls(chip.constant("hbm_read"), chip.constant("l2_read"), vector)


@dataclass(frozen=True, repr=False)
class Roofline(Shown):
    """The roofs of a chip and the attempts under them."""

    kernel: str
    chip: str
    roofs: Roofs
    attempts: tuple[Attempt, ...]
    language: str

    kind = "roofline"

    @property
    def text(self) -> str:
        head = LABELS(
            "roof_alt", self.language, chip=self.chip, hbm=figures(self.roofs.hbm),
            l2=figures(self.roofs.l2), vector=figures(self.roofs.vector),
        )  # fmt: skip
        rows = (
            LABELS(
                "roof_row" if one.intensity else "roof_nothing", self.language,
                number=number, time_us=figures(one.time_us),
                share=share_text(one.share), intensity=figures(one.intensity),
                rate=figures(one.rate),
            )
            for number, one in enumerate(self.attempts, 1)
        )  # fmt: skip
        return " ".join([head, *rows])

    def draw(self, ink: Ink) -> Figure:
        """Both axes logarithmic; attempts as numbered points."""
        from npusim.view.ink import canvas

        figure, axes = canvas(_HEIGHT_INCHES, ink, (0.9, 0.45, 0.3, 0.6))
        axes.set_xscale("log")
        axes.set_yscale("log")
        shown = [one for one in self.attempts if one.intensity]
        low = min([0.05, *(one.intensity / 2 for one in shown)])
        high = 4 * self.roofs.vector / self.roofs.hbm
        high = max([high, *(one.intensity * 2 for one in shown)])
        floor = min([low * self.roofs.hbm / 4, *(one.rate / 2 for one in shown)])
        axes.set_xlim(low, high)
        axes.set_ylim(floor, 3 * self.roofs.vector)
        self._roofs(axes, low, high, ink)
        self._points(axes, ink)
        self._axes(axes, ink)
        return figure

    def _roofs(self, axes: Axes, low: float, high: float, ink: Ink) -> None:
        from npusim.view.ink import words

        top = self.roofs.vector
        for name, rate, style in (
            ("HBM", self.roofs.hbm, "-"), ("L2", self.roofs.l2, "--"),
        ):  # fmt: skip
            knee = top / rate
            colour = PIPE_COLOURS["MTE2"]
            axes.plot(
                (low, knee), (low * rate, top), style, color=colour, linewidth=1.5
            )
            label = f"{name} {figures(rate)} GB/s"
            words(axes, low * 5, low * 5 * rate * 1.6, label, ink, ha="right")
        axes.plot((top / self.roofs.l2, high), (top, top), color=PIPE_COLOURS["V"],
                  linewidth=1.5)  # fmt: skip
        label = LABELS("roof_vector", self.language, rate=figures(top))
        words(axes, high / 1.1, top * 1.4, label, ink, ha="right")

    def _points(self, axes: Axes, ink: Ink) -> None:
        from npusim.view.ink import words

        shown = [(n, one) for n, one in enumerate(self.attempts, 1) if one.intensity]
        x, y = [o.intensity for _, o in shown], [o.rate for _, o in shown]
        axes.plot(x, y, "o-", color=ink.text, markersize=7, linewidth=1, alpha=0.85)
        for number, one in shown:
            place = one.intensity * 1.12
            words(axes, place, one.rate, f"{number}", ink, ha="left", size=9)

    def _axes(self, axes: Axes, ink: Ink) -> None:
        from matplotlib.ticker import FuncFormatter, NullFormatter

        from npusim.view.ink import ground, ink_axis

        ground(axes, ink, "both")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.12g}"))
            axis.set_minor_formatter(NullFormatter())
            axis.set_tick_params(which="minor", color=ink.faint, length=2)
        ink_axis(axes.xaxis, ink, LABELS("roof_x", self.language))
        ink_axis(axes.yaxis, ink, LABELS("roof_y", self.language))


def attempt_of(run: Run) -> Attempt:
    """Where a run stands under the roofs."""
    flops = sum(f.flops * len(block_ids(f.part)) for f in facts_of(run))
    nbytes = run.nbytes_read + run.nbytes_written
    return Attempt(
        flops / nbytes if nbytes else 0.0,
        flops / run.time_us / 1e3 if run.time_us else 0.0,
        run.floor_us / run.time_us if run.time_us else 0.0,
        run.time_us,
    )


def roofline(run: Run, *others: Run, language: str | None = None) -> Roofline:
    """This run and others on one picture, numbered in the order given.

    Runs on different chips have different roofs: ValueError.
    """
    reader = parts(language or current())[0]
    chips = sorted({one.chip for one in (run, *others)})
    if len(chips) > 1:
        raise ValueError(LABELS("error_chips", reader, chips=", ".join(chips)))
    attempts = tuple(map(attempt_of, (run, *others)))
    roofs = Roofs.of(run.execution.chip)
    return Roofline(run.kernel, chips[0], roofs, attempts, reader)
