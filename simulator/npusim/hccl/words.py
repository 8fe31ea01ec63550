"""Every text of this floor in English and Chinese, from `words.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from npusim.diagnostic import language

LANGUAGES = ("en", "zh")


@cache
def _table() -> Mapping[str, Mapping[str, str]]:
    text = (resources.files(__package__) / "words.toml").read_text("utf-8")
    return tomllib.loads(text)


def texts(key: str, **facts: Any) -> dict[str, str]:
    """Language → the text `key` with its facts; KeyError for an unknown key."""
    entry = _table()[key]
    return {one: entry[one].format(**facts) for one in LANGUAGES}


def say(key: str, **facts: Any) -> str:
    """The text in the session's language ("both": one line after the other)."""
    return chosen(texts(key, **facts))


def chosen(both: Mapping[str, str]) -> str:
    """Of two texts the one in the session's language."""
    current = language.current()
    wanted = LANGUAGES if current == "both" else (current,)
    return "\n".join(both[one] for one in wanted)
