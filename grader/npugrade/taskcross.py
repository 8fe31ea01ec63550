"""Do the tables of a task file fit together? Every mistake with its place.

Names of cases, groups, twins, arrays, dimensions, attributes, counters, instructions
and functions; what each kind of task must and must not have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from npugrade.checkers import CHECKERS
from npugrade.golden import GOLDEN
from npugrade.messages import Text
from npugrade.taskmodel import Task
from npugrade.taskparts import Case, Constraints, Length, Values
from npugrade.taskshape import names_of
from npugrade.taskwords import phrase
from npugrade.tolerance import RULES
from npugrade.worlds import WORLDS
from npusim.chip import chip_names, load_chip
from npusim.lang.types import DTYPES
from npusim.profile import COUNTER_NAMES

Mistake = tuple[str, Text]  # place in the file, what is wrong there


def mistakes(task: Task, name: str) -> list[Mistake]:
    """All mistakes of a task whose file is called `name`, in the order of the file."""
    found: list[Mistake] = []
    if task.id != name:
        found.append(("id", phrase("id-differs", found=task.id)))
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
            yield key, phrase("kind-has-none", kind=task.kind)
        if kind == task.kind and not value:
            yield key, phrase("kind-needs", kind=kind, known=", ".join(known))
        elif kind == task.kind and value not in known:
            yield key, phrase("no-function", value=value, known=", ".join(known))
    is_kernel = task.kind == "kernel"
    for key in ("inputs", "outputs"):
        if is_kernel and not getattr(task.entry, key):
            yield f"entry.{key}", phrase("kernel-at-least-one")
    if not is_kernel and task.entry.outputs:
        yield "entry.outputs", phrase("returns-answer", kind=task.kind)


# ------------------------------------------------------------------ arrays and floor
def _arrays(task: Task) -> Iterator[Mistake]:
    names = task.entry.arrays
    for name in sorted({n for n in names if names.count(n) > 1}):
        yield "entry", phrase("two-arrays", name=name)
    for name in task.arrays:
        if name not in names:
            yield f"arrays.{name}", phrase("no-such-array")
    needed = names if task.arrays or task.kind != "kernel" else ()
    for name in needed:
        if name not in task.arrays:
            yield f"arrays.{name}", phrase("no-table")
    for name, array in task.arrays.items():
        if isinstance(array.tolerance, str) and array.tolerance not in ("", *RULES):
            yield f"arrays.{name}.tolerance", phrase("no-rule", rule=array.tolerance)
        if array.values and array.dtype:
            yield from _values(f"arrays.{name}.values", array.values, array.dtype)


def _floor(task: Task) -> Iterator[Mistake]:
    if task.launch.chip not in chip_names():
        yield "launch.chip", phrase("no-chip", chip=task.launch.chip)
        return
    rows = {key.partition(":")[0] for key in load_chip(task.launch.chip).vector}
    for key in task.floor.vector:
        if key not in rows:
            yield "floor.vector", phrase("no-instruction", name=key)
    if task.floor.over and task.floor.over not in task.entry.arrays:
        yield "floor.over", phrase("no-array", name=task.floor.over)


# -------------------------------------------------------------------------- the cases
def _cases(task: Task) -> Iterator[Mistake]:
    names = [case.name for case in task.cases]
    for name in sorted({n for n in names if names.count(n) > 1}):
        yield "cases", phrase("two-cases", name=name)
    for place, case in _places(task):
        if case.group not in task.groups:
            yield f"{place}.group", phrase("no-group", group=case.group)
        for rule in (_twins, _size, _attributes, _case_values):
            yield from rule(task, place, case)
    used = {case.group for case in task.cases}
    for group in task.groups:
        if group not in used:
            yield f"groups.{group}", phrase("empty-group")


def _twins(task: Task, place: str, case: Case) -> Iterator[Mistake]:
    for dim, length in case.lengths.items():
        where = f"{place}.dims.{dim}" if dim else f"{place}.length"
        twin = task.draws.get(length.twin_of)
        if not length.twin_of:
            continue
        if twin is None:
            yield where, phrase("no-twin", name=length.twin_of)
        elif dim and dim not in twin.dims:
            yield where, phrase("twin-dimension", name=twin.name, dim=dim)
        elif not dim and twin.length is None and twin.shape is None:
            yield where, phrase("twin-length", name=twin.name)
        elif dim in twin.lengths and twin.lengths[dim].twin_of:
            yield where, phrase("twin-of-twin", name=twin.name)
        elif not _is_step(length.offset, twin.lengths.get(dim)):
            yield where, phrase("twin-far", offset=length.offset)
    offsets = [length.offset for length in case.lengths.values() if length.twin_of]
    if offsets and not any(offsets):
        yield place, phrase("twin-same")


def _is_step(offset: int, recipe: Length | None) -> bool:
    """One element, or one multiple where the twin's recipe promises multiples."""
    return abs(offset) in (0, 1, recipe.multiple if recipe else 1)


def _size(task: Task, place: str, case: Case) -> Iterator[Mistake]:
    if task.kind == "kernel" and not task.arrays:
        if case.shape is None and case.length is None:
            yield place, phrase("shape-or-length")
        if case.dims:
            yield f"{place}.dims", phrase("dims-need-arrays")
    elif case.shape is not None or case.length is not None:
        yield place, phrase("give-dims")
    for name, array in task.arrays.items():
        for number, extent in enumerate(array.shape):
            for dim in sorted(names_of(extent) - set(case.dims)):
                where = f"{place}.dims"
                yield where, phrase("dim-missing", dim=dim, name=name, number=number)
    inherits = not task.arrays or any(not a.dtype for a in task.arrays.values())
    if inherits and task.entry.arrays and not case.dtype:
        yield f"{place}.dtype", phrase("dtype-missing")


def _attributes(task: Task, place: str, case: Case) -> Iterator[Mistake]:
    given = {*task.attributes, *case.attributes, *case.dims}
    known = (*task.entry.attributes, *task.entry.unseen)
    for name in known:
        if name not in given:
            yield f"{place}.attributes", phrase("no-value", name=name)
    for name in case.attributes:
        if name not in known:
            yield f"{place}.attributes.{name}", phrase("no-attribute")


def _case_values(task: Task, place: str, case: Case) -> Iterator[Mistake]:
    for name, values in case.values_of.items():
        if name not in task.entry.inputs:
            yield f"{place}.values_of.{name}", phrase("no-input")
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
            yield f"{place}.special", phrase("no-special", dtype=dtype, special=special)


# ------------------------------------------------------------------------ constraints
def _constraints(task: Task) -> Iterator[Mistake]:
    yield from _limits(task, "constraints", task.constraints, task.cases)
    for place, case in _places(task):
        yield from _limits(task, f"{place}.constraints", case.constraints, [case])


def _limits(
    task: Task, place: str, table: Constraints, cases: Sequence[Case]
) -> Iterator[Mistake]:
    if task.kind != "kernel" and table != Constraints():
        yield place, phrase("only-kernels")
    for name in table.counters:
        if name not in COUNTER_NAMES:
            yield f"{place}.counters.{name}", phrase("no-counter")
    limits = {f"counters.{k}": v for k, v in table.counters.items()}
    short = {key: getattr(table, key) for key in ("max_cores", "max_instructions")}
    limits |= {key: limit for key, limit in short.items() if limit is not None}
    for key, limit in limits.items():
        for name in sorted(names_of(limit)):
            if not all(name in case.dims for case in cases):
                yield f"{place}.{key}", phrase("limit-dimension", name=name)
