"""A Diagnostic as text or HTML, in English or Chinese.

    E ASC-MTE-01  Cell [5], line 7 (core 3): data_copy length 22 B is not a multiple …
        asc.data_copy(x_local, x_global, 11)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      cause: …
      hint: …

The caret line counts characters as displayed: wide ones (Chinese, full-width forms)
take two columns, combining ones none. The language is always an argument; nothing here
reads a locale. A code that the catalogue lacks, or a fact that a template misses, still
gives a message.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from npusim.diagnostic.catalogue import CATALOGUE, Entry
from npusim.diagnostic.language import parts
from npusim.diagnostic.model import Diagnostic, Location
from npusim.diagnostic.template import fill

_LABELS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "cause": "cause: ",
        "hint": "hint: ",
        "core": " (core {core})",
        "block": " (block {block}, core {core})",
        "colon": ": ",
        "related": "see also",
        "cell": "{label}, line {line}",
        "file": "{label}:{line}",
    },
    "zh": {
        "cause": "原因：",
        "hint": "建议：",
        "core": "（核 {core}）",
        "block": "（block {block}，核 {core}）",
        "colon": "：",
        "related": "另见",
        "cell": "{label} 第 {line} 行",
        "file": "{label}:{line}",
    },
}
_CELL = re.compile(r"Cell( \[\d+\])?")
_CELL_WORD = {"en": "Cell", "zh": "单元"}
# JupyterLab breaks the lines of a <pre> inside words; prose is not to be broken at all
# but between words, a source line and its caret never.
_PROSE = "white-space:pre-wrap;word-break:normal;overflow-wrap:break-word"
_SOURCE = "white-space:pre;overflow-x:auto;font-family:monospace"
_COLOURS = {"E": "#c62828", "W": "#b26a00", "P": "#1565c0"}
TAB_COLUMNS = 4


# ------------------------------------------------------------------------- the parts
def display_width(text: str) -> int:
    """Columns that `text` takes on a terminal or in a notebook's fixed-width font."""
    return sum(_character_width(character) for character in text)


def _character_width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) == "Cf":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def source_lines(where: Location) -> tuple[str, str]:
    """The source line without its indentation, and the caret line under its columns."""
    text = where.text.rstrip("\r\n").replace("\t", " " * TAB_COLUMNS)
    shift = where.text[: where.column].count("\t") * (TAB_COLUMNS - 1)
    column, end = where.column + shift, where.end_column + shift
    indent = len(text) - len(text.lstrip())
    column = min(max(column, indent), len(text))
    end = min(max(end, column), len(text))
    before = display_width(text[indent:column])
    carets = max(1, display_width(text[column:end]))
    return text[indent:].rstrip(), " " * before + "^" * carets


def place(where: Location, language: str) -> str:
    """`Cell [5], line 7` in a notebook, `file:line` elsewhere."""
    kind = "cell" if where.label.startswith(("Cell", "In [")) else "file"
    label = source_name(where.label, language)
    return _LABELS[language][kind].format(label=label, line=where.line)


def source_name(label: str, language: str) -> str:
    """A source as a reader calls it: `Cell [5]` is 单元 [5] in Chinese."""
    cell = _CELL.fullmatch(label)
    return label if cell is None else _CELL_WORD[language] + (cell.group(1) or "")


def texts(diagnostic: Diagnostic, language: str) -> dict[str, str]:
    """Filled `title`, `message`, `cause` and `hint` (empty where there is none)."""
    entry = _entry(diagnostic)
    if entry is None:
        return {
            "title": diagnostic.code,
            "message": _facts_as_text(diagnostic.facts),
            "cause": "",
            "hint": "",
        }
    return {
        key: fill(getattr(entry, key).get(language, ""), diagnostic.facts, language)
        for key in ("title", "message", "cause", "hint")
    }


def _entry(diagnostic: Diagnostic) -> Entry | None:
    entry = CATALOGUE.get(diagnostic.code)
    return None if entry is None else entry.variant(diagnostic.facts)


def _facts_as_text(facts: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in facts.items())


def _header(diagnostic: Diagnostic, language: str) -> str:
    labels = _LABELS[language]
    spot = place(diagnostic.where, language) if diagnostic.where else ""
    spot += _core(diagnostic, labels)
    return f"{spot.strip()}{labels['colon']}" if spot else ""


def _core(diagnostic: Diagnostic, labels: Mapping[str, str]) -> str:
    """Where it ran: block and core are one number unless blocks run in waves."""
    block, cores = diagnostic.core, diagnostic.facts.get("cores_of_chip")
    if block is None:
        return ""
    if not isinstance(cores, int):
        return labels["core"].format(core=block)
    return labels["block"].format(block=block, core=block % cores)


def _related(diagnostic: Diagnostic, language: str) -> list[tuple[str, Location]]:
    entry = _entry(diagnostic)
    captions = entry.related.get(language, ()) if entry else ()
    captions = captions or (_LABELS[language]["related"],)
    return [
        (captions[min(index, len(captions) - 1)], where)
        for index, where in enumerate(diagnostic.related)
    ]


# ----------------------------------------------------------------------------- text
def render(diagnostic: Diagnostic, language: str = "en") -> str:
    """The message: header, source line, caret, places, cause, hint.

    `language`: `en`, `zh`, or `both` (one after the other).
    """
    return "\n".join(_text(diagnostic, one) for one in parts(language))


def _text(diagnostic: Diagnostic, language: str) -> str:
    labels = _LABELS[language]
    text = texts(diagnostic, language)
    head = f"{diagnostic.severity} {diagnostic.code}  "
    lines = [head + _header(diagnostic, language) + text["message"]]
    if diagnostic.where is not None:
        lines += _indented_source(diagnostic.where, 4)
    for caption, where in _related(diagnostic, language):
        lines.append(f"  {caption}{labels['colon']}{place(where, language)}")
        lines += _indented_source(where, 4)
    lines += [f"  {labels[k]}{text[k]}" for k in ("cause", "hint") if text[k]]
    return "\n".join(lines)


def _indented_source(where: Location, indent: int) -> list[str]:
    if not where.text.strip():
        return []
    return [" " * indent + line for line in source_lines(where)]


def render_all(diagnostics: Iterable[Diagnostic], language: str = "en") -> str:
    """Several messages, an empty line between them."""
    return "\n\n".join(render(d, language) for d in diagnostics)


# ----------------------------------------------------------------------------- HTML
def render_html(diagnostic: Diagnostic, language: str = "en") -> str:
    """The message as compact, escaped HTML for a notebook; languages as `render`."""
    return "".join(_html(diagnostic, one) for one in parts(language))


def _html(diagnostic: Diagnostic, language: str) -> str:
    labels = _LABELS[language]
    text = texts(diagnostic, language)
    colour = _COLOURS.get(diagnostic.severity, _COLOURS["E"])
    head = f"{diagnostic.severity} {diagnostic.code}"
    lines = [
        f'<div style="{_PROSE}"><b style="color:{colour}">{escape(head)}</b> '
        f"{escape(_header(diagnostic, language) + text['message'])}</div>"
    ]
    if diagnostic.where is not None:
        lines.append(_html_source(diagnostic.where))
    for caption, where in _related(diagnostic, language):
        spot = f"{caption}{labels['colon']}{place(where, language)}"
        lines.append(_html_line("", spot) + _html_source(where))
    lines += [_html_line(labels[k], text[k]) for k in ("cause", "hint") if text[k]]
    style = f"border-left:3px solid {colour};padding:2px 8px;margin:4px 0"
    body = "".join(lines)
    return (
        f'<div class="npusim-diagnostic" lang="{language}" style="{style}">{body}</div>'
    )


def _html_line(label: str, text: str) -> str:
    name = f"<i>{escape(label)}</i>" if label else ""
    return f'<div style="{_PROSE}">{name}{escape(text)}</div>'


def _html_source(where: Location) -> str:
    if not where.text.strip():
        return ""
    source = escape("\n".join(source_lines(where)))
    return f'<pre style="margin:2px 0 2px 16px;{_SOURCE}">{source}</pre>'
