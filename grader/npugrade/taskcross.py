"""Do the tables of a task file fit together? Every mistake with its place.

Names of cases, groups, twins, arrays, dimensions, attributes, counters, instructions
and functions; what each kind of task must and must not have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from npugrade.checkers import CHECKERS
from npugrade.golden import GOLDEN
from npugrade.taskmodel import Task
from npugrade.taskparts import Case, Constraints, Length, Values
from npugrade.taskshape import names_of
from npugrade.tolerance import RULES
from npugrade.worlds import WORLDS
from npusim.chip import chip_names, load_chip
from npusim.lang.types import DTYPES
from npusim.profile import COUNTER_NAMES

Mistake = tuple[str, str]  # place in the file, what is wrong there


def mistakes(task: Task, name: str) -> list[Mistake]:
    """All mistakes of a task whose file is called `name`, in the order of the file."""
    found = [] if task.id == name else [("id", f"{task.id!r} is not the file's name")]
    for rule in (_kind, _arrays, _floor, _cases, _constraints):
        found += rule(task)
    return found


def _places(task: Task) -> Iterator[tuple[str, Case]]:
    for part in ("visible", "hidden"):
        for number, case in enumerate(getattr(task, part)):
            yield f"{part}.{number}", case


# ------------------------------------------------------------------------- the kinds
_OF_KIND: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "kernel": ("golden", GOLDEN),
    "function": ("checker", CHECKERS),
    "driven": ("world", WORLDS),
}


def _kind(task: Task) -> Iterator[Mistake]:
    for kind, (key, known) in _OF_KIND.items():
        value = getattr(task, key)
        if kind != task.kind and value:
            yield key, f"a {task.kind} task has none"
        if kind == task.kind and not value:
            yield key, f"a {kind} task needs one; known: {', '.join(known)}"
        elif kind == task.kind and value not in known:
            yield key, f"no function {value!r}; known: {', '.join(known)}"
    is_kernel = task.kind == "kernel"
    for key in ("inputs", "outputs"):
        if is_kernel and not getattr(task.entry, key):
            yield f"entry.{key}", "a kernel task has at least one"
    if not is_kernel and task.entry.outputs:
        yield "entry.outputs", f"a {task.kind} task returns its answer"


# ------------------------------------------------------------------ arrays and floor
def _arrays(task: Task) -> Iterator[Mistake]:
    names = task.entry.arrays
    for name in sorted({n for n in names if names.count(n) > 1}):
        yield "entry", f"two arrays are called {name!r}"
    for name in task.arrays:
        if name not in names:
            yield f"arrays.{name}", "entry names no such input or output"
    needed = names if task.arrays or task.kind != "kernel" else ()
    for name in needed:
        if name not in task.arrays:
            yield f"arrays.{name}", "has no table, though others have"
    for name, array in task.arrays.items():
        if isinstance(array.tolerance, str) and array.tolerance not in ("", *RULES):
            yield f"arrays.{name}.tolerance", f"no rule {array.tolerance!r}"
        if array.values and array.dtype:
            yield from _values(f"arrays.{name}.values", array.values, array.dtype)


def _floor(task: Task) -> Iterator[Mistake]:
    if task.launch.chip not in chip_names():
        yield "launch.chip", f"no chip {task.launch.chip!r}"
        return
    rows = {key.partition(":")[0] for key in load_chip(task.launch.chip).vector}
    for key in task.floor.vector:
        if key not in rows:
            yield "floor.vector", f"no vector instruction {key!r}"
    if task.floor.over and task.floor.over not in task.entry.arrays:
        yield "floor.over", f"entry names no array {task.floor.over!r}"


# -------------------------------------------------------------------------- the cases
def _cases(task: Task) -> Iterator[Mistake]:
    names = [case.name for case in task.cases]
    for name in sorted({n for n in names if names.count(n) > 1}):
        yield "cases", f"two cases are called {name!r}"
    for place, case in _places(task):
        if case.group not in task.groups:
            yield f"{place}.group", f"no group {case.group!r}"
        for rule in (_twins, _size, _attributes, _case_values):
            yield from rule(task, place, case)
    used = {case.group for case in task.cases}
    for group in task.groups:
        if group not in used:
            yield f"groups.{group}", "no case is of this group"


def _twins(task: Task, place: str, case: Case) -> Iterator[Mistake]:
    for dim, length in case.lengths.items():
        where = f"{place}.dims.{dim}" if dim else f"{place}.length"
        twin = task.draws.get(length.twin_of)
        if not length.twin_of:
            continue
        if twin is None:
            yield where, f"no case {length.twin_of!r} to be twin of"
        elif dim and dim not in twin.dims:
            yield where, f"case {twin.name!r} has no dimension {dim!r}"
        elif not dim and twin.length is None and twin.shape is None:
            yield where, f"case {twin.name!r} has no length"
        elif dim in twin.lengths and twin.lengths[dim].twin_of:
            yield where, f"case {twin.name!r} is a twin itself"
        elif not _is_step(length.offset, twin.lengths.get(dim)):
            yield where, f"a twin lies one element away, not {length.offset}"
    offsets = [length.offset for length in case.lengths.values() if length.twin_of]
    if offsets and not any(offsets):
        yield place, "a twin lies one element away: give an `offset`"


def _is_step(offset: int, recipe: Length | None) -> bool:
    """One element, or one multiple where the twin's recipe promises multiples."""
    return abs(offset) in (0, 1, recipe.multiple if recipe else 1)


def _size(task: Task, place: str, case: Case) -> Iterator[Mistake]:
    if task.kind == "kernel" and not task.arrays:
        if case.shape is None and case.length is None:
            yield place, "give either `shape` or `length`"
        if case.dims:
            yield f"{place}.dims", "named dimensions need a table of arrays"
    elif case.shape is not None or case.length is not None:
        yield place, "give `dims`: the arrays have tables"
    for name, array in task.arrays.items():
        for number, extent in enumerate(array.shape):
            for dim in sorted(names_of(extent) - set(case.dims)):
                where = f"{place}.dims"
                yield where, f"no {dim!r}, which arrays.{name}.shape.{number} reads"
    inherits = not task.arrays or any(not a.dtype for a in task.arrays.values())
    if inherits and task.entry.arrays and not case.dtype:
        yield f"{place}.dtype", "missing: an array takes its dtype from the case"


def _attributes(task: Task, place: str, case: Case) -> Iterator[Mistake]:
    given = {*task.attributes, *case.attributes, *case.dims}
    for name in task.entry.attributes:
        if name not in given:
            yield f"{place}.attributes", f"no value for {name!r}"
    for name in case.attributes:
        if name not in task.entry.attributes:
            yield f"{place}.attributes.{name}", "entry names no such attribute"


def _case_values(task: Task, place: str, case: Case) -> Iterator[Mistake]:
    for name, values in case.values_of.items():
        if name not in task.entry.inputs:
            yield f"{place}.values_of.{name}", "entry names no such input"
        else:
            array = task.arrays.get(name)
            dtype = (array.dtype if array else "") or case.dtype
            yield from _values(f"{place}.values_of.{name}", values, dtype)
    if case.values and case.dtype:
        yield from _values(f"{place}.values", case.values, case.dtype)


def _values(place: str, values: Values, dtype: str) -> Iterator[Mistake]:
    floating = DTYPES[dtype].is_float
    for special in values.special:
        if not floating and special not in ("max", "min"):
            yield f"{place}.special", f"{dtype} has no {special}"


# ------------------------------------------------------------------------ constraints
def _constraints(task: Task) -> Iterator[Mistake]:
    yield from _limits(task, "constraints", task.constraints, task.cases)
    for place, case in _places(task):
        yield from _limits(task, f"{place}.constraints", case.constraints, [case])


def _limits(
    task: Task, place: str, table: Constraints, cases: Sequence[Case]
) -> Iterator[Mistake]:
    if task.kind != "kernel" and table != Constraints():
        yield place, "only kernel tasks have runs to constrain"
    for name in table.counters:
        if name not in COUNTER_NAMES:
            yield f"{place}.counters.{name}", "no such counter; see docs/counters.md"
    limits = {f"counters.{k}": v for k, v in table.counters.items()}
    short = {key: getattr(table, key) for key in ("max_cores", "max_instructions")}
    limits |= {key: limit for key, limit in short.items() if limit is not None}
    for key, limit in limits.items():
        for name in sorted(names_of(limit)):
            if not all(name in case.dims for case in cases):
                yield f"{place}.{key}", f"no dimension {name!r} in every case"
