"""Every file that `npucamp build` writes, as text, and the comparison with git's copy.

Lessons go to course/<language>/, assignments to exercises/ (what learners receive) and,
ignored by git, to build/source/ (with solutions, for a class). Base cycles of a task
are written beside the task by the judge's own function. Pages for readers: glossary,
coverage, and the course map between two marks of the README.
"""

from __future__ import annotations

from pathlib import Path

import nbformat

from npucamp.build.assignments import masters, release_notebook, source_notebook
from npucamp.build.coverage import coverage_page
from npucamp.build.glossary import glossary_page
from npucamp.build.clinic import clinic_outputs
from npucamp.build.knowledge import bank_outputs
from npucamp.build.headers import lesson_header
from npucamp.build.lessons import build_lesson
from npucamp.build.mappage import with_map
from npucamp.build.notebook import notebook_text
from npucamp.build.tasks import task_outputs
from npucamp.material import COURSE
from npucamp.workspace import notebooks

Outputs = dict[Path, str]


def lesson_sources(root: Path) -> list[Path]:
    """The lesson sources of the clone `root`, in order of name."""
    return sorted((root / "course" / "src").glob("*.py"))


def lesson_outputs(root: Path) -> Outputs:
    """Path below `root` → text of every built lesson notebook."""
    outputs: Outputs = {}
    for path in lesson_sources(root):
        name = lesson_header(path).file_name
        for language, notebook in build_lesson(path).items():
            outputs[Path("course", language, name)] = notebook_text(notebook)
    return outputs


def assignment_outputs(root: Path) -> tuple[Outputs, Outputs]:
    """(committed, ignored): learners' notebooks and sources with solutions."""
    committed: Outputs = {}
    ignored: Outputs = {}
    for master in masters(root):
        assignment = master.stem
        place = Path(assignment, f"{assignment}.ipynb")
        source = source_notebook(assignment, root)
        ignored["build/source" / place] = notebook_text(source)
        released = release_notebook(assignment, source)
        committed["exercises" / place] = notebook_text(released)
    return committed, ignored


def page_outputs(root: Path, built: Outputs) -> Outputs:
    """docs/coverage.md, docs/glossary.md and the README, from `built` notebooks."""
    sources = root / "course" / "src"
    notebooks = {
        path.as_posix(): nbformat.reads(text, as_version=4)
        for path, text in sorted(built.items())
        if path.suffix == ".ipynb" and path.parts[:2] != ("course", "zh")
    }
    pages = {
        Path("docs/coverage.md"): coverage_page(notebooks),
        Path("docs/glossary.md"): glossary_page(sources),
    }
    readme = root / "README.md"
    if readme.is_file() and (sources / COURSE).is_file():
        pages[Path("README.md")] = with_map(readme.read_text("utf-8"), sources)
    return pages


def committed_outputs(root: Path) -> tuple[Outputs, Outputs]:
    """(committed, ignored): every file that the build writes below `root`."""
    exercises, ignored = assignment_outputs(root)
    notebooks = {**lesson_outputs(root), **exercises}
    pages = page_outputs(root, notebooks)
    tasks = {**task_outputs(root), **bank_outputs(root), **clinic_outputs(root)}
    return {**notebooks, **pages, **tasks}, ignored


def build(root: Path) -> Outputs:
    """Write everything; returns the committed files (path below `root` → text)."""
    _write(root, bank_outputs(root) | clinic_outputs(root))  # first: the judge measures tasks with it
    committed, ignored = committed_outputs(root)
    _write(root, {**committed, **ignored})
    for path in stale(root, committed):
        (root / path).unlink()
    return committed


def _write(root: Path, outputs: Outputs) -> None:
    for path, text in outputs.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def differences(root: Path) -> list[str]:
    """What `build` would change in the committed files, one line each ([]: nothing)."""
    committed, _ = committed_outputs(root)
    lines = [
        f"{path}: not what its source gives"
        for path, text in sorted(committed.items())
        if not _same(root / path, text)
    ]
    return lines + [f"{path}: has no source" for path in stale(root, committed)]


def _same(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


def stale(root: Path, committed: Outputs) -> list[Path]:
    """Built notebooks whose source is gone, as paths below `root`."""
    return [path for path in built_notebooks(root) if path not in committed]


def built_notebooks(root: Path) -> list[Path]:
    """The built notebooks that lie in the clone `root`, as paths below it."""
    return [place for _, place in notebooks(root)]
