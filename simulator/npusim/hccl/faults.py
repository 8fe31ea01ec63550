"""What HCCL reports: a code of its own (EI0002, …) and a text in two languages."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from npusim.hccl.words import chosen, texts


@cache
def codes() -> Mapping[str, Mapping[str, str]]:
    """Every error code: what it means, in English and Chinese."""
    text = (resources.files(__package__) / "faults.toml").read_text("utf-8")
    return tomllib.loads(text)


class HcclError(RuntimeError):
    """A fault with HCCL's `code`; `text` by language; `report` if ranks waited."""

    def __init__(self, code: str, reason: str, report: Any = None, **facts: Any):
        self.code, self.reason, self.facts, self.report = code, reason, facts, report
        self.text = texts(reason, **facts)
        super().__init__(code, reason)

    def __str__(self) -> str:
        """The message in the session's language, the report after it."""
        lines = [f"{self.code} ({chosen(codes()[self.code])}): {chosen(self.text)}"]
        if self.report is not None:
            lines.append(str(self.report))
        return "\n".join(lines)

    def _render_traceback_(self) -> list[str]:
        return str(self).splitlines()
