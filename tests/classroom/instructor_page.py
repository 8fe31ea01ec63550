"""The commands of docs/instructor.md, so that the tests run what the page says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "instructor.md"
_BLOCK = re.compile(r"^```sh (\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Step:
    """One command line and who types it: `instructor`, `learner` or `setup`."""

    who: str
    line: str


def steps() -> list[Step]:
    """Every command of the page, in order."""
    return [
        Step(who, line)
        for who, block in _BLOCK.findall(PAGE.read_text("utf-8"))
        for line in block.strip().splitlines()
    ]
