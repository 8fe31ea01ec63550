"""`npucamp task new`: a sound task under a new name, to be changed step by step.

A pattern of each kind stands in `grader/patterns`: task file, master notebook, base and
mutants. The copy passes `npucamp task check` at once, so whatever fails later is due to
the last change. Nothing is ever overwritten; cells are appended to a master notebook
that exists. Left out: the golden function, checker or world, which is Python of ours
and is written in `npugrade/golden`, `checkers` or `worlds`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from npugrade.taskio import solutions_folder, write_base_cycles
from npugrade.tasks import FOLDER, TaskError
from npugrade.taskwords import phrase

PATTERNS = Path(__file__).parents[1] / "patterns"
KINDS = {
    "kernel": ("t1-row-norm", "t1-rows"),
    "function": ("t2-tiling", "t2-plans"),
    "driven": ("t3-broadcast", "t3-programs"),
}
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Names:
    """What the pattern is called, and what the new task is."""

    pattern: str
    pattern_assignment: str
    task: str
    assignment: str

    def renamed(self, text: str) -> str:
        """`text` of the pattern with the new names."""
        text = text.replace(self.pattern_assignment, self.assignment)
        return text.replace(self.pattern, self.task)


def new_task(
    name: str,
    kind: str,
    assignment: str,
    *,
    tasks: Path = FOLDER,
    solutions: Path | None = None,
) -> list[Path]:
    """Write the files of a new task of `kind`; their paths, base cycles last.

    TaskError for a name that is no id, an unknown kind, a file that exists, or where
    there are no `solutions/`.
    """
    solutions = solutions or solutions_folder()
    names = _names(name, kind, assignment)
    if solutions is None or not PATTERNS.is_dir():
        raise TaskError(phrase("new-in-a-clone"))
    files = _files(names, tasks, solutions)
    present = [str(p) for p in files if p.exists()]
    if present:
        raise TaskError(phrase("new-exists", paths=", ".join(present)))
    master = solutions / assignment / f"{assignment}.py"
    for path, text in files.items():
        _write(path, text)
    _append(master, _master(names))
    return [*files, master, write_base_cycles(name, tasks, solutions)]


def _names(name: str, kind: str, assignment: str) -> Names:
    for what, text in (("task", name), ("assignment", assignment)):
        if not _ID.fullmatch(text):
            raise TaskError(phrase("new-name", what=what, name=text))
    if kind not in KINDS:
        raise TaskError(phrase("new-kind", kind=kind, known=", ".join(KINDS)))
    return Names(*KINDS[kind], name, assignment)


def _files(names: Names, tasks: Path, solutions: Path) -> dict[Path, str]:
    """All files but the master notebook: where they go, and what stands in them."""
    source = PATTERNS / "solutions" / names.pattern_assignment / names.pattern
    target = solutions / names.assignment / names.task
    files = {tasks / f"{names.task}.toml": PATTERNS / f"tasks/{names.pattern}.toml"}
    for path in sorted(source.rglob("*")):
        if path.suffix in (".py", ".toml"):
            files[target / path.relative_to(source)] = path
    return {to: names.renamed(f.read_text("utf-8")) for to, f in files.items()}


def _master(names: Names) -> str:
    """The cells of the task in a master notebook."""
    folder = PATTERNS / "solutions" / names.pattern_assignment
    text = (folder / f"{names.pattern_assignment}.py").read_text("utf-8")
    return names.renamed(text)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _append(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as stream:
        stream.write(text)
