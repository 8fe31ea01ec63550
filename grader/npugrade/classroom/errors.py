"""The one error of class commands: a sentence in English and Chinese.

Sentences live in `messages.toml`. Leaves out diagnostics of kernels, which are the
simulator's, and verdicts, which are the judge's.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from npusim.diagnostic.language import current as current_language


class ClassError(Exception):
    """A class command cannot go on; `str()` is the sentence for a person."""

    def __init__(self, key: str, **facts: Any):
        self.key = key
        super().__init__(sentence(key, **facts))


def sentence(key: str, language: str | None = None, **facts: Any) -> str:
    """The sentence `key` with its facts, in `language` or the one in force."""
    entry = _catalogue()[key]
    return "\n".join(entry[name].format(**facts) for name in languages_of(language))


def languages_of(language: str | None = None) -> tuple[str, ...]:
    """The languages to show, in order: `both` is English, then Chinese."""
    chosen = language or current_language()
    return ("en", "zh") if chosen == "both" else (chosen,)


@cache
def _catalogue() -> dict[str, dict[str, str]]:
    text = (files(__package__) / "messages.toml").read_text("utf-8")
    return tomllib.loads(text)
