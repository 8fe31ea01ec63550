"""Figures as bytes: SVG that takes the theme's colour, or PNG; the same every time.

matplotlib's SVG is made fit to stand inside an HTML page: without prolog, without the
style sheet that would reach other pictures of the page, with a text alternative.
"""

from __future__ import annotations

import io
import re
from html import escape

import matplotlib
from matplotlib.figure import Figure

SALT = "npusim"
INHERITED = "#010203"  # drawn where the page's own text colour shall stand
_STYLE = re.compile(
    r"<defs>\s*<style type=\"text/css\">.*?</style>\s*</defs>", re.DOTALL
)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_PROLOG = re.compile(r"^.*?(?=<svg )", re.DOTALL)
_PATH = re.compile(r'(?<= d=")[^"]*(?=")')
_LONG = re.compile(r"(\d\.\d\d)\d+")
_SIZE = re.compile(r'width="([\d.]+)pt" height="([\d.]+)pt"')


def to_svg(figure: Figure, alternative: str) -> str:
    """One `<svg>` element; `alternative` is read by screen readers."""
    out = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": SALT, "svg.fonttype": "path"}):
        figure.savefig(out, format="svg", metadata={"Date": None})
    text = _PROLOG.sub("", out.getvalue(), count=1)
    text = _METADATA.sub("", _STYLE.sub("", text, count=1), count=1)
    text = _PATH.sub(lambda path: _LONG.sub(r"\1", path[0]), text)  # 1/100 point
    text = text.replace(INHERITED, "currentColor")
    label = escape(alternative, quote=True)
    head = f'<svg role="img" aria-label="{label}" stroke-linejoin="round" '
    return _SIZE.sub(r'width="\1pt" style="max-width:100%;height:auto"',
                     text.replace("<svg ", head, 1), count=1)  # fmt: skip


def to_png(figure: Figure, dpi: int = 110) -> bytes:
    """PNG bytes at `dpi` pixels an inch."""
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=dpi, metadata={"Software": None})
    return out.getvalue()
