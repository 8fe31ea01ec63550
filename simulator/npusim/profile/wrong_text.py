"""The report on a wrong answer as text and HTML, in the reader's language."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from npusim.diagnostic import render, render_html
from npusim.diagnostic.language import current
from npusim.diagnostic.render import place
from npusim.profile.words import Words, parts

if TYPE_CHECKING:
    from npusim.profile.wrong_answer import Divergence, WrongAnswer, WrongOutput

WORDS = Words("npusim.profile", "wrong.toml")
_SEPARATOR = {"en": "; ", "zh": "；"}
_COMMA = {"en": ", ", "zh": "、"}
_COLON = {"en": ": ", "zh": "："}


def report_text(report: WrongAnswer, language: str | None = None) -> str:
    """The whole report; `both` gives one language after the other."""
    return "\n\n".join(_text(report, one) for one in parts(language or current()))


def report_html(report: WrongAnswer, language: str | None = None) -> str:
    """The same with the suspects as boxes."""
    return "".join(_html(report, one) for one in parts(language or current()))


def _text(report: WrongAnswer, language: str) -> str:
    blocks = [[WORDS("stopped", language)]] if report.stopped else []
    for output in report.outputs:
        lines = _lines(output, language)
        for suspect in output.suspects:
            lines += ["", render(suspect, language)]
        blocks.append(lines)
    return "\n\n".join("\n".join(lines) for lines in blocks)


def _html(report: WrongAnswer, language: str) -> str:
    pieces = [f"<p>{escape(WORDS('stopped', language))}</p>"] if report.stopped else []
    for output in report.outputs:
        lines = [f"<div>{escape(line)}</div>" for line in _lines(output, language)]
        boxes = [render_html(suspect, language) for suspect in output.suspects]
        pieces.append("".join(lines + boxes))
    body = "".join(pieces)
    return f'<div class="npusim-wrong-answer" lang="{language}">{body}</div>'


def _lines(output: WrongOutput, language: str) -> list[str]:
    facts = {"output": output.name, "count": output.count, "total": output.total}
    facts |= {"rtol": output.rtol, "atol": output.atol}
    if output.first is None:
        return [WORDS("right", language, **facts)]
    lines = [WORDS("wrong", language, **facts)]
    lines += ["  " + line for line in _first(output.first, language)]
    lines.append(
        "  " + WORDS("pattern", language, patterns=_patterns(output, language))
    )
    if output.overwritten:
        names = _COMMA[language].join(output.overwritten)
        text = WORDS("overwritten", language, names=names, name=output.overwritten[0])
        lines.append("  " + text)
    lines.append(WORDS("suspects" if output.suspects else "unknown", language))
    return lines


def _first(first: Divergence, language: str) -> list[str]:
    index = first.index[0] if len(first.index) == 1 else first.index
    values = {"got": f"{first.got:.6g}", "expected": f"{first.expected:.6g}"}
    line = WORDS("first", language, index=index, **values)
    if first.where is None:
        return [line, WORDS("nobody", language)]
    spot = place(first.where, language) + _COLON[language] + first.where.text.strip()
    facts = {"block": first.block, "tile": first.tile, "operation": first.operation}
    return [line, WORDS("writer", language, place=spot, **facts)]


def _patterns(output: WrongOutput, language: str) -> str:
    if not output.patterns:
        return WORDS("scattered", language)
    return _SEPARATOR[language].join(
        WORDS(name, language, **_shown(facts, language), last_tile=output.last_tile)
        for name, facts in output.patterns
    )


def _shown(facts: dict, language: str) -> dict:
    """The facts with lists as a reader reads them."""
    return {
        key: _COMMA[language].join(map(str, value))
        if isinstance(value, list)
        else value
        for key, value in facts.items()
    }
