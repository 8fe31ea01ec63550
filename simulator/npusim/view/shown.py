"""A picture of a run: shows itself in a notebook, can be saved, can be read aloud.

A picture is a figure for a theme and the same facts in words (`text`), which a screen
reader gets and which stands folded below the picture. Equal runs give equal bytes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from npusim.view.labels import LABELS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from npusim.view.ink import Ink

FORMATS = (".svg", ".png", ".pdf")


class Shown(ABC):
    """Base of every picture; `language` is the reader's."""

    language: str
    kind = "picture"  # class of the element in a page

    @abstractmethod
    def draw(self, ink: Ink) -> Figure:
        """A new matplotlib Figure in this ink."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The picture in words."""

    def figure(self, theme: str = "light") -> Figure:
        """A new matplotlib Figure; `theme`: light, dark, or inherit (the page's)."""
        from npusim.view.ink import THEMES

        if theme not in THEMES:
            facts = {"theme": repr(theme), "themes": ", ".join(THEMES)}
            raise ValueError(LABELS("error_theme", self.language, **facts))
        return self.draw(THEMES[theme])

    def svg(self, theme: str = "inherit") -> str:
        """One `<svg>` element; equal runs give equal text."""
        from npusim.view.svg import to_svg

        return to_svg(self.figure(theme), self.text)

    def png(self, theme: str = "light", dpi: int = 110) -> bytes:
        """PNG bytes."""
        from npusim.view.svg import to_png

        return to_png(self.figure(theme), dpi)

    def savefig(self, path: str | PathLike[str], theme: str = "light") -> Path:
        """Write .svg, .png or .pdf; the path written. Another suffix: ValueError."""
        target = Path(path)
        if target.suffix not in FORMATS:
            formats = ", ".join(FORMATS)
            raise ValueError(
                LABELS("error_format", self.language, name=target.name, formats=formats)
            )
        if target.suffix == ".svg":
            target.write_text(self.svg(theme), encoding="utf-8", newline="\n")
        elif target.suffix == ".png":
            target.write_bytes(self.png(theme))
        else:
            self.figure(theme).savefig(target, metadata={"CreationDate": None})
        return target

    # ------------------------------------------------------------- in a notebook
    def __repr__(self) -> str:
        return self.text

    @cached_property
    def _inline(self) -> str:
        return self.svg("inherit")

    def _repr_html_(self) -> str:
        summary = escape(LABELS("text_form", self.language))
        return (
            f"<figure class='npusim-{self.kind}' lang='{self.language}' "
            "style='margin:6px 0'>"
            f"{self._inline}<details><summary style='opacity:.75'>{summary}</summary>"
            f"{escape(self.text)}</details></figure>"
        )

    def _repr_svg_(self) -> str:
        return self.svg("light")

    def _repr_png_(self) -> bytes:
        return self.png("light")
