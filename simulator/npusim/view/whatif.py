"""`what_if(launch, tile=…, buffers=…)`: turn a knob, see the kernel change.

`launch` is any function that takes the named values and returns a Run. Each knob is a
list of choices; with ipywidgets every knob is a slider over its choices, and below them
stand the time, the share of the roofline, the picture and the settings tried so far.
Without a notebook `view.at(tile=4096)` gives the same Run. Runs are kept, so that going
back costs nothing; a setting that the simulator refuses shows its message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from npusim.diagnostic import KernelError
from npusim.diagnostic.language import current, parts
from npusim.launch import Run
from npusim.profile.amounts import figures, share_text
from npusim.view.labels import LABELS
from npusim.view.summary import error_html
from npusim.view.timeline import timeline

_BAR_PX = 220
_MOST_TRIED = 8
Setting = tuple[Any, ...]


@dataclass
class WhatIf:
    """The knobs and what was tried with them."""

    launch: Callable[..., Run]
    knobs: Mapping[str, Sequence[Any]]
    language: str
    tried: dict[Setting, Run] = field(default_factory=dict)

    def at(self, **values: Any) -> Run:
        """The Run at these values; knobs not named stand at their first choice.

        ValueError for an unknown knob or a value that is not among its choices.
        """
        for name, value in values.items():
            if name not in self.knobs or value not in self.knobs[name]:
                choices = self.knobs.get(name, list(self.knobs))
                shown = ", ".join(map(str, choices))
                key = "error_choice" if name in self.knobs else "error_knob"
                facts = {"name": name, "value": value, "choices": shown}
                raise ValueError(LABELS(key, self.language, **facts))
        setting = tuple(values.get(n, c[0]) for n, c in self.knobs.items())
        if setting not in self.tried:
            self.tried[setting] = self.launch(
                **dict(zip(self.knobs, setting, strict=True))
            )
        return self.tried[setting]

    # ------------------------------------------------------------------------ showing
    def html(self, **values: Any) -> str:
        """The picture at these values, or the message of a refused launch."""
        try:
            run = self.at(**values)
        except KernelError as error:
            return error_html(error, self.language)
        picture = timeline(run, language=self.language).svg("inherit")
        return f"{self._headline(run)}{picture}{self._ladder(run)}"

    def _headline(self, run: Run) -> str:
        text = LABELS(
            "what_if_time", self.language, time_us=figures(run.time_us),
            share=share_text(run.floor_us / run.time_us), bound=run.bound,
        )  # fmt: skip
        return f"<div style='font-size:110%'><b>{escape(text)}</b></div>"

    def _ladder(self, shown: Run) -> str:
        """The settings tried, the fastest at the bottom, the shown one marked."""
        order = sorted(self.tried.items(), key=lambda item: -item[1].time_us)
        slowest = order[0][1].time_us
        rows = "".join(
            self._rung(setting, run, slowest, run is shown)
            for setting, run in order[-_MOST_TRIED:]
        )
        title = escape(LABELS("what_if_tried", self.language))
        return f"<div style='opacity:.75'>{title}</div><table>{rows}</table>"

    def _rung(self, setting: Setting, run: Run, slowest: float, now: bool) -> str:
        names = ", ".join(f"{n}={v}" for n, v in zip(self.knobs, setting, strict=True))
        width = _BAR_PX * run.time_us / slowest
        floor = _BAR_PX * run.floor_us / slowest
        weight = "bold" if now else "normal"
        return (
            f"<tr style='background:none;font-weight:{weight}'>"
            f"<td style='text-align:left'>{escape(names)}</td>"
            f"<td style='text-align:left;width:{_BAR_PX}px'>"
            f"<span style='display:block;height:9px;width:{width:.0f}px;"
            f"background:linear-gradient(90deg,#0072b2 {floor:.0f}px,"
            f"#0072b266 {floor:.0f}px)'></span></td>"
            f"<td>{figures(run.time_us)} µs</td></tr>"
        )

    def widget(self) -> Any:
        """An ipywidgets box: one slider a knob, the picture below."""
        import ipywidgets

        sliders = {
            name: ipywidgets.SelectionSlider(
                options=[(str(c), c) for c in choices], value=choices[0],
                description=name, continuous_update=False,
                layout=ipywidgets.Layout(width="60%"),
            )
            for name, choices in self.knobs.items()
        }  # fmt: skip
        shown = ipywidgets.HTML(self.html())

        def turn(_: Any) -> None:
            shown.value = self.html(**{n: s.value for n, s in sliders.items()})

        for slider in sliders.values():
            slider.observe(turn, names="value")
        return ipywidgets.VBox([*sliders.values(), shown])

    def __repr__(self) -> str:
        between = LABELS("what_if_between", self.language)
        knobs = between.join(
            LABELS(
                "what_if_knob",
                self.language,
                name=name,
                choices=", ".join(map(str, choices)),
            )  # fmt: skip
            for name, choices in self.knobs.items()
        )
        return LABELS("what_if_alt", self.language, knobs=knobs)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        plain = {"text/plain": repr(self), "text/html": self.html()}
        try:
            return {**self.widget()._repr_mimebundle_(), **plain}
        except ImportError:
            return plain


def what_if(
    launch: Callable[..., Run], *, language: str | None = None, **knobs: Sequence[Any]
) -> WhatIf:
    """Knobs over `launch(**values) -> Run`; each knob is a list of at least one choice.

    ValueError for a knob without choices and where there is no knob.
    """
    reader = parts(language or current())[0]
    choices = {name: list(values) for name, values in knobs.items()}
    empty = [name for name, values in choices.items() if not values]
    if empty or not choices:
        raise ValueError(
            LABELS("error_no_choice", reader, name=", ".join(empty) or "–")
        )
    return WhatIf(launch, choices, reader)
