"""Templates of messages: `str.format` placeholders, words, units and optional parts.

    {nbytes}          the fact as it stands; a missing fact shows as "?"
    {count:,}         any format spec of Python
    {kind:word}       a word of the vocabulary below, in the reader's language
    {address:hex}     0x1fff
    {names:list}      values joined as the language joins them
    {plan:plan}       rows (name, num, nbytes) of buffers in UB
    {states:states}   rows (slot, state) of a queue's buffers
    [[… {line} …]]    left out where one of its facts is missing

A template never raises for a fact that is missing or of an unexpected type: a message
about a learner's mistake must not become a second mistake.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping
from typing import Any

MISSING = "?"
_OPTIONAL = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)

WORDS: Mapping[str, tuple[str, str]] = {
    "read": ("read", "读"),
    "write": ("write", "写"),
    "free": ("free", "空闲"),
    "allocated": ("allocated", "已分配"),
    "queued": ("queued", "已入队"),
    "taken": ("taken", "已出队"),
}


def _word(value: Any, language: str) -> str:
    pair = WORDS.get(str(value).lower())
    return str(value) if pair is None else pair[language == "zh"]


def _hex(value: Any, language: str) -> str:
    return f"{int(value):#x}"


def _list(value: Any, language: str) -> str:
    items = [value] if isinstance(value, str) else list(value)
    return _comma(language).join(str(item) for item in items)


def _plan(value: Any, language: str) -> str:
    rows = (f"{name} {num} × {nbytes:,} B" for name, num, nbytes in value)
    return _comma(language).join(rows)


def _states(value: Any, language: str) -> str:
    rows = (f"{slot}: {_word(state, language)}" for slot, state in value)
    return _comma(language).join(rows)


def _comma(language: str) -> str:
    return "、" if language == "zh" else ", "


SPECS: Mapping[str, Callable[[Any, str], str]] = {
    "word": _word,
    "hex": _hex,
    "list": _list,
    "plan": _plan,
    "states": _states,
}


class _Formatter(string.Formatter):
    """Fills one template in one language; remembers which facts were missing."""

    def __init__(self, language: str):
        self.language = language
        self.missing: list[str] = []

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> tuple[Any, str]:
        value = kwargs.get(field_name)
        if value is None:
            self.missing.append(field_name)
        return value, field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        if value is None:
            return MISSING
        try:
            special = SPECS.get(format_spec)
            if special is not None:
                return special(value, self.language)
            return format(value, format_spec)
        except (TypeError, ValueError):
            return str(value)


def fill(template: str, facts: Mapping[str, Any], language: str) -> str:
    """`template` with `facts` in `language`; a missing fact shows as `?`."""
    pieces = _OPTIONAL.split(template)  # plain, optional, plain, …
    return "".join(
        _fill_piece(piece, facts, language, optional=index % 2 == 1)
        for index, piece in enumerate(pieces)
    )


def _fill_piece(
    piece: str, facts: Mapping[str, Any], language: str, *, optional: bool
) -> str:
    formatter = _Formatter(language)
    text = formatter.vformat(piece, (), facts)
    return "" if optional and formatter.missing else text


def facts_used(template: str, *, required_only: bool = False) -> set[str]:
    """Names of the facts a template uses; without those of its optional parts."""
    text = (
        _OPTIONAL.sub("", template) if required_only else _OPTIONAL.sub(r"\1", template)
    )
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}
