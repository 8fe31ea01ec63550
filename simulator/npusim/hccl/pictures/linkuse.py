"""The links over time: one map for each window, a slider to walk through them.

Without a notebook `view.at(2)` gives the map of window 2, and `view.table()` the same
as numbers. Windows have equal lengths and together cover the whole run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from npusim.diagnostic.language import current, parts
from npusim.hccl.events import Message
from npusim.hccl.pictures.linkmap import LinkMap
from npusim.hccl.pictures.shares import link_shares
from npusim.hccl.topology import Topology
from npusim.profile.amounts import figures, share_text
from npusim.view.labels import LABELS

MOST_WINDOWS = 200


@dataclass(frozen=True)
class LinkUse:
    """`windows` maps of equal length from 0 to `end_us`."""

    messages: tuple[Message, ...]
    topology: Topology
    windows: int
    end_us: float
    language: str

    def at(self, window: int) -> LinkMap:
        """The map of a window, 0 … windows - 1; ValueError for any other number."""
        if type(window) is not int or not 0 <= window < self.windows:
            facts = {"window": window, "last": self.windows - 1}
            raise ValueError(LABELS("error_link_window", self.language, **facts))
        start = self.end_us * window / self.windows
        end = self.end_us * (window + 1) / self.windows
        shares = link_shares(self.messages, self.topology, start, end)
        return LinkMap(self.topology, tuple(shares), start, end, self.language)

    def table(self) -> str:
        """For each window and kind of link the share of its busiest way."""
        maps = [self.at(window) for window in range(self.windows)]
        kinds = sorted({s.link for one in maps for s in one.shares})
        head = [LABELS("link_head", self.language), *kinds]
        rows = [[_span(one), *(_most(one, kind) for kind in kinds)] for one in maps]
        return "\n".join("  ".join(f"{cell:>15}" for cell in r) for r in [head, *rows])

    # ------------------------------------------------------------------------ showing
    def html(self, window: int) -> str:
        """The map of a window as it stands below the slider."""
        return self.at(window)._repr_html_()

    def widget(self) -> Any:
        """An ipywidgets box: the slider over the windows, the map below."""
        import ipywidgets

        maps = map(self.at, range(self.windows))
        slider = ipywidgets.SelectionSlider(
            options=[(_span(one), number) for number, one in enumerate(maps)],
            description=LABELS("link_head", self.language), continuous_update=False,
            layout=ipywidgets.Layout(width="80%"),
        )  # fmt: skip
        shown = ipywidgets.HTML(self.html(0))

        def turn(_: Any) -> None:
            shown.value = self.html(slider.value)

        slider.observe(turn, names="value")
        return ipywidgets.VBox([slider, shown])

    def __repr__(self) -> str:
        facts = {"windows": self.windows, "end": figures(self.end_us)}
        return LABELS("link_alt", self.language, **facts) + "\n" + self.table()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        page = f"{self.html(0)}<pre>{escape(self.table())}</pre>"
        plain = {"text/plain": repr(self), "text/html": page}
        try:
            return {**self.widget()._repr_mimebundle_(), **plain}
        except ImportError:
            return plain


def _span(one: LinkMap) -> str:
    return f"{one.start_us:,.1f} – {one.end_us:,.1f}"


def _most(one: LinkMap, kind: str) -> str:
    shares = [s.share for s in one.shares if s.link == kind]
    return share_text(max(shares, default=0.0))


def link_use(
    messages: Sequence[Message],
    topology: Topology,
    windows: int = 8,
    language: str | None = None,
) -> LinkUse:
    """The links of a run or of a replayed schedule over time.

    ValueError if there is no message, or for fewer than one window."""
    reader = parts(language or current())[0]
    if not messages:
        raise ValueError(LABELS("error_no_message", reader))
    if type(windows) is not int or not 1 <= windows <= MOST_WINDOWS:
        facts = {"windows": windows, "most": MOST_WINDOWS}
        raise ValueError(LABELS("error_link_windows", reader, **facts))
    end_us = max(one.end_us for one in messages)
    return LinkUse(tuple(messages), topology, windows, end_us, reader)
