"""What a task file may say: pydantic models of `tasks/<task>.toml`.

A task file is public; only the seed that fills its hidden cases is secret. Three kinds:
`kernel` (host code launches kernels on arrays that it cannot read), `function` (a
function of plain data whose answer a trusted checker judges) and `driven` (a coroutine
whose every `await` a trusted world answers). Tables: `taskparts`; checks across tables:
`taskcross`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from npugrade.taskparts import (
    Array,
    Bilingual,
    Case,
    Choice,
    Close,
    Constraints,
    Draw,
    Id,
    Length,
    Model,
    Name,
    Scalar,
    Values,
)
from npugrade.taskshape import Expression
from npugrade.taskwords import fault

__all__ = [
    "Array", "Bilingual", "Budgets", "Case", "Choice", "Close", "Constraints", "Draw",
    "Entry", "Floor", "Launch", "Length", "Task", "Values", "Weights",
]  # fmt: skip


class Entry(Model):
    """The host function: its name, then inputs, outputs, scalar attributes in order.

    `unseen`: attributes of a function task that only its checker gets."""

    host: Name
    inputs: list[Name] = []
    outputs: list[Name] = []
    attributes: list[Name] = []
    unseen: list[Name] = []

    @property
    def arrays(self) -> tuple[str, ...]:
        return (*self.inputs, *self.outputs)


class Launch(Model):
    """Chip and state in which every launch is timed."""

    chip: str = "910B1"
    cache: Literal["cold", "dirty", "l2"] = "cold"
    code: Literal["warm", "cold"] = "warm"


class Weights(Model):
    """Points of the three parts; together 100."""

    builds: Annotated[float, Field(ge=0)] = 20.0
    accuracy: Annotated[float, Field(ge=0)] = 30.0
    performance: Annotated[float, Field(ge=0)] = 50.0

    @model_validator(mode="after")
    def _hundred(self) -> Weights:
        if abs(self.builds + self.accuracy + self.performance - 100.0) > 1e-9:
            raise fault("weights")
        return self


class Floor(Model):
    """Compulsory work: every input read once, every output written once, and these
    vector instructions, each once over all elements of `over` (default: the first
    output). `read_nbytes`, `written_nbytes`: instead, where less is compulsory."""

    vector: list[str] = []
    over: str = ""
    read_nbytes: Expression | None = None
    written_nbytes: Expression | None = None


class Budgets(Model):
    """What one case may use. `instructions`: block-instructions and scalar steps;
    `requests`: what a driven program may await."""

    instructions: Annotated[int, Field(ge=1)] = 2_000_000
    host_seconds: Annotated[float, Field(gt=0)] = 2.0
    requests: Annotated[int, Field(ge=1)] = 1_000


class Task(Model):
    """A whole task file. `golden`, `tolerance`, `floor`: kernel tasks; `checker`:
    function tasks; `world`: driven tasks."""

    id: Id
    kind: Literal["kernel", "function", "driven"]
    assignment: Id
    title: Bilingual
    entry: Entry
    arrays: dict[Name, Array] = {}
    attributes: dict[Name, Scalar | Choice | Draw] = {}
    golden: str = ""
    tolerance: Literal["mere-mare", "exact"] | Close = "mere-mare"
    checker: str = ""
    world: str = ""
    launch: Launch = Launch()
    weights: Weights = Weights()
    floor: Floor = Floor()
    budgets: Budgets = Budgets()
    constraints: Constraints = Constraints()
    groups: dict[Id, Bilingual]
    visible: Annotated[list[Case], Field(min_length=1)]
    hidden: Annotated[list[Case], Field(min_length=1)]
    hints: Annotated[list[Bilingual], Field(min_length=3, max_length=3)]

    @property
    def cases(self) -> tuple[Case, ...]:
        return (*self.visible, *self.hidden)

    @property
    def draws(self) -> dict[str, Case]:
        """Cases by name."""
        return {case.name: case for case in self.cases}

    def tolerance_of(self, output: str) -> str | Close:
        """The rule for an output: its own, else the task's."""
        array = self.arrays.get(output)
        return (array.tolerance if array else "") or self.tolerance
