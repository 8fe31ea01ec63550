"""`run.step()`: the instructions of one block, one after another, with a slider.

Each step shows its source line, pipe, what it reads and writes, its cycles, what it
waited for, and after it: queues, flags, the first values of the tensors it touched.
With ipywidgets a slider (the arrow keys move it) walks through them; in plain text
`describe(i)` gives the same facts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

from npusim.core.stream import Access, Step
from npusim.diagnostic import Location
from npusim.diagnostic.language import current, parts
from npusim.diagnostic.render import place, source_lines
from npusim.launch import Run
from npusim.timing import TICKS_PER_CYCLE, ClassTiming
from npusim.view.labels import LABELS
from npusim.view.rerun import SHOWN, Moment, Rerun


@dataclass(frozen=True)
class StepView:
    """The steps of one block; `len(view)` of them, `view.rows(i)` describes one."""

    part: ClassTiming
    locations: tuple[Location, ...]
    block: int
    language: str
    rerun: Rerun

    @cached_property
    def steps(self) -> list[Step]:
        return list(self.part.stream.steps())

    def __len__(self) -> int:
        return len(self.steps)

    def rows(self, index: int) -> list[tuple[str, str]]:
        """`(name, value)` of every fact about step `index` (from 0)."""
        step = self.steps[index]
        start, end = self._cycles(index)
        facts = {
            "instruction": step.name,
            "pipe": step.pipe,
            "reads": self._memory(step.reads),
            "writes": self._memory(step.writes),
            "when": f"{start:,.1f} – {end:,.1f} ({end - start:,.1f})",
            "waited": self._wait(index),
            **self._state(index),
        }
        return [(LABELS(key, self.language), value) for key, value in facts.items()]

    def _state(self, index: int) -> dict[str, str]:
        """Queues, flags and values after the step, or why they are not shown."""
        moment = self.rerun.at(index)
        if moment is None:
            reason = self.rerun.hidden or "values_waiting"
            return {"values": LABELS(reason, self.language)}
        facts = {"values": self._values(index, moment)}
        if moment.queues:
            facts["queues"] = "; ".join(
                f"{name}: " + ", ".join(state for _, state in states)
                for name, states in moment.queues.items()
            )
        if moment.flags:
            facts["flags"] = ", ".join(
                f"{event} {number} ×{count}"
                for (event, number), count in sorted(moment.flags.items())
            )
        return facts

    def _values(self, index: int, moment: Moment) -> str:
        """The first values of every tensor of local memory that the step touches."""
        step, shown = self.steps[index], {}
        for access in (*step.reads, *step.writes):
            values = self.rerun.values(moment, access)
            if values:
                more = " …" if len(values) >= SHOWN or access.count > 1 else ""
                shown[access.name] = ", ".join(map(_number, values)) + more
        return "; ".join(f"{name} = [{text}]" for name, text in shown.items()) or "–"

    def title(self, index: int) -> str:
        """Which step of how many, of which block, and its place in the source."""
        where = self.locations[self.steps[index].where]
        return LABELS(
            "step_of", self.language, step=index + 1, total=len(self),
            block=self.block, place=place(where, self.language),
        )  # fmt: skip

    def describe(self, index: int) -> str:
        """One step as text: title, place, source line with caret, facts."""
        where = self.locations[self.steps[index].where]
        source = [f"    {line}" for line in source_lines(where)]
        facts = [
            f"  {LABELS('fact', self.language, name=name, value=value)}"
            for name, value in self.rows(index)
        ]
        return "\n".join([self.title(index), *source, *facts])

    def html(self, index: int) -> str:
        """One step as HTML."""
        where = self.locations[self.steps[index].where]
        source = escape("\n".join(source_lines(where)))
        head = escape(self.title(index))
        body = "".join(map(_row, self.rows(index)))
        return (
            f"<div lang='{self.language}'>{head}"
            f"<pre style='margin:4px 0;font-family:monospace'>{source}</pre>"
            f"<table style='border-collapse:collapse'>{body}</table></div>"
        )

    def widget(self) -> Any:
        """An ipywidgets box: a slider over the steps, the description below."""
        import ipywidgets

        slider = ipywidgets.IntSlider(
            value=1, min=1, max=len(self), description=LABELS("step", self.language),
            continuous_update=True, layout=ipywidgets.Layout(width="90%"),
        )  # fmt: skip
        shown = ipywidgets.HTML(self.html(0))
        slider.observe(
            lambda change: setattr(shown, "value", self.html(change["new"] - 1)),
            names="value",
        )
        return ipywidgets.VBox([slider, shown])

    # ------------------------------------------------------------- in a notebook
    def __repr__(self) -> str:
        return self.describe(0) if len(self) else LABELS("no_steps", self.language)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """The widget where ipywidgets is here; the first step as HTML and as text."""
        plain = {"text/plain": repr(self)}
        if not len(self):
            return plain
        plain["text/html"] = self.html(0)
        try:
            return {**self.widget()._repr_mimebundle_(), **plain}
        except ImportError:
            return plain

    # ------------------------------------------------------------------- one fact
    def _cycles(self, index: int) -> tuple[float, float]:
        return (
            self.part.start_ticks[index] / TICKS_PER_CYCLE,
            self.part.end_ticks[index] / TICKS_PER_CYCLE,
        )

    def _memory(self, accesses: Iterable[Access]) -> str:
        return ", ".join(
            LABELS(
                "memory", self.language,
                nbytes=f"{a.total_nbytes:,} B", space=a.space, name=a.name,
            )
            for a in accesses
        ) or "–"  # fmt: skip

    def _wait(self, index: int) -> str:
        reason = self.part.waits[index] or "none"
        key = f"wait_{reason}"
        return LABELS(key, self.language) if key in LABELS else reason


def _number(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def _row(fact: tuple[str, str]) -> str:
    name, value = map(escape, fact)
    style = "text-align:left;padding:1px 12px 1px 0"
    return (
        "<tr style='background:none'>"
        f"<th scope='row' style='{style};font-weight:normal;opacity:.75'>{name}</th>"
        f"<td style='{style}'>{value}</td></tr>"
    )


def class_of(run: Run, block: int, language: str) -> ClassTiming:
    """The timing class of `block`; a block that did not run is a ValueError."""
    for part in run.timing.classes:
        if block in part.blocks:
            return part
    last = run.blocks - 1
    raise ValueError(LABELS("error_block", language, block=block, last=last))


def step(run: Run, block: int = 0, language: str | None = None) -> StepView:
    """The step view of `block`; a block that did not run is a ValueError."""
    reader = parts(language or current())[0]
    part = class_of(run, block, reader)
    locations = run.execution.program.locations
    return StepView(part, locations, block, reader, Rerun(run, part, block))
