"""Sentences for the authors of tasks, in English and Chinese (`task_words.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from pydantic_core import PydanticCustomError

from npugrade.messages import LANGUAGES, Text
from npusim.diagnostic import language


class TaskError(Exception):
    """A task that does not exist or whose file is wrong; the message is located.

    `str()` is in the language in force; `text` has both.
    """

    def __init__(self, *texts: Text):
        self.text = {one: "\n".join(t[one] for t in texts) for one in LANGUAGES}
        super().__init__(self.text)

    def __str__(self) -> str:
        return in_force(self.text)


def fault(key: str, **facts: Any) -> PydanticCustomError:
    """A mistake within one table, for pydantic to place: the key of its sentence."""
    return PydanticCustomError(key, phrase(key, **facts)["en"], facts)  # type: ignore[arg-type]


def phrase(key: str, **facts: Any) -> Text:
    """The sentence `key` in both languages; a fact may be a Text itself."""
    entry = table()[key]
    return {one: entry[one].format(**_in(one, facts)) for one in LANGUAGES}


def in_force(text: Text) -> str:
    """A text in the language that is chosen, or in both, one below the other."""
    return "\n".join(text[one] for one in language.shown())


def found_by_pydantic(error: Mapping[str, Any]) -> Text:
    """The sentence on one entry of `ValidationError.errors()`."""
    key, facts = error["type"], error.get("ctx", {})
    if key not in table():
        key, facts = "other", {"message": error["msg"]}
    return phrase(key, **facts)


@cache
def table() -> Mapping[str, Text]:
    """All sentences by key."""
    file = resources.files("npugrade").joinpath("task_words.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _in(one: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v[one] if isinstance(v, Mapping) else v for k, v in facts.items()}
