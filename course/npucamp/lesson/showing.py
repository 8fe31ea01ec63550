"""How a helper shows itself: as text anywhere, as HTML or a widget in a notebook.

Texts of data files may hold `code` and **strong**, nothing else. Colours are those of
the page (light or dark); only a thin bar at the left carries a meaning, and a sign
says the same.
"""

from __future__ import annotations

import re
import sys
from html import escape
from typing import Any

from npusim.diagnostic.language import parts

BARS = {"right": "#2a9d5c", "wrong": "#d1495b", "note": "#3b82c4"}
SIGNS = {"right": "✓", "wrong": "✗", "note": "·"}
_CODE = re.compile(r"`([^`]+)`")
_STRONG = re.compile(r"\*\*([^*]+)\*\*")
STYLE = """<style>
.npucamp label, .npucamp .widget-label-basic {
  height: auto !important; white-space: normal !important; line-height: 1.45 !important;
  margin-bottom: 4px; overflow: visible;
}
.npucamp .widget-radio-box { height: auto !important; }
.npucamp .widget-radio-box label {
  display: flex; flex-direction: row-reverse; justify-content: flex-end;
  align-items: flex-start; gap: 8px; width: 100%;
}
.npucamp .widget-radio-box input { margin: -1px 0 0 0 !important; flex: none; }
.npucamp .widget-html-content { line-height: 1.45; }
.npucamp input:focus-visible, .npucamp button:focus-visible {
  outline: 2px solid #3b82c4; outline-offset: 2px;
}
</style>"""


class Shown:
    """Base of what helpers return: `text()`, `html()` and, if any, `widget()`."""

    def text(self) -> str:
        """All of it as plain text."""
        raise TypeError(f"{type(self).__name__} shows no text")

    def html(self) -> str:
        """All of it as HTML, for a page without widgets."""
        return f"<pre>{escape(self.text())}</pre>"

    def widget(self) -> Any | None:
        """An ipywidgets object, None where there is nothing to press."""
        return None

    def __repr__(self) -> str:
        return written(self.text())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        plain: dict[str, Any] = {"text/plain": repr(self), "text/html": self.html()}
        try:
            widget = self.widget() if has_front_end() else None
        except ImportError:
            return plain
        return {**widget._repr_mimebundle_(), **plain} if widget else plain


def has_front_end() -> bool:
    """Whether this runs in a kernel: what is pressed on a page can reach it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


def in_language(text: Any, language: str) -> str:
    """A bilingual text (`.en`, `.zh`) in `language`, both where that is "both"."""
    return "\n".join(getattr(text, one) for one in parts(language))


def written(text: str) -> str:
    """A text of a data file as plain text: `code` keeps its marks."""
    return _STRONG.sub(r"\1", text.strip())


def inline(text: str) -> str:
    """A text of a data file as HTML."""
    made = _CODE.sub(r"<code>\1</code>", escape(text.strip(), quote=False))
    return _STRONG.sub(r"<b>\1</b>", made).replace("\n", "<br>")


def unmarked(text: str) -> str:
    """A text of a data file where no mark-up is shown, as in the label of a control."""
    return _STRONG.sub(r"\1", _CODE.sub(r"\1", text.strip())).replace("\n", " ")


def block(kind: str, *lines: str) -> str:
    """HTML lines beside a bar, kind "right", "wrong" or "note"."""
    style = f"border-left:3px solid {BARS[kind]};padding:2px 10px;margin:4px 0"
    body = "".join(f"<div>{line}</div>" for line in lines)
    return f'<div role="status" style="{style};line-height:1.45">{body}</div>'
