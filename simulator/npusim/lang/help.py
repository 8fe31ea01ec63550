"""What `help(asc.add)` says: usage, formula or summary, dtypes, cost; in one language.

The English summaries stand with the signatures, their Chinese and the other words in
help.toml; a summary that is a formula needs no translation. Not modelled: help on
Python's own names.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from npusim.lang.forms import Signature


@cache
def _texts() -> Mapping[str, Mapping[str, Any]]:
    text = files("npusim.lang").joinpath("help.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def line(key: str, language: str, **facts: Any) -> str:
    """A line of the help text, `key` of help.toml, in "en" or "zh"."""
    return _texts()["line"][key][language].format(**facts)


def summary(name: str, english: str, language: str) -> str:
    """The summary of `name` in `language`; `english` where it is a formula."""
    template = _texts()["summary"].get(name) if language == "zh" else None
    if template is None:
        return english
    return template.replace("{rest}", english.rpartition(": ")[2].rstrip("."))


def instruction_help(
    signature: Signature, language: str, cost: Callable[[Signature, str], str]
) -> str:
    """The help text of an instruction, object or record; `cost` gives its last line."""
    lines = [f"asc.{f.usage(signature.name)}" for f in signature.forms if not f.later]
    if signature.summary:
        lines += ["", summary(signature.name, signature.summary, language)]
    if signature.dtypes:
        between = line("and", language)
        dtypes = between.join(signature.dtypes)
        lines += ["", line("dtypes", language, dtypes=dtypes)]
    if signature.vector:
        lines += [line("vector", language), cost(signature, language)]
    return "\n".join(lines)
