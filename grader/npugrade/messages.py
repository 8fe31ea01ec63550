"""The judge's sentences in English and Chinese: templates in `messages.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from npusim.diagnostic.render import source_name

LANGUAGES = ("en", "zh")
Text = Mapping[str, str]
# Control characters but tab and newline, lone surrogates (no file in UTF-8 can hold
# them), and the marks that turn the direction of a line.
_UNPRINTABLE = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u2069]"
)


@cache
def table() -> Mapping[str, Text]:
    """All templates by key."""
    file = resources.files("npugrade").joinpath("messages.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def say(key: str, **facts: Any) -> Text:
    """The sentence `key` in every language, filled with `facts`.

    A fact may itself be a Text; each language then takes its own. KeyError: no such
    sentence, or a fact is missing.
    """
    entry = table()[key]
    return {
        language: plain(entry[language].format(**_in(language, facts)))
        for language in LANGUAGES
    }


def plain(text: str) -> str:
    """`text` without what a page, a terminal or a file cannot show as it is."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def same(text: str) -> Text:
    """A text that reads the same in every language (code, names, numbers)."""
    return dict.fromkeys(LANGUAGES, text)


def join(texts: list[Text], separator: str = "\n") -> Text:
    """Several texts as one, language by language."""
    return {lang: separator.join(t[lang] for t in texts) for lang in LANGUAGES}


def _in(language: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value[language]
        if isinstance(value, Mapping)
        else _word(language, name, value)
        for name, value in facts.items()
    }


def _word(language: str, name: str, value: Any) -> Any:
    """A fact as a reader of `language` calls it: the label of a source is a word."""
    return source_name(value, language) if name == "label" else value
