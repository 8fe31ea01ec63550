"""From the results of the cases to points: 20 builds, 30 accuracy, 50 performance.

Builds: everything loads and every launched kernel compiles. Accuracy: each group of
cases counts alike, all its cases must pass. Performance, only with full accuracy: for
each counted case HAP = (B − F) / ((T − F) + (B − F)) with the cycles T of the
submission, B of the plain base kernel and F of the floor; HAP 0.5 (the base's speed)
earns nothing, 0.8 earns all. Cases count where B ≥ 1.5 F.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from npugrade.caserun import CaseResult
from npugrade.cases import CaseData
from npugrade.messages import Text, same, say
from npugrade.taskmodel import Task
from npugrade.taskshape import evaluate
from npugrade.verdict import Item
from npusim.chip import load_chip
from npusim.lang.types import DTYPES, dtype_of
from npusim.timing import floor_cycles

HAP_ZERO, HAP_SPAN = 0.5, 0.3
COUNTED_RATIO = 1.5
_NOT_BUILT = ("load", "compile")


@dataclass(frozen=True)
class Speed:
    """Cycles of one counted case: the submission's, the base's, the floor's."""

    data: CaseData
    cycles: int
    base: int
    floor: int

    @property
    def hap(self) -> float:
        gap = self.base - self.floor
        return gap / ((self.cycles - self.floor) + gap)

    @property
    def below_floor(self) -> bool:
        return self.cycles < self.floor

    @property
    def share(self) -> float:
        """Share of the case's points, 0 to 1."""
        if self.below_floor:
            return 0.0
        return min(max((self.hap - HAP_ZERO) / HAP_SPAN, 0.0), 1.0)


def case_floor(task: Task, data: CaseData) -> int:
    """The floor in cycles of a case: its compulsory bytes and vector repeats."""
    chip, floor, launch = load_chip(task.launch.chip), task.floor, task.launch
    forms = case_forms(task, data)
    written = sum(_nbytes(forms[name]) for name in task.entry.outputs)
    read = sum(_nbytes(forms[name]) for name in task.entry.inputs)
    form = forms[floor.over or task.entry.outputs[0]]
    repeats = math.ceil(_nbytes(form) / chip.constant("repeat"))
    per_repeat = sum(chip.vector_cost(key, form[1]).free for key in floor.vector)
    return floor_cycles(
        chip,
        _or(floor.read_nbytes, data, read),
        _or(floor.written_nbytes, data, written),
        repeats * per_repeat,
        cache=launch.cache,
        code=launch.code,
    )


def case_forms(task: Task, data: CaseData) -> dict[str, tuple[tuple[int, ...], str]]:
    """Shape and dtype name of each array of a case."""
    found = ((a.shape, dtype_of(a.dtype)) for a in data.inputs)
    inputs = [(shape, dtype.name) for shape, dtype in found if dtype is not None]
    return dict(zip(task.entry.arrays, [*inputs, *data.outputs], strict=True))


def _nbytes(form: tuple[tuple[int, ...], str]) -> int:
    return math.prod(form[0]) * DTYPES[form[1]].itemsize


def _or(text: str | None, data: CaseData, usual: int) -> int:
    return usual if text is None else evaluate(text, data.dims)


def is_counted(base: int, floor: int) -> bool:
    """Whether there is enough between base and floor to measure."""
    return base >= COUNTED_RATIO * floor


def score(
    task: Task, results: Sequence[CaseResult], speeds: Sequence[Speed]
) -> tuple[Item, ...]:
    """The items of a verdict. `speeds`: counted cases, empty if not fully accurate."""
    built = _built(results)
    accuracy = _accuracy_items(task, results, built)
    right = built and all(item.status == "pass" for item in accuracy)
    return (
        *_builds_items(task, results, built),
        *accuracy,
        *_performance_items(task, speeds if right else ()),
    )


def _built(results: Sequence[CaseResult]) -> bool:
    """Whether the answer loads, compiles, and launched at least once."""
    reached = any(
        r.launches or r.stage in ("run", "guard", "accuracy") for r in results
    )
    return reached and all(r.stage not in _NOT_BUILT for r in results)


def _builds_items(
    task: Task, results: Sequence[CaseResult], built: bool
) -> tuple[Item, ...]:
    """One item; none where nothing failed and it is worth nothing."""
    if built and not task.weights.builds:
        return ()
    return (_builds_item(task, results, built),)


def _builds_item(task: Task, results: Sequence[CaseResult], built: bool) -> Item:
    weight, title = task.weights.builds, say("item.builds")
    if built:
        return Item("builds", title, weight, weight, "pass")
    shown = next((r for r in results if r.stage in _NOT_BUILT), results[0])
    texts = (shown.kind,) if shown.data.hidden else shown.messages
    return Item("builds", title, 0.0, weight, "fail", details=texts)


def _accuracy_items(
    task: Task, results: Sequence[CaseResult], built: bool
) -> tuple[Item, ...]:
    groups: dict[str, list[CaseResult]] = {}
    for result in results:
        groups.setdefault(result.data.case.group, []).append(result)
    points = task.weights.accuracy / len(groups)
    seen = _cases_by_fault(results)
    return tuple(
        _accuracy_item(task, name, members, points, built, seen)
        for name, members in groups.items()
    )


def _cases_by_fault(results: Sequence[CaseResult]) -> Mapping[str, list[str]]:
    """Names of the visible cases that each fault stopped."""
    cases: dict[str, list[str]] = {}
    for result in results:
        if not result.data.hidden:
            for fault in result.by_fault:
                cases.setdefault(fault, []).append(result.data.case.name)
    return cases


def _accuracy_item(
    task: Task,
    group: str,
    members: Sequence[CaseResult],
    points: float,
    built: bool,
    seen: Mapping[str, list[str]],
) -> Item:
    title = say("item.accuracy", group=task.groups[group].model_dump())
    key = f"accuracy/{group}"
    if not built:
        text = say("case.not-built")
        return Item(key, title, 0.0, points, "not-run", text)
    failed = [r for r in members if not r.passed]
    if not failed:
        return Item(key, title, points, points, "pass")
    status = "fail" if any(r.stage != "not-run" for r in failed) else "not-run"
    details = tuple(line for r in failed for line in _case_lines(r, seen))
    return Item(key, title, 0.0, points, status, details=details)


def _case_lines(result: CaseResult, seen: Mapping[str, list[str]]) -> list[Text]:
    """What a failed case says; a message of several visible cases stands once, with
    the first of them."""
    data, case = result.data, result.data.case
    if data.hidden:
        return [say("case.hidden", case=case.name, text=result.kind)]
    lines: list[Text] = []
    for fault, message in result.by_fault.items():
        first, *others = seen[fault]
        if first == case.name:
            lines += [message, *_same_in(others)]
    if not lines:
        return []
    facts = case_facts(data)
    key = "case.visible" if facts["en"] else "case.plain"
    return [say(key, text=lines[0], case=case.name, facts=facts), *lines[1:]]


def case_facts(data: CaseData) -> Text:
    """What tells a visible case apart: its dimensions or shape, its dtype."""
    named = ", ".join(f"{name} {size:,}" for name, size in data.dims.items())
    if not named and data.outputs:
        shape = " × ".join(map(str, data.outputs[0][0]))
        return say("case.shape", shape=shape, dtype=data.case.dtype)
    return same(", ".join(part for part in (named, data.case.dtype) if part))


def _same_in(cases: Sequence[str]) -> list[Text]:
    listed = {"en": ", ".join(cases), "zh": "、".join(cases)}
    return [say("case.same", cases=listed)] if cases else []


def _performance_items(task: Task, speeds: Sequence[Speed]) -> tuple[Item, ...]:
    weight = task.weights.performance
    if not weight:
        return ()
    if not speeds:
        text, title = say("performance.not-run"), say("item.performance.all")
        return (Item("performance", title, 0.0, weight, "not-run", text),)
    return tuple(_performance_item(task, s, weight / len(speeds)) for s in speeds)


def _performance_item(task: Task, speed: Speed, points: float) -> Item:
    name, hidden = speed.data.case.name, speed.data.hidden
    facts: Mapping[str, float] = {
        "cycles": speed.cycles,
        "base": speed.base,
        "floor": speed.floor,
    }
    if speed.below_floor:
        text = say("performance.below-floor", **facts)
    elif hidden:
        text = say("performance.hidden", hap=speed.hap)
    else:
        text = say(f"performance.visible.{task.kind}", hap=speed.hap, **facts)
    earned = points * speed.share
    title = say("item.performance", case=name)
    return Item(f"performance/{name}", title, earned, points, _status(speed), text)


def _status(speed: Speed) -> str:
    if speed.share >= 1.0:
        return "pass"
    return "partial" if speed.share > 0.0 else "fail"
