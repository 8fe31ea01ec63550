"""What a message is: a code, a severity, where, and facts; never a finished sentence.

Sentences live in the catalogue, one template per code and language, so a message can
be shown in English or Chinese, tested with real facts and counted by its code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Location:
    """A span of source. `line` is 1-based, columns are 0-based characters.

    `label` is what a reader calls the source: `Cell [5]` or a file name. `text` is the
    source line, for the caret.
    """

    label: str
    line: int
    column: int
    end_column: int
    text: str


@dataclass(frozen=True)
class Diagnostic:
    """One finding. `facts` fill the catalogue's template.

    `core` is a block index; where blocks run in waves, the fact `cores_of_chip` tells
    which core that was (`core` modulo it).
    """

    code: str  # e.g. "ASC-RACE-15"
    severity: str  # "E" stops, "W" continues and marks, "P" performance note
    where: Location | None
    facts: Mapping[str, Any] = field(default_factory=dict)
    core: int | None = None
    related: tuple[Location, ...] = ()

    def render(self, language: str = "en") -> str:
        """The message in `en` or `zh`, with its line and caret."""
        from npusim.diagnostic.render import render

        return render(self, language)

    def __str__(self) -> str:
        """The message in the session's language, as `print` shows it."""
        from npusim.diagnostic.language import shown

        return "\n".join(self.render(x) for x in shown())


class KernelError(Exception):
    """A kernel did not compile or a launch failed.

    `diagnostics`: all findings of the run, the one that stopped execution last.
    `run`: everything up to the fault, or None where nothing ran.
    """

    def __init__(self, diagnostics: tuple[Diagnostic, ...], run: Any = None):
        self.diagnostics = tuple(diagnostics)
        self.run = run
        super().__init__(*(d.code for d in self.diagnostics))

    def __str__(self) -> str:
        from npusim.diagnostic.language import shown

        return "\n\n".join(d.render(x) for d in self.diagnostics for x in shown())

    def _render_traceback_(self) -> list[str]:
        """What IPython shows: the messages, none of the simulator's own frames."""
        return str(self).split("\n")


class Fault(Exception):
    """Raised inside the simulator by the floor that finds a fault; never shown."""

    def __init__(self, diagnostic: Diagnostic):
        self.diagnostic = diagnostic
        super().__init__(diagnostic.code)
