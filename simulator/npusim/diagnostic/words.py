"""Words and sentences as a table: key → one template per language.

The table is a TOML file; templates take facts by `str.format`. Facts that are words
themselves are looked up by the caller. A reader's language may be `both`: then whole
views, not single words, are shown one after the other (`language.parts`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib.resources import files
from typing import Any


class Words:
    """The table in file `name` of `package`; `words("key", "en", fact=…)` is a text."""

    def __init__(self, package: str, name: str):
        text = files(package).joinpath(name).read_text(encoding="utf-8")
        self._table: dict[str, dict[str, str]] = tomllib.loads(text)

    def __call__(self, key: str, language: str, **facts: Any) -> str:
        """The text for `key` in `en` or `zh`; an unknown one is a KeyError."""
        return self._table[key][language].format(**facts)

    def __contains__(self, key: str) -> bool:
        return key in self._table

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def characters(self) -> set[str]:
        """Every character of every template: what a font must be able to draw."""
        return {
            c for row in self._table.values() for text in row.values() for c in text
        }
