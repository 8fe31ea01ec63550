"""What a link between two NPUs costs; the numbers stand in `links.toml`.

A step of a collective: latency_us + bytes / collective rate. A bare write or read of
one block: its own fixed time and rate, as measured. Left out: congestion in switches,
and that several flows of one port may reach less than one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

KINDS = ("pair", "port")
NUMBERS = (
    "peak_gb_s",
    "collective_gb_s",
    "latency_us",
    "write_gb_s",
    "write_us",
    "read_gb_s",
    "read_us",
)
_NBYTES_A_US = 1e3  # of 1 GB/s


@dataclass(frozen=True)
class Link:
    """Rates in GB/s (1e9 bytes), one way; times in µs."""

    name: str
    kind: str
    peak_gb_s: float
    collective_gb_s: float
    latency_us: float
    write_gb_s: float
    write_us: float
    read_gb_s: float
    read_us: float

    @property
    def is_pair(self) -> bool:
        """Whether each pair of NPUs has a link of its own."""
        return self.kind == "pair"

    def occupied_us(self, nbytes: float) -> float:
        """How long a message of a collective holds the link."""
        return nbytes / (self.collective_gb_s * _NBYTES_A_US)

    def step_us(self, nbytes: float) -> float:
        """One step of a collective with one message of `nbytes`."""
        return self.latency_us + self.occupied_us(nbytes)

    def copy_us(self, nbytes: int, block_nbytes: int, read: bool = False) -> float:
        """`nbytes` moved in blocks of `block_nbytes`, one after the other."""
        rate, fixed = (
            (self.read_gb_s, self.read_us) if read else (self.write_gb_s, self.write_us)
        )
        blocks = -(-nbytes // block_nbytes)
        return blocks * fixed + nbytes / (rate * _NBYTES_A_US)


@cache
def link_tables() -> Mapping[str, Mapping[str, Any]]:
    """The tables of `links.toml` by name: each number with source and confidence."""
    text = (resources.files(__package__) / "links.toml").read_text("utf-8")
    return tomllib.loads(text)


def link_names() -> tuple[str, ...]:
    """The names that `load_link` knows."""
    return tuple(link_tables())


@cache
def load_link(name: str) -> Link:
    """The link called `name`; ValueError lists the known names."""
    if name not in link_tables():
        raise ValueError(f"unknown link {name!r}; known: {', '.join(link_names())}")
    table = link_tables()[name]
    numbers = {key: float(table[key]["value"]) for key in NUMBERS}
    return Link(name, table["kind"], *numbers.values())
