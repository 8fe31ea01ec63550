"""HCCL's environment variables, read from a mapping and checked (EI0001).

`Environment.read({"HCCL_ALGO": "level0:NA;level1:ring"})`. Names, defaults and ranges
stand in `environment.toml`. Left out: variables that choose network cards and ports.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import Any

from npusim.hccl.faults import HcclError

LEVEL1 = ("ring", "H-D_R", "NHR", "NB", "pipeline", "pairwise")
PER_OPERATOR = {
    "allreduce": "all_reduce",
    "allgather": "all_gather",
    "reducescatter": "reduce_scatter",
    "broadcast": "broadcast",
    "reduce": "reduce",
    "scatter": "scatter",
    "alltoall": "all_to_all",
}
EVERY = "*"


@cache
def variables() -> Mapping[str, Mapping[str, Any]]:
    """Every variable by name, with kind, default and range."""
    text = (resources.files(__package__) / "environment.toml").read_text("utf-8")
    return tomllib.loads(text)


@dataclass(frozen=True)
class Environment:
    """The values in force; `level1`: collective (or "*") → algorithm among servers."""

    values: Mapping[str, Any] = field(default_factory=dict)
    level1: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        """The value of a variable, its default if it was not set."""
        return self.values.get(name, variables()[name]["default"])

    def algorithm(self, collective: str) -> str | None:
        """What `HCCL_ALGO` demands among the servers; None if nothing."""
        return self.level1.get(collective, self.level1.get(EVERY))

    @property
    def exec_timeout_us(self) -> float:
        """How long a rank waits in a collective; infinite for 0."""
        seconds = self["HCCL_EXEC_TIMEOUT"]
        return seconds * 1e6 if seconds else float("inf")

    @property
    def buffer_nbytes(self) -> int:
        """What one pass of a collective can hold (`HCCL_BUFFSIZE`)."""
        return int(self["HCCL_BUFFSIZE"]) << 20

    @staticmethod
    def read(given: Mapping[str, Any] | None = None) -> Environment:
        """The environment with variables `given`; HcclError EI0001 if one is bad."""
        values: dict[str, Any] = {}
        level1: dict[str, str] = {}
        for name, value in (given or {}).items():
            if name not in variables():
                close = get_close_matches(name, variables(), 1)
                known = close[0] if close else ", ".join(variables())
                raise HcclError("EI0001", "env-unknown", name=name, known=known)
            values[name] = _KINDS[variables()[name]["kind"]](name, value)
        if "HCCL_ALGO" in values:
            level1 = _algorithms(str(values["HCCL_ALGO"]))
        return Environment(values, level1)


def _integer(name: str, value: Any) -> int:
    table = variables()[name]
    try:
        number = int(str(value))
    except ValueError:
        number = table["least"] - 1
    if not table["least"] <= number <= table["most"]:
        facts = {key: table[key] for key in ("least", "most", "unit")}
        raise HcclError("EI0001", "env-range", name=name, value=value, **facts)
    return number


def _choice(name: str, value: Any) -> str:
    choices = variables()[name]["choices"]
    if str(value) not in choices:
        known = ", ".join(choices)
        raise HcclError("EI0001", "env-choice", name=name, value=value, known=known)
    return str(value)


def _algorithms(value: str) -> dict[str, str]:
    """`level0:NA;level1:ring` for all, or `allreduce=level0:NA;level1:ring/…`."""
    found: dict[str, str] = {}
    for part in filter(None, value.split("/")):
        operator, equals, levels = part.rpartition("=")
        if equals and operator not in PER_OPERATOR:
            known = ", ".join(PER_OPERATOR)
            raise HcclError("EI0001", "algo-operator", name=operator, known=known)
        for level in filter(None, levels.split(";")):
            name, _, algorithm = level.partition(":")
            if name == "level1":
                found[PER_OPERATOR.get(operator, EVERY)] = _level1(algorithm)
            elif name not in ("level0", "level2"):
                raise HcclError("EI0001", "algo-level", name=level)
    return found


def _level1(algorithm: str) -> str:
    if algorithm not in LEVEL1:
        known = ", ".join(LEVEL1)
        raise HcclError("EI0001", "algo-name", name=algorithm, known=known)
    return algorithm


_KINDS = {"integer": _integer, "choice": _choice, "algorithms": lambda _, v: str(v)}
