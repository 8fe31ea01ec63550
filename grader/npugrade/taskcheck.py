"""`npucamp task check NAME`: is a task sound?

Proves, with the same judge that grades: the reference earns full marks and HAP ≥ 0.8
in every counted case; the base is right and earns no performance points; the starter
is "not attempted"; each mutant fails as `mutants.toml` says, in those cases and no
other; there are at least four mutants, two of them seen by hidden cases only; no
measured time is below its floor; a mutant differs from the reference in at most five
lines, and two of them fail on degenerate data only. The lengths of hidden cases vary,
and an answer that looks up exact shapes is rejected.
"""

from __future__ import annotations

import ast
import difflib
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

from npugrade.cells import Cell
from npugrade.judging import all_cases, base_cycles, judge
from npugrade.lookup import look_ups
from npugrade.messages import LANGUAGES, Text, join, same, say
from npugrade.taskio import (
    Mutant,
    base_text,
    extract_for,
    load_mutants,
    master_cells,
    measure_base,
    solutions_folder,
)
from npugrade.taskmodel import Task
from npugrade.tasks import FOLDER, TaskError, load_base, load_task
from npugrade.taskwords import in_force, phrase
from npugrade.verdict import Verdict

NAME_COLUMNS = 34
TRUSTED = ("golden", "checkers", "worlds")  # Python that a task brings
SEEDS = ("task-check-1", "task-check-2")
HAP_FULL, HAP_BASE = 0.8, 0.5
MUTANTS, HIDDEN_MUTANTS, DEGENERATE_MUTANTS, MUTANT_LINES = 4, 2, 2, 5


@dataclass(frozen=True)
class Line:
    """One thing that was proved or not."""

    name: Text
    passed: bool
    detail: Text = field(default_factory=lambda: same(""))


@dataclass(frozen=True)
class Report:
    """All lines of a task; `passed` if every one holds."""

    task: str
    lines: tuple[Line, ...]

    @property
    def passed(self) -> bool:
        return all(line.passed for line in self.lines)

    @property
    def text(self) -> Text:
        """The whole report."""
        end = "sound" if self.passed else "unsound"
        head = phrase(f"report.{end}", task=self.task)
        return join([head, *map(_row, self.lines)])


def _row(line: Line) -> Text:
    mark = "ok  " if line.passed else "FAIL"
    return {
        one: f"  {mark}  {_padded(line.name[one])} {line.detail[one]}"
        for one in LANGUAGES
    }


def _padded(text: str) -> str:
    """`text` in NAME_COLUMNS columns; an ideograph takes two of them."""
    wide = sum(east_asian_width(character) in "WF" for character in text)
    return text + " " * (NAME_COLUMNS - len(text) - wide)


def main(name: str, tasks: Path = FOLDER, solutions: Path | None = None) -> int:
    """Print the report of task `name`; 0 if it is sound, 1 if not, 2 if unreadable.

    `tasks`, `solutions`: other folders than the usual ones."""
    try:
        report = check_task(name, tasks=tasks, solutions=solutions)
    except TaskError as error:
        print(error)
        return 2
    except Exception as error:
        place = trusted_place(error)
        if place is None:
            raise  # an error of ours
        why = f"{type(error).__name__}: {error}"
        print(in_force(phrase("trusted-code", place=place, why=why)))
        return 2
    print(in_force(report.text))
    return 0 if report.passed else 1


def trusted_place(error: BaseException) -> str | None:
    """`golden/z5.py, line 12` where the task's own Python raised `error`."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if Path(f.filename).parent.name in TRUSTED]
    if not own:
        return None
    path = Path(own[-1].filename)
    return f"{path.parent.name}/{path.name}:{own[-1].lineno}"


def check_task(
    name: str,
    seeds: Sequence[str] = SEEDS,
    *,
    tasks: Path = FOLDER,
    solutions: Path | None = None,
) -> Report:
    """Check one task for every seed. TaskError where a file is missing or wrong."""
    task, solutions = load_task(name, tasks), solutions or solutions_folder()
    if solutions is None:
        raise TaskError(phrase("no-solutions", name=name))
    checker = Checker(task, solutions, tasks)
    lines = [checker.stored_base(), checker.starter()]
    for seed in seeds:
        lines += [*checker.reference(seed), *checker.base(seed)]
    lines += checker.look_up(seeds[0])
    mutants = load_mutants(task, solutions)
    lines += [checker.mutant(m, text, seeds[0]) for m, text in mutants]
    lines += _counts(task, [mutant for mutant, _ in mutants])
    return Report(name, tuple(lines))


class Checker:
    """Runs the judge on the task's own files."""

    def __init__(self, task: Task, solutions: Path, tasks: Path = FOLDER):
        self.task, self.solutions, self.tasks = task, solutions, tasks
        self.known = measure_base(task, solutions)
        self.answer = master_cells(task, solutions, solved=True)
        self._graded: dict[str, dict[str, int]] = {}

    def judge(self, cells: Sequence[Cell], seed: str | None) -> Verdict:
        known = {**self.known, "graded_cycles": self._graded_cycles(seed)}
        return judge(self.task, cells, seed=seed, solutions=self.solutions, known=known)

    def _graded_cycles(self, seed: str | None) -> dict[str, int]:
        """The base's cycles in the timed cases of a seed, measured once."""
        if seed is not None and seed not in self._graded:
            timed = [d for d in all_cases(self.task, seed) if d.case.performance]
            self._graded[seed] = base_cycles(self.task, timed, self.solutions)
        return self._graded.get(seed or "", {})

    def stored_base(self) -> Line:
        stored = load_base(self.task.id, self.tasks)
        name = phrase("line.stored-base")
        if stored == self.known:
            return Line(name, True)
        return Line(name, False, phrase("line.rebuild"))

    def starter(self) -> Line:
        cells = master_cells(self.task, self.solutions, solved=False)
        verdict = self.judge(cells, None)
        passed = not verdict.attempted and verdict.score == 0.0
        return Line(
            phrase("line.starter"), passed, phrase("line.score", score=verdict.score)
        )

    def reference(self, seed: str) -> Iterator[Line]:
        verdict = self.judge(self.answer, seed)
        full = verdict.score == verdict.max_score
        more = {one: "" if full else f"\n{verdict.text(one)}" for one in LANGUAGES}
        detail = phrase("line.of-100", score=verdict.score, more=more)
        yield Line(phrase("line.reference", seed=seed), full, detail)
        for name, fact in _timed(verdict):
            passed = fact["hap"] >= HAP_FULL and fact["cycles"] >= fact["floor"]
            yield Line(phrase("line.speed", case=name), passed, _speed_text(fact))

    def base(self, seed: str) -> Iterator[Line]:
        cell = Cell("base.py", base_text(self.task, self.solutions))
        verdict = self.judge([cell], seed)
        expected = self.task.weights.builds + self.task.weights.accuracy
        passed = abs(verdict.score - expected) < 1e-6
        yield Line(
            phrase("line.base", seed=seed),
            passed,
            phrase("line.due", score=verdict.score, due=expected),
        )
        for name, fact in _timed(verdict):
            passed = abs(fact["hap"] - HAP_BASE) < 1e-9 and fact["base"] > fact["floor"]
            yield Line(phrase("line.base-speed", case=name), passed, _speed_text(fact))

    def look_up(self, seed: str) -> Iterator[Line]:
        """A look-up of exact shapes fails in each case that has a twin."""
        if self.task.kind != "kernel":
            return
        answers = list(look_ups(self.task, all_cases(self.task, seed), seed))
        due = sorted({name for answer in answers for name in answer.due})
        yield Line(phrase("line.vary"), bool(due), same(", ".join(due)))
        for answer in answers:
            cells = [*self.answer, Cell("look-up", answer.text)]
            missed = ", ".join(answer.missed(self.judge(cells, seed).facts))
            detail = same(", ".join(sorted(answer.due)))
            if missed:
                detail = phrase("line.missed", cases=missed)
            yield Line(phrase("line.look-up"), not missed, detail)

    def mutant(self, mutant: Mutant, text: str, seed: str) -> Line:
        cell = Cell(mutant.file, text)
        if unread := _unread(cell):
            return Line(phrase("line.mutant", file=mutant.file), False, unread)
        verdict = self.judge([cell], seed)
        failed = {
            name: fact["code"] for name, fact in verdict.facts.items() if fact["stage"]
        }
        name = phrase("line.mutant", file=mutant.file)
        count = changed_lines(self._text(self.answer), self._text([cell]))
        if failed != mutant.due:
            facts = {"due": str(mutant.due), "got": str(failed), "lines": count}
            return Line(name, False, phrase("line.fails-otherwise", **facts))
        if not 1 <= count <= MUTANT_LINES:
            facts = {"lines": count, "most": MUTANT_LINES}
            return Line(name, False, phrase("line.too-many-lines", **facts))
        facts = {"code": mutant.expect, "cases": ", ".join(mutant.cases)}
        return Line(name, True, phrase("line.fails", lines=count, **facts))

    def _text(self, cells: Sequence[Cell]) -> str:
        return extract_for(self.task, tuple(cells)).text


def _unread(cell: Cell) -> Text | None:
    """What is wrong with a text that is no Python."""
    try:
        ast.parse(cell.text)
    except SyntaxError as error:
        facts = {"line": error.lineno, "message": error.msg, "text": error.text or ""}
        return say("source.syntax", label=cell.label, **facts)
    return None


def changed_lines(reference: str, mutant: str) -> int:
    """How many lines differ; comments, empty lines and layout do not count."""
    old, new = (ast.unparse(ast.parse(t)).splitlines() for t in (reference, mutant))
    old, new = ([line for line in lines if line] for lines in (old, new))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return sum(
        max(i2 - i1, j2 - j1)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    )


def _timed(verdict: Verdict) -> list[tuple[str, dict[str, Any]]]:
    return [(name, fact) for name, fact in verdict.facts.items() if "hap" in fact]


def _speed_text(fact: dict[str, Any]) -> Text:
    return phrase(
        "line.hap", **{k: fact[k] for k in ("hap", "cycles", "base", "floor")}
    )


def _counts(task: Task, mutants: Sequence[Mutant]) -> list[Line]:
    visible = {case.name for case in task.visible}
    degenerate = {case.name for case in task.cases if case.degenerate}
    found = {
        "mutants": (MUTANTS, list(mutants)),
        "hidden-mutants": (
            HIDDEN_MUTANTS,
            [m for m in mutants if not visible & set(m.due)],
        ),
        "degenerate-mutants": (
            DEGENERATE_MUTANTS,
            [m for m in mutants if set(m.due) <= degenerate],
        ),
    }
    return [
        Line(
            phrase(f"line.{key}", count=least),
            len(those) >= least,
            same(", ".join(m.file for m in those)),
        )
        for key, (least, those) in found.items()
    ]
