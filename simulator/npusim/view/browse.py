"""`run.browse()`: walk through a run's events without a second program.

A core, a window in time and a pipe are chosen with controls; the picture shows the
window, and a table lists its events: when, what, which source line, how many bytes, and
what each waited for. `view.events(core, start, end, pipe)` gives the same rows as data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

from npusim.diagnostic.language import current, parts
from npusim.launch import Event, Run
from npusim.profile.amounts import count_text
from npusim.view.labels import LABELS
from npusim.view.lanes import plans
from npusim.view.timeline import timeline

_MOST_ROWS = 40


@dataclass(frozen=True)
class Browser:
    """The events of one run, by core."""

    run: Run
    language: str

    @cached_property
    def cores(self) -> list[int]:
        """The cores that ran a block."""
        return sorted(plans(self.run))

    @cached_property
    def _by_core(self) -> dict[int, list[Event]]:
        found: dict[int, list[Event]] = {}
        for event in self.run.events():
            found.setdefault(event.core, []).append(event)
        return found

    def last_cycle(self, core: int) -> float:
        return max((e.end_cycle for e in self._by_core.get(core, ())), default=0.0)

    def events(
        self, core: int, start: float, end: float, pipe: str | None = None
    ) -> list[Event]:
        """Events of a core that are open in the window, in time order."""
        inside = [
            event
            for event in self._by_core.get(core, ())
            if event.end_cycle > start
            and event.start_cycle < end
            and pipe in (None, event.pipe)
        ]
        return sorted(inside, key=lambda event: (event.start_cycle, event.pipe))

    # ------------------------------------------------------------------------ showing
    def html(self, core: int, start: float, end: float, pipe: str | None = None) -> str:
        """Picture and table of a window."""
        window = timeline(self.run, core, start, max(end, start + 1.0), self.language)
        found = self.events(core, start, end, pipe)
        return f"{window.svg('inherit')}{self._table(found)}"

    def _table(self, found: Sequence[Event]) -> str:
        heads = ("when", "pipe", "instruction", "line_head", "bytes", "waited")
        head = "".join(f"<th>{escape(LABELS(h, self.language))}</th>" for h in heads)
        rows = "".join(map(self._row, found[:_MOST_ROWS]))
        note = LABELS(
            "browse_count", self.language, shown=min(len(found), _MOST_ROWS),
            count=count_text(len(found)),
        )  # fmt: skip
        return (
            f"<div style='opacity:.75'>{escape(note)}</div>"
            f"<table class='npusim-events'><tr>{head}</tr>{rows}</table>"
        )

    def _row(self, event: Event) -> str:
        key = f"wait_{event.wait or 'none'}"
        reason = LABELS(key, self.language) if key in LABELS else event.wait
        cells = (
            f"{event.start_cycle:,.1f} – {event.end_cycle:,.1f}",
            event.pipe,
            event.name,
            str(event.line),
            count_text(event.nbytes),
            reason,
        )
        return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"

    def widget(self) -> Any:
        """An ipywidgets box: core, pipe, window; the picture and the table below."""
        import ipywidgets

        wide = ipywidgets.Layout(width="95%")
        core = ipywidgets.Dropdown(
            options=self.cores, description=LABELS("balance_axis", self.language)
        )
        pipes = sorted({event.pipe for event in self._by_core.get(core.value, ())})
        every = LABELS("every_pipe", self.language)
        pipe = ipywidgets.Dropdown(
            options=[(every, ""), *((p, p) for p in pipes)],
            description=LABELS("pipe", self.language),
        )
        last = max(1.0, self.last_cycle(core.value))
        window = ipywidgets.FloatRangeSlider(
            value=(0.0, last), min=0.0, max=last, step=max(1.0, last // 500),
            description=LABELS("cycles", self.language), continuous_update=False,
            readout_format=",.0f", layout=wide,
        )  # fmt: skip
        shown = ipywidgets.HTML(self.html(core.value, 0.0, last))

        def turn(_: Any) -> None:
            start, end = window.value
            shown.value = self.html(core.value, start, end, pipe.value or None)

        for control in (core, pipe, window):
            control.observe(turn, names="value")
        return ipywidgets.VBox([ipywidgets.HBox([core, pipe]), window, shown])

    def __repr__(self) -> str:
        return LABELS(
            "browse_alt", self.language, kernel=self.run.kernel,
            cores=len(self.cores), count=count_text(len(self.run.events())),
        )  # fmt: skip

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        plain: dict[str, Any] = {"text/plain": repr(self)}
        if not self.cores:
            return plain
        core = self.cores[0]
        plain["text/html"] = self.html(core, 0.0, max(1.0, self.last_cycle(core)))
        try:
            return {**self.widget()._repr_mimebundle_(), **plain}
        except ImportError:
            return plain


def browse(run: Run, language: str | None = None) -> Browser:
    """The trace browser of a run."""
    return Browser(run, parts(language or current())[0])
