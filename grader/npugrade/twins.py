"""Twins: the same work on a shape one element away may not take much more time.

A submission could look up the exact shapes that it was told of, or has guessed, and
leave the rest to a slow path or to none. So each hidden case whose lengths vary, and
each visible one that counts for speed, has a twin one element away (one `multiple`,
where the recipe promises one). The slower of the two may take `[rules] twin_factor`
times the cycles of the faster, or the case's own `twin_factor`.

A task file may name twins itself (`twin_of`), which are cases like any other. All
others are made here, and tried once every case is right. Left out: cases whose lengths
are fixed and count for nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from npugrade.caserun import CaseResult, Submission
from npugrade.cases import CaseData, make_case
from npugrade.host import limits
from npugrade.messages import say
from npugrade.taskmodel import Case, Length, Task


# ------------------------------------------------------------ twins that a file names
def checked(results: Sequence[CaseResult]) -> tuple[CaseResult, ...]:
    """`results`, where a twin that differs too much has failed the stage `guard`."""
    cycles = {r.data.case.name: r.cycles for r in results if r.passed}
    return tuple(_checked(result, cycles) for result in results)


def _checked(result: CaseResult, cycles: dict[str, int]) -> CaseResult:
    lengths = result.data.case.lengths.values()
    named = {length.twin_of for length in lengths if length.twin_of}
    others = [cycles[name] for name in named if name in cycles]
    if not result.passed or not others:
        return result
    return _compared(result, others[0])


def _compared(result: CaseResult, cycles: int) -> CaseResult:
    """`result`, failed if `cycles` of its twin are too far from its own."""
    factor = result.data.case.twin_factor or limits()["rules"]["twin_factor"]
    least, most = sorted((result.cycles, cycles))
    if most <= factor * max(least, 1):
        return result
    text = say("guard.twin", factor=factor)
    return replace(
        result, stage="guard", code="guard.twin", messages=(text,), kind=text
    )


# ------------------------------------------------------------ twins that are made here
def tried_beside(
    submission: Submission, results: Sequence[CaseResult], seed: str
) -> tuple[CaseResult, ...]:
    """`results`, after the twins that no file names have run as well.

    A case fails where its twin fails, or differs too much. `seed`: of the twins' data.
    """
    return tuple(_tried(submission, result, seed) for result in results)


def _tried(submission: Submission, result: CaseResult, seed: str) -> CaseResult:
    twin = twin_of(submission.task, result.data, seed)
    if twin is None:
        return result
    found = submission.run(twin)
    if found.passed:
        return _compared(result, found.cycles) if _has_time(submission.task) else result
    text = say("guard.beside", text=found.kind)
    return replace(
        result, stage="guard", code="guard.beside", messages=(text,), kind=text
    )


def _has_time(task: Task) -> bool:
    """Whether cycles mean anything: of a launch always, of an answer that is plain data
    where the task pays for its cost."""
    return task.kind == "kernel" or task.weights.performance > 0


def twin_of(task: Task, data: CaseData, seed: str) -> CaseData | None:
    """The twin of a case that has none in the task file; None where it needs none."""
    moved = _moved(task, data)
    if moved is None:
        return None
    given = {k: v for k, v in data.attributes.items() if k not in data.dims}
    change = {
        "name": f"{data.case.name}/twin",  # no file can use this name
        "shape": None,
        "length": _fixed(moved[""]) if "" in moved else None,
        "dims": {dim: _fixed(size) for dim, size in moved.items() if dim},
        "attributes": given,
        "performance": False,
    }
    case = data.case.model_copy(update=change)
    return make_case(task, case, True, seed)


def _fixed(size: int) -> Length:
    return Length(between=(size, size))


def _moved(task: Task, data: CaseData) -> dict[str, int] | None:
    """The sizes of the twin by dimension ("" for the length of a vector)."""
    sizes = dict(data.dims) or {
        "": math.prod(data.outputs[0][0] if data.outputs else ())
    }
    step = next(_steps(task, data.case, sizes), None)
    if step is None:
        return None
    dim, unit, (first, last) = step
    up, down = sizes[dim] + unit, sizes[dim] - unit
    if up > last and down < max(first, 1):
        return None
    return {**sizes, dim: up if up <= last else down}


Step = tuple[str, int, tuple[int, int]]  # dimension, unit, least and greatest size


def _steps(task: Task, case: Case, sizes: Mapping[str, int]) -> Iterator[Step]:
    """The dimensions in which the case can move, the last one first."""
    hidden = any(case.name == other.name for other in task.hidden)
    if hidden and not _has_named_twin(task, case):
        for dim, length in reversed(case.lengths.items()):
            if length.between and length.between[0] < length.between[1]:
                yield dim, length.multiple, length.between
    elif not hidden and case.performance and not _has_named_twin(task, case):
        yield from _steps_of_others(task, case, sizes)


def is_named_twin(case: Case) -> bool:
    """Whether the task file makes the case the twin of another."""
    return any(length.twin_of for length in case.lengths.values())


def _has_named_twin(task: Task, case: Case) -> bool:
    """Whether the case is a twin, or has one in the file."""
    return is_named_twin(case) or any(
        length.twin_of == case.name
        for other in task.hidden
        for length in other.lengths.values()
    )


def _steps_of_others(
    task: Task, case: Case, sizes: Mapping[str, int]
) -> Iterator[Step]:
    """A fixed size moves as the hidden cases allow: by the largest of their multiples
    that divides it, so that it stays as aligned as it is."""
    for dim in reversed(list(case.lengths) or [""]):
        drawn = [o.lengths[dim] for o in task.hidden if dim in o.lengths]
        ranges = [r for r in drawn if r.between and r.between[0] < r.between[1]]
        if not ranges:
            continue
        units = [r.multiple for r in ranges if sizes.get(dim, 0) % r.multiple == 0]
        ends = [end for r in ranges for end in r.between or ()]
        size = sizes.get(dim, ends[0])
        yield dim, max(units, default=1), (1, max(size, *ends))
