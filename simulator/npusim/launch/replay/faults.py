"""Which faults the hardware outlives: a table (`faults.toml`) with a reason a row."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def fault_table() -> dict[str, dict[str, Any]]:
    """code → {"survives": bool, "reason": why}."""
    file = resources.files("npusim.launch.replay") / "faults.toml"
    return tomllib.loads(file.read_text("utf-8"))


@cache
def survivable() -> frozenset[str]:
    """Codes of faults after which execution goes on in lenient mode."""
    return frozenset(code for code, row in fault_table().items() if row["survives"])
