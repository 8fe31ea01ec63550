"""A table of numbers from one micro-benchmark, with and without its mechanism.

Titles and sentences are in `micro.toml`, in English and Chinese. Numbers are shown with
four significant digits.
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from npusim.chip import mechanisms
from npusim.diagnostic import language
from npusim.diagnostic.words import Words

Rows = tuple[tuple[float, ...], ...]
WORDS = Words("npusim.fidelity.micro", "words.toml")


@cache
def texts() -> dict[str, dict[str, Any]]:
    """`en`, `zh`, `columns` and `switch` by experiment."""
    text = (resources.files(__package__) / "micro.toml").read_text("utf-8")
    return tomllib.loads(text)


def about(name: str) -> dict[str, Any]:
    """What `micro.toml` says of an experiment; KeyError for an unknown one."""
    return texts()[name]


def switch_of(name: str) -> str:
    """The mechanism that an experiment shows."""
    return about(name).get("switch", name)


def _width(text: str) -> int:
    """Columns that a text takes on a screen: Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _lines(cells: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(" " * (w - _width(c)) + c for c, w in zip(row, widths, strict=True))
        for row in cells
    ]


@dataclass(frozen=True)
class Table:
    """Numbers of an experiment by row; `without`: the same with its switch off.

    Cycles are those of a core, us microseconds, GB 1e9 bytes, MiB 2**20 bytes.
    """

    name: str
    rows: Rows
    without: Rows | None = None

    @property
    def switch(self) -> str:
        """The mechanism that the experiment shows."""
        return switch_of(self.name)

    @property
    def columns(self) -> tuple[str, ...]:
        """Titles of `rows` in the language of messages (both: English)."""
        return tuple(about(self.name)["columns"][language.shown()[0]])

    @property
    def shows(self) -> str:
        """What the numbers show, in the language of messages."""
        return "\n".join(about(self.name)[one] for one in language.shown())

    def column(self, number: int) -> list[float]:
        """The numbers of one column, from 0."""
        return [row[number] for row in self.rows]

    def column_without(self, number: int) -> list[float]:
        """The same with the switch off; ValueError where that was not measured."""
        if self.without is None:
            raise ValueError(f"{self.name} was not run without {self.switch}")
        return [row[number] for row in self.without]

    def changed(self) -> list[int]:
        """The columns in which the switch makes a difference."""
        if self.without is None:
            return []
        numbers = range(1, len(self.columns))
        return [n for n in numbers if self.column(n) != self.column_without(n)]

    def cells(self) -> list[tuple[str, ...]]:
        """Titles and numbers as text; changed columns are followed by those without."""
        kept: list[tuple[str, list[float]]] = []
        changed, first = self.changed(), language.shown()[0]
        for number, title in enumerate(self.columns):
            kept.append((title, self.column(number)))
            if number in changed:
                off = WORDS("off", first, title=title)
                kept.append((off, self.column_without(number)))
        columns = [(title, *(f"{v:.4g}" for v in values)) for title, values in kept]
        return list(zip(*columns, strict=True))

    def switch_lines(self) -> list[str]:
        """What is off in the second columns, and whether its size was published."""
        known = mechanisms()[self.switch]
        sized = "validated" if known.validated else "unvalidated"
        return [
            WORDS("switch", one, name=self.switch, what=getattr(known, one))
            + ("。" if one == "zh" else ". ")
            + WORDS(sized, one)
            for one in language.shown()
        ]

    def __str__(self) -> str:
        lines = [self.name, *_lines(self.cells()), self.shows]
        return "\n".join([*lines, *(self.switch_lines() if self.without else ())])

    __repr__ = __str__


@dataclass(frozen=True)
class Tables:
    """Tables of several experiments, shown one below the other."""

    tables: tuple[Table, ...]

    def __iter__(self) -> Any:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    def __getitem__(self, name: str) -> Table:
        """The table of an experiment; KeyError where it is not among these."""
        return {table.name: table for table in self.tables}[name]

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.tables))

    __repr__ = __str__


class UnknownExperiment(ValueError):
    """There is no such micro-benchmark; a notebook shows one line, no trace."""

    def __init__(self, name: object, known: Iterable[str]):
        listed = ", ".join(known)
        facts = {"name": repr(name), "known": listed}
        super().__init__(
            " / ".join(WORDS("unknown", one, **facts) for one in language.shown())
        )

    def _render_traceback_(self) -> list[str]:
        return [str(self)]
