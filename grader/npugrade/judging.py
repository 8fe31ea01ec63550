"""Judge one submission: extract, run the cases, score. Runs in the judge process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from npugrade.caserun import CaseResult, Submission
from npugrade.cases import PUBLIC_SEED, CaseData, make_case
from npugrade.cells import Cell
from npugrade.extract import Extraction, extract
from npugrade.host import InfrastructureError, limits
from npugrade.isolation import level_in_force
from npugrade.messages import Text, say
from npugrade.plainrun import DrivenSubmission, FunctionSubmission
from npugrade.score import Speed, case_floor, is_counted, score
from npugrade.taskio import base_text
from npugrade.taskmodel import Task
from npugrade.tasks import TaskError, load_base
from npugrade.taskwords import phrase
from npugrade.twins import checked, tried_beside
from npugrade.verdict import Item, Verdict


def judge(
    task: Task,
    cells: Sequence[Cell],
    *,
    seed: str | None = None,
    solutions: Path | None = None,
    language: str = "en",
    known: Mapping[str, Any] | None = None,
    picture: bool = False,
) -> Verdict:
    """The verdict on a submission's cells.

    Visible cases always run, hidden ones where a `seed` is given. `known`: what the
    build measured (`load_base`), read from beside the task by default; a caller that
    judges many submissions of one seed may add `graded_cycles`, the base's in that
    seed's cases. `picture`: with the timeline of a run of a visible case. Raises
    InfrastructureError for faults of ours.
    """
    known = load_base(task.id) if known is None else known
    extraction = extract(cells, [task.entry.host])
    early = _not_attempted(task, extraction, known) or _unbuildable(task, extraction)
    if early:
        return _verdict(task, early, seed, language)
    datas = all_cases(task, seed)
    submission = submission_of(task, extraction)
    results = checked(run_cases(submission, datas))
    if seed is not None and all(result.passed for result in results):
        results = tried_beside(submission, results, seed)
    speeds: tuple[Speed, ...] = ()
    if all(result.passed for result in results):
        stored = known.get("cycles" if seed is None else "graded_cycles", {})
        speeds = measure_speeds(task, results, stored, solutions)
    items = score(task, results, speeds)
    verdict = _verdict(task, items, seed, language, _facts(results, speeds))
    shown = submission.shown.picture(language) if picture else None
    return replace(verdict, picture=shown)


_KINDS: Mapping[str, type[Submission]] = {
    "kernel": Submission,
    "function": FunctionSubmission,
    "driven": DrivenSubmission,
}


def submission_of(task: Task, extraction: Extraction) -> Submission:
    """What runs the cases of a task of this kind."""
    return _KINDS[task.kind](task, extraction)


def visible_cases(task: Task) -> list[CaseData]:
    """The cases that a check cell runs; their data are public."""
    return [make_case(task, case, False, PUBLIC_SEED) for case in task.visible]


def all_cases(task: Task, seed: str | None) -> list[CaseData]:
    """The public cases; with a `seed` all cases with its values."""
    if seed is None:
        return visible_cases(task)
    visible = [make_case(task, case, False, seed) for case in task.visible]
    return visible + [make_case(task, case, True, seed) for case in task.hidden]


def run_cases(
    submission: Submission, datas: Sequence[CaseData]
) -> tuple[CaseResult, ...]:
    """All results; after one that was stopped or does not build, nothing runs."""
    results: list[CaseResult] = []
    stopped = False
    for data in datas:
        if stopped:
            text = say("case.not-run")
            results.append(CaseResult(data, "not-run", "not-run", (text,), kind=text))
            continue
        result = submission.run(data)
        stopped = result.stops or result.stage in ("load", "compile")
        results.append(result)
    return tuple(results)


# ----------------------------------------------------------------------------- speed
def measure_speeds(
    task: Task,
    results: Sequence[CaseResult],
    stored: Mapping[str, int],
    solutions: Path | None,
) -> tuple[Speed, ...]:
    """Cycles of every case that counts; those of the base are `stored` or measured."""
    if not task.weights.performance:
        return ()
    timed = [r for r in results if r.data.case.performance]
    bases = _bases(task, [r.data for r in timed], stored, solutions)
    speeds = (
        Speed(r.data, r.cycles, bases[r.data.case.name], _floor(task, r)) for r in timed
    )
    counted = tuple(s for s in speeds if is_counted(s.base, s.floor))
    if not counted:
        raise InfrastructureError(f"{task.id}: no case counts for performance")
    return counted


def _floor(task: Task, result: CaseResult) -> int:
    return case_floor(task, result.data) if result.floor is None else result.floor


def _bases(
    task: Task,
    datas: Sequence[CaseData],
    stored: Mapping[str, int],
    solutions: Path | None,
) -> Mapping[str, int]:
    rest = [d for d in datas if d.case.name not in stored]
    if not rest:
        return stored
    if solutions is None:
        names = ", ".join(d.case.name for d in rest)
        raise InfrastructureError(f"{task.id}: no base cycles for {names}")
    return {**stored, **base_cycles(task, rest, solutions)}


def base_cycles(
    task: Task, datas: Sequence[CaseData], solutions: Path
) -> dict[str, int]:
    """Cycles of the task's base in each case; TaskError with the place if it is
    wrong."""
    cell = Cell("base.py", base_text(task, solutions))
    extraction = extract([cell], [task.entry.host])
    unread = [say("source.missing", name=name) for name in extraction.missing]
    for error in extraction.errors:
        unread.insert(0, say("source.syntax", **vars(error)))
    if unread:
        raise TaskError(phrase("base-unread", task=task.id, why=unread[0]))
    results = run_cases(submission_of(task, extraction), datas)
    for result in results:
        if not result.passed:
            name, why = result.data.case.name, result.messages[0]
            raise TaskError(phrase("base-fails", task=task.id, case=name, why=why))
    return {result.data.case.name: result.cycles for result in results}


# ------------------------------------------------------------------------- early ends
def _not_attempted(
    task: Task, extraction: Extraction, known: Mapping[str, Any]
) -> tuple[Item, ...] | None:
    """The items of an answer that nobody has touched, or None."""
    absent = bool(extraction.missing) and not extraction.errors
    starter = known.get("starter", "")
    same = extraction.fingerprint == starter
    untouched = same if starter else bool(extraction.holes)
    if not (absent or untouched) or extraction.errors:
        return None
    texts = [say("source.missing", name=name) for name in extraction.missing]
    return _all_items(task, "not-attempted", texts)


def _unbuildable(task: Task, extraction: Extraction) -> tuple[Item, ...] | None:
    """The items of an answer that is too long, or has a syntax error where it
    matters; or None."""
    texts = [say("source.syntax", **vars(error)) for error in extraction.errors]
    count, limit = len(extraction.text), limits()["host"]["text_characters"]
    if count > limit:
        name = task.entry.host
        texts = [say("source.too-long", name=name, count=count, limit=limit)]
    return _all_items(task, "fail", texts) if texts else None


def _all_items(task: Task, status: str, texts: Sequence[Text]) -> tuple[Item, ...]:
    weights = task.weights
    rest = "not-attempted" if status == "not-attempted" else "not-run"
    rows: tuple[tuple[str, Text], ...] = (
        ("accuracy", say("item.accuracy.all")),
        ("performance", say("item.performance.all")),
    )
    first = Item(
        "builds", say("item.builds"), 0.0, weights.builds, status, details=tuple(texts)
    )
    others = (Item(k, title, 0.0, getattr(weights, k), rest) for k, title in rows)
    return (first, *others)


# ---------------------------------------------------------------------------- verdict
def _verdict(
    task: Task,
    items: tuple[Item, ...],
    seed: str | None,
    language: str,
    facts: Mapping[str, Any] | None = None,
) -> Verdict:
    notes: list[Text] = []
    if items[0].status == "not-attempted":
        notes.append(say("note.not-attempted", task=task.id))
    elif seed is None:
        notes.append(say("note.hidden", count=len(task.hidden)))
    points = round(sum(item.points for item in items), 6)
    return Verdict(
        task=task.id,
        score=float(points),
        max_score=100.0,
        items=items,
        title=task.title.model_dump(),
        notes=tuple(notes),
        language=language,
        facts=facts or {},
        isolation=level_in_force().name if facts else "",
    )


def _facts(
    results: Sequence[CaseResult], speeds: Sequence[Speed]
) -> dict[str, dict[str, Any]]:
    """Numbers for tools: per case its outcome; for counted cases cycles and HAP."""
    facts: dict[str, dict[str, Any]] = {
        r.data.case.name: {"stage": r.stage, "code": r.code, "hidden": r.data.hidden}
        for r in results
    }
    for speed in speeds:
        facts[speed.data.case.name] |= {
            "cycles": speed.cycles,
            "base": speed.base,
            "floor": speed.floor,
            "hap": speed.hap,
        }
    return facts
