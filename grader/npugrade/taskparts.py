"""The tables inside a task file: lengths, values, arrays, cases, constraints.

Lengths and values are recipes, so that every class has its own data. What names must
fit together is checked in `taskcross`; here each table is checked alone.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from npugrade.taskshape import Expression
from npugrade.taskwords import fault
from npusim.lang.types import DTYPES

Id = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Name = Annotated[str, Field(pattern=r"^[A-Za-z_]\w*$")]
Special = Literal["nan", "inf", "-inf", "-0.0", "max", "min"]
Scalar = bool | int | float | str


def _known_dtype(name: str) -> str:
    if name and name not in DTYPES:
        raise fault("no-dtype", name=name, known=", ".join(DTYPES))
    return name


DTypeName = Annotated[str, AfterValidator(_known_dtype)]


class Model(BaseModel):
    """Base of all tables: unknown keys are errors, values cannot change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Bilingual(Model):
    """A text for readers, in both languages."""

    en: Annotated[str, Field(min_length=1)]
    zh: Annotated[str, Field(min_length=1)]


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
            raise fault("between-or-twin")
        if self.between and not 1 <= self.between[0] <= self.between[1]:
            raise fault("between-order")
        if self.prime and self.multiple != 1:
            raise fault("prime-and-multiple")
        return self


class Values(Model):
    """Elements: uniform in [low, high], `count` of them each special value.

    `whole`: rounded to whole numbers (those of integer dtypes always are).
    """

    low: float = -8.0
    high: float = 8.0
    whole: bool = False
    special: list[Special] = []
    count: Annotated[int, Field(ge=0)] = 3

    @model_validator(mode="after")
    def _ordered(self) -> Values:
        if not self.low <= self.high:
            raise fault("low-high")
        return self


class Close(Model):
    """Right where |a - g| is at most `absolute`, or `relative` times |g|."""

    relative: Annotated[float, Field(ge=0)] = 0.0
    absolute: Annotated[float, Field(ge=0)] = 0.0


class Array(Model):
    """One array of the entry: its shape over the dimensions; its dtype, empty: the
    case's; its values; for an output, a tolerance of its own."""

    shape: list[Expression]
    dtype: DTypeName = ""
    values: Values | None = None
    tolerance: str | Close = ""


class Choice(Model):
    """A scalar that the seed chooses: one of `choose`, or uniform in `between`."""

    choose: list[Scalar] = []
    between: tuple[float, float] | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Choice:
        if bool(self.choose) == (self.between is not None):
            raise fault("choose-or-between")
        return self


class Draw(Model):
    """A draw of `count` items from a bank, other for each learner (`npugrade.draw`)."""

    bank: Id
    count: Annotated[int, Field(ge=1)]


class Constraints(Model):
    """What a run must keep to. `counters`: value ≤ limit for any named counter; limits
    are expressions over the dimensions. `instructions`: the only vector instructions
    that may run; `forbidden`: instructions that may not."""

    max_cores: Expression | None = None
    max_instructions: Expression | None = None
    counters: dict[str, Expression] = {}
    instructions: list[str] = []
    forbidden: list[str] = []


class Case(Model):
    """One run of the entry. A kernel task gives one of `shape` and `length`, or `dims`
    where it has a table of arrays. `degenerate`: data at the edge of what is allowed
    (one element, equal elements, special values). `twin_factor`: how much its twin may
    differ in time, where the usual factor (`limits.toml`) does not fit."""

    name: Id
    group: Id
    dtype: DTypeName = ""
    shape: list[Annotated[int, Field(ge=1)]] | None = None
    length: Length | None = None
    dims: dict[Name, Length] = {}
    attributes: dict[Name, Scalar | Choice] = {}
    values: Values | None = None
    values_of: dict[Name, Values] = {}
    constraints: Constraints = Constraints()
    performance: bool = False
    degenerate: bool = False
    twin_factor: Annotated[float, Field(ge=1)] | None = None

    @field_validator("dims", mode="before")
    @classmethod
    def _whole_numbers(cls, dims: Any) -> Any:
        """`cols = 64` means that it is always 64."""
        if not isinstance(dims, dict):
            return dims
        return {
            k: {"between": (v, v)} if type(v) is int else v for k, v in dims.items()
        }

    @model_validator(mode="after")
    def _one_size(self) -> Case:
        ways = [self.shape is not None, self.length is not None, bool(self.dims)]
        if sum(ways) > 1:
            raise fault("one-size")
        return self

    @property
    def lengths(self) -> dict[str, Length]:
        """All recipes of lengths by dimension; "" for a one-dimensional case."""
        return {"": self.length} if self.length else self.dims
