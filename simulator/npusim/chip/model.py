"""What a chip is: named constants with unit and source, costs, mechanisms.

The numbers live in TOML files beside this module: one file per chip (`910b1.toml`:
cores, clock, memories, bandwidths), `common.toml` (constants shared by the family),
`vector.toml` (cycles per 256-byte repeat) and `mechanisms.toml` (what can be switched
off). This module holds no number; `files` reads and checks them. Left out so far: cube
cores' costs, channel conflicts of L2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike


@dataclass(frozen=True)
class Constant:
    """One number: `value` in `unit`, its public `source` and our `confidence` in it."""

    name: str
    value: float
    unit: str
    source: str
    confidence: str


@dataclass(frozen=True)
class VectorCost:
    """Cycles per repeat of 256 bytes.

    `free`: no two operands share a bank group (or there is one source); `conflict`:
    both sources share one.
    """

    key: str
    free: float
    conflict: float
    source: str
    confidence: str


@dataclass(frozen=True)
class Mechanism:
    """A part of the timing model that can be switched off.

    `en`, `zh`: what it does. `validated`: a published measurement shows its size.
    `off`: values that constants take when it is off.
    """

    name: str
    en: str
    zh: str
    validated: bool
    off: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Chip:
    """A chip: sizes as attributes, every other number through `constant(name)`."""

    name: str
    constants: Mapping[str, Constant]
    vector: Mapping[str, VectorCost]
    mechanisms: Mapping[str, Mechanism]
    switched_off: frozenset[str] = frozenset()
    _values: dict[str, float] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self._values.update({n: c.value for n, c in self.constants.items()})
        for name in self.switched_off:
            self._values.update(self.mechanisms[name].off)

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> Chip:
        """The chip that a TOML file describes; a bad file: ChipFileError with its line.

        The file names a `base` chip and gives what differs: `name`, constants as
        tables with `value`, rows of `vector`, and `[mechanisms]` with name = false.
        """
        from npusim.chip.files import read_chip

        return read_chip(path)

    def constant(self, name: str) -> float:
        """The value of a constant in its own unit; KeyError for an unknown name."""
        return self._values[name]

    def has(self, mechanism: str) -> bool:
        """Whether a mechanism is on; KeyError for an unknown name."""
        return self.mechanisms[mechanism].name not in self.switched_off

    def without(self, *mechanisms: str) -> Chip:
        """A copy with these mechanisms off; ValueError names the known ones."""
        unknown = [name for name in mechanisms if name not in self.mechanisms]
        if unknown:
            known = ", ".join(self.mechanisms)
            raise ValueError(f"unknown mechanism {unknown[0]!r}; known: {known}")
        off = self.switched_off | frozenset(mechanisms)
        names = ", ".join(sorted(mechanisms))
        name = f"{self.name} without {names}" if mechanisms else self.name
        return replace(self, name=name, switched_off=off, _values={})

    def vector_cost(self, key: str, dtype: str = "") -> VectorCost:
        """The row for instruction `key` on `dtype` (a row `key:dtype` goes first).

        KeyError where the table has no such instruction.
        """
        row = self.vector.get(f"{key}:{dtype}") or self.vector.get(key)
        if row is None:
            raise KeyError(f"no vector cost for {key!r} ({dtype}) on {self.name}")
        return row

    @property
    def vector_cores(self) -> int:
        return int(self.constant("vector_cores"))

    @property
    def cube_cores(self) -> int:
        return int(self.constant("cube_cores"))

    @property
    def clock_ghz(self) -> float:
        return self.constant("clock")

    @property
    def ub_nbytes(self) -> int:
        """Unified Buffer of one vector core, bytes."""
        return int(self.constant("ub"))

    @property
    def l2_nbytes(self) -> int:
        """L2 cache shared by all cores, bytes."""
        return int(self.constant("l2_capacity"))

    def cycles_of_ns(self, time_ns: float) -> float:
        """Cycles of the core clock in `time_ns` nanoseconds."""
        return time_ns * self.clock_ghz

    def __repr__(self) -> str:
        return f"<chip {self.name}: {self.vector_cores} vector cores>"
