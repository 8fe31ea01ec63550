"""What a task allows its runs: limits on named counters, allowed instructions.

A limit holds for a whole case. Counters of several launches add up, but for those that
are a ratio, a mean or a maximum already: there the worst launch counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from npugrade.cases import CaseData
from npugrade.messages import Text, say
from npugrade.taskmodel import Constraints, Task
from npugrade.taskshape import evaluate
from npusim.launch import Run
from npusim.profile import COUNTER_NAMES, named_counters

_SHORT = {"max_cores": "cores_used", "max_instructions": "instructions"}
_WORST_UNITS, _WORST_STARTS = ("ratio", "cores", "%"), ("max_", "mean_")


@dataclass(frozen=True)
class Broken:
    """A constraint that does not hold. `kind` tells no number of a hidden case."""

    code: str
    text: Text
    kind: Text


def first_broken(task: Task, data: CaseData, runs: Sequence[Run]) -> Broken | None:
    """The first constraint of the task, then of the case, that `runs` break."""
    for table in (task.constraints, data.case.constraints):
        for rule in (_counters, _instructions):
            for broken in rule(table, data, runs):
                return broken
    return None


def limits_of(table: Constraints, dims: Mapping[str, int]) -> dict[str, int]:
    """Limit by counter name."""
    short = {_SHORT[key]: getattr(table, key) for key in _SHORT}
    limits = {key: text for key, text in short.items() if text is not None}
    return {k: evaluate(text, dims) for k, text in {**limits, **table.counters}.items()}


def _counters(
    table: Constraints, data: CaseData, runs: Sequence[Run]
) -> Iterator[Broken]:
    limits = limits_of(table, data.dims)
    values = [named_counters(run) for run in runs] if limits else []
    for name, limit in limits.items():
        value = _joined(name, [each[name] for each in values])
        if value > limit:
            row = COUNTER_NAMES[name]
            meaning = {"en": row.en, "zh": row.zh}
            facts = {"counter": name, "limit": limit, "unit": row.unit}
            text = say("constraint.counter", value=value, meaning=meaning, **facts)
            kind = say("constraint.counter.kind", counter=name)
            yield Broken("constraint.counter", text, kind)


def _joined(name: str, values: Sequence[float]) -> float:
    worst = COUNTER_NAMES[name].unit in _WORST_UNITS or name.startswith(_WORST_STARTS)
    return max(values, default=0) if worst else sum(values)


def _instructions(
    table: Constraints, data: CaseData, runs: Sequence[Run]
) -> Iterator[Broken]:
    for name in sorted(_used(runs, "V")) if table.instructions else ():
        if name not in table.instructions:
            allowed = ", ".join(table.instructions)
            text = say("constraint.allowed", name=name, allowed=allowed)
            yield Broken("constraint.allowed", text, text)
    for name in sorted(_used(runs) & set(table.forbidden)):
        text = say("constraint.forbidden", name=name)
        yield Broken("constraint.forbidden", text, text)


def _used(runs: Sequence[Run], pipe: str = "") -> set[str]:
    """Names of the instructions that ran, on one pipe or on any."""
    return {
        step.name
        for run in runs
        for stream in run.execution.streams
        for step in stream.steps()
        if pipe in ("", step.pipe)
    } - ({"pipe_barrier"} if pipe else set())
