"""The catalogue: one entry per code, with its sentences in English and Chinese.

Entries are data (`*.toml` beside this file), read when the first one is looked up.
Severity, title, message, cause and hint belong to a code; a fact `reason` picks one of
the entry's `variants`, which replace single texts. `sample` (and a variant's `sample`)
holds real facts; the tests render every message with them. Codes carry the number of
the mistake they are about and never change meaning. The nouns (illegal read, misaligned
access, uninitialized read, RAW/WAR/WAW hazard, PIPE_x) are those that msSanitizer's
public documentation uses, so that a web search for a message still finds help.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from npusim.diagnostic.language import WRITTEN as LANGUAGES

TEXTS = ("title", "message", "cause", "hint")
Text = Mapping[str, str]
_NO_TEXT: Text = {"en": "", "zh": ""}


@dataclass(frozen=True)
class Entry:
    """One code: its default severity and its templates per language.

    `related` are the captions of a message's related places, in order; the last one
    serves for all that follow. `sample` are facts of a real case.
    """

    code: str
    severity: str
    title: Text
    message: Text
    cause: Text = field(default_factory=lambda: _NO_TEXT)
    hint: Text = field(default_factory=lambda: _NO_TEXT)
    related: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sample: Mapping[str, Any] = field(default_factory=dict)
    variants: Mapping[str, Entry] = field(default_factory=dict)

    def variant(self, facts: Mapping[str, Any]) -> Entry:
        """The entry that the fact `reason` picks; this one where it picks none."""
        return self.variants.get(str(facts.get("reason")), self)


class Catalogue(Mapping[str, Entry]):
    """code → Entry. Files are read at the first look-up."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] | None = None

    def _load(self) -> dict[str, Entry]:
        if self._entries is None:
            self._entries = dict(sorted(_read_all().items()))
        return self._entries

    def __getitem__(self, code: str) -> Entry:
        return self._load()[code]

    def __iter__(self) -> Iterator[str]:
        return iter(self._load())

    def __len__(self) -> int:
        return len(self._load())


def _read_all() -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    for file in sorted(resources.files(__name__).iterdir(), key=lambda f: f.name):
        if not file.name.endswith(".toml"):
            continue
        for code, table in tomllib.loads(file.read_text("utf-8")).items():
            if code in entries:
                raise ValueError(f"{file.name}: {code} stands in two files")
            entries[code] = read_entry(code, table, file.name)
    return entries


def read_entry(code: str, table: Mapping[str, Any], file_name: str) -> Entry:
    """An Entry from its TOML table; ValueError names file, code and what is wrong."""
    for key in ("severity", "title", "message"):
        if key not in table:
            raise ValueError(f"{file_name}: {code} has no {key}")
    base = Entry(code=code, **_fields(code, table, file_name))
    variants = {
        reason: _variant(base, reason, changes, file_name)
        for reason, changes in table.get("variants", {}).items()
    }
    return Entry(**{**_as_dict(base), "variants": variants})


def _variant(base: Entry, reason: str, table: Mapping[str, Any], file: str) -> Entry:
    changes = _fields(f"{base.code} ({reason})", table, file)
    sample = {**base.sample, **table.get("sample", {}), "reason": reason}
    return Entry(**{**_as_dict(base), **changes, "sample": sample})


def _fields(code: str, table: Mapping[str, Any], file_name: str) -> dict[str, Any]:
    fields: dict[str, Any] = {
        key: _text(code, key, table[key], file_name) for key in TEXTS if key in table
    }
    if "severity" in table:
        fields["severity"] = table["severity"]
    if "related" in table:
        fields["related"] = {k: tuple(v) for k, v in table["related"].items()}
    if "sample" in table:
        fields["sample"] = table["sample"]
    return fields


def _text(code: str, key: str, value: Any, file_name: str) -> Text:
    if not isinstance(value, Mapping) or set(value) != set(LANGUAGES):
        raise ValueError(f"{file_name}: {code}: {key} needs .en and .zh")
    return value


def _as_dict(entry: Entry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in Entry.__dataclass_fields__}


CATALOGUE: Mapping[str, Entry] = Catalogue()
