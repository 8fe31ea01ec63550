"""The errors and answers of certificates: sentences in English and Chinese.

They live in `sentences.toml`; an error is one located sentence for a person.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from npugrade.classroom.errors import languages_of


class CertificateError(Exception):
    """A certificate, a key or a font cannot be used; `str()` says which and why."""

    def __init__(self, key: str, /, **facts: Any):
        self.key = key
        super().__init__(sentence(key, **facts))


def sentence(key: str, language: str | None = None, /, **facts: Any) -> str:
    """The sentence `key` with its facts, in `language` or the one in force."""
    entry = catalogue()[key]
    return "\n".join(entry[name].format(**facts) for name in languages_of(language))


@cache
def catalogue() -> dict[str, dict[str, str]]:
    """Every sentence by key: `en` and `zh`."""
    text = (files(__package__) / "sentences.toml").read_text("utf-8")
    return tomllib.loads(text)
