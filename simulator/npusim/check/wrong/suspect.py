"""What a suspect is: a code of the catalogue, with the facts of its message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from npusim.check.wrong.compare import Case
from npusim.check.wrong.writers import Writers

LAYOUT, FUNCTION = "ASC-LAYOUT-08", "ASC-FUNC-36"


class Golden(NamedTuple):
    """The function that gave the expected result, of the inputs `names`."""

    names: tuple[str, ...]
    function: Callable[..., Any]


class Suspect(NamedTuple):
    """A code of the catalogue and the facts of its message (`reason`: its variant)."""

    code: str
    facts: dict[str, Any]


class Trial(NamedTuple):
    """What a finder gets: the whole case, a part that is small, who wrote what, and the
    function that gave the expected result, where the caller has it."""

    case: Case
    part: Case
    writers: Writers
    golden: Golden | None


def layout(reason: str, **facts: Any) -> Suspect:
    """Right values in other places."""
    return Suspect(LAYOUT, {"reason": reason, **facts})


def function(reason: str, **facts: Any) -> Suspect:
    """Another function, another operand or another number."""
    return Suspect(FUNCTION, {"reason": reason, **facts})
