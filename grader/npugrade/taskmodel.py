"""What a task file may say: pydantic models of `tasks/<task>.toml`.

A task file is public; only the seed that fills its hidden cases is secret. Lengths and
values are recipes, so that every class has its own data. One kind of task so far:
`kernel` (design: function tasks and driven tasks follow).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Id = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Name = Annotated[str, Field(pattern=r"^[A-Za-z_]\w*$")]
Special = Literal["nan", "inf", "-inf", "-0.0", "max", "min"]


class Model(BaseModel):
    """Base of all tables: unknown keys are errors, values cannot change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Bilingual(Model):
    """A text for readers, in both languages."""

    en: Annotated[str, Field(min_length=1)]
    zh: Annotated[str, Field(min_length=1)]


class Entry(Model):
    """The host function: its name, then inputs, outputs, scalar attributes in order."""

    host: Name
    inputs: Annotated[list[Name], Field(min_length=1)]
    outputs: Annotated[list[Name], Field(min_length=1)]
    attributes: list[Name] = []


class Launch(Model):
    """Chip and state in which every launch is timed."""

    chip: str = "910B1"
    cache: Literal["cold", "dirty", "l2"] = "cold"
    code: Literal["warm", "cold"] = "warm"


class Length(Model):
    """A number of elements: drawn from `between`, or `offset` away from a twin."""

    between: tuple[int, int] | None = None
    prime: bool = False
    multiple: Annotated[int, Field(ge=1)] = 1
    twin_of: str = ""
    offset: int = 0

    @model_validator(mode="after")
    def _one_way(self) -> Length:
        if (self.between is None) == (not self.twin_of):
            raise ValueError("give either `between` or `twin_of`")
        if self.between and not 1 <= self.between[0] <= self.between[1]:
            raise ValueError("`between` is two lengths, 1 ≤ first ≤ second")
        if self.prime and self.multiple != 1:
            raise ValueError("`prime` and `multiple` exclude each other")
        return self


class Values(Model):
    """Inputs: uniform in [low, high], with `count` elements of each special value."""

    low: float = -8.0
    high: float = 8.0
    special: list[Special] = []
    count: Annotated[int, Field(ge=0)] = 3


class Case(Model):
    """One run of the host function. Exactly one of `shape` and `length`."""

    name: Id
    group: Id
    dtype: Literal["half", "float32"]
    shape: list[Annotated[int, Field(ge=1)]] | None = None
    length: Length | None = None
    values: Values = Values()
    performance: bool = False

    @model_validator(mode="after")
    def _one_size(self) -> Case:
        if (self.shape is None) == (self.length is None):
            raise ValueError("give either `shape` or `length`")
        return self


class Weights(Model):
    """Points of the three parts; together 100."""

    builds: float = 20.0
    accuracy: float = 30.0
    performance: float = 50.0

    @model_validator(mode="after")
    def _hundred(self) -> Weights:
        if abs(self.builds + self.accuracy + self.performance - 100.0) > 1e-9:
            raise ValueError("the weights must add up to 100")
        return self


class Floor(Model):
    """Compulsory work: every input read once, every output written once, and these
    vector instructions, each once over all elements of the first output."""

    vector: list[str]


class Budgets(Model):
    """What one case may use. `instructions`: block-instructions and scalar steps."""

    instructions: Annotated[int, Field(ge=1)] = 2_000_000
    host_seconds: Annotated[float, Field(gt=0)] = 2.0


class Task(Model):
    """A whole task file."""

    id: Id
    kind: Literal["kernel"]
    assignment: Id
    title: Bilingual
    entry: Entry
    golden: str
    tolerance: Literal["mere-mare", "exact"]
    launch: Launch = Launch()
    weights: Weights = Weights()
    floor: Floor
    budgets: Budgets = Budgets()
    groups: dict[Id, Bilingual]
    visible: Annotated[list[Case], Field(min_length=1)]
    hidden: Annotated[list[Case], Field(min_length=1)]
    hints: Annotated[list[Bilingual], Field(min_length=3, max_length=3)]

    @model_validator(mode="after")
    def _names_fit(self) -> Task:
        names = [case.name for case in self.cases]
        for name in {n for n in names if names.count(n) > 1}:
            raise ValueError(f"two cases are called {name!r}")
        for case in self.cases:
            if case.group not in self.groups:
                raise ValueError(f"case {case.name!r}: no group {case.group!r}")
            twin = case.length.twin_of if case.length else ""
            if twin and twin not in names:
                raise ValueError(f"case {case.name!r}: no case {twin!r} to be twin of")
        return self

    @property
    def cases(self) -> tuple[Case, ...]:
        return (*self.visible, *self.hidden)

    @property
    def draws(self) -> dict[str, Case]:
        """Cases by name."""
        return {case.name: case for case in self.cases}
