"""solutions/<assignment>/<assignment>.py → source notebook → exercises/.

The master is py:percent text with nbgrader's metadata in the cell markers and both
languages in each prose cell. `source_notebook` gives nbgrader's source (with
solutions); `release_notebook` what nbgrader's own generate step makes of it, called
without a gradebook. Regions between BEGIN SOLUTION and END SOLUTION become `CODE_STUB`.
"""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from npucamp.build.notebook import make_cell, make_notebook
from npucamp.build.percent import Source, SourceCell, read_source
from npucamp.paths import repository

CODE_STUB = "# YOUR CODE HERE / 在此编写代码"
_ATTRIBUTES = frozenset({"nbgrader", "id", "tags"})


def masters(root: Path) -> list[Path]:
    """The master notebooks under `root`/solutions, in order of assignment."""
    folders = sorted((root / "solutions").glob("*/"))
    return [m for m in (f / f"{f.name}.py" for f in folders) if m.is_file()]


def source_notebook(assignment: str, root: Path | None = None) -> NotebookNode:
    """The notebook with solutions that nbgrader takes as its source.

    FileNotFoundError if the assignment has no master, SourceError if it is wrong."""
    folder = (root or repository()) / "solutions" / assignment
    path = folder / f"{assignment}.py"
    if not path.is_file():
        raise FileNotFoundError(f"no assignment {assignment!r}: {path} is missing")
    source = read_source(path)
    cells = [_cell(source, c, assignment, i) for i, c in enumerate(source.cells, 1)]
    if not any("begin(" in cell.source for cell in cells if cell.cell_type == "code"):
        text = f'from npucamp import begin\n\nbegin("{assignment}")'
        cells.insert(0, make_cell("code", text, f"{assignment}-begin", {}))
    return make_notebook(cells, {"npucamp": {"assignment": assignment}})


def _cell(
    source: Source, cell: SourceCell, assignment: str, index: int
) -> NotebookNode:
    unknown = sorted(set(cell.attributes) - _ATTRIBUTES)
    if unknown:
        raise source.fail(cell, f"unknown attribute {', '.join(unknown)}")
    metadata = {
        k: cell.attributes[k] for k in ("nbgrader", "tags") if k in cell.attributes
    }
    grade_id = metadata.get("nbgrader", {}).get("grade_id")
    cell_id = cell.attributes.get("id") or grade_id or f"{assignment}-{index:02d}"
    return make_cell(cell.kind, cell.text, cell_id, metadata)


def release_notebook(assignment: str, source: NotebookNode) -> NotebookNode:
    """What a learner receives of `source`: nbgrader's generate step, no gradebook.

    RuntimeError with nbgrader's reason if it refuses the notebook."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        place = root / "source" / assignment
        place.mkdir(parents=True)
        name = f"{assignment}.ipynb"
        nbformat.write(source, place / name)
        _generate(assignment, root)
        made = nbformat.read(root / "release" / assignment / name, as_version=4)
    for cell in made.cells:
        cell.metadata.pop("lines_to_next_cell", None)
    return made


def _generate(assignment: str, root: Path) -> None:
    from nbgrader.converters import GenerateAssignment
    from nbgrader.converters.base import NbGraderException
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Config

    config = Config()
    config.CourseDirectory.root = str(root)
    config.CourseDirectory.assignment_id = assignment
    config.ClearSolutions.code_stub = {"python": CODE_STUB}
    config.SaveCells.enabled = False
    course = CourseDirectory(config=config)
    step = GenerateAssignment(coursedir=course, no_database=True, config=config)
    reasons = _Reasons()
    step.log = reasons.log
    try:
        step.start()
    except (NbGraderException, SystemExit) as error:
        message = f"nbgrader refuses {assignment}: {reasons.first()}"
        raise RuntimeError(message) from error


class _Reasons(logging.Handler):
    """Keeps what nbgrader says went wrong, in place of printing it."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self._lines: list[str] = []
        self.log = logging.Logger("npucamp.build", logging.ERROR)
        self.log.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the record's first line."""
        self._lines.append(record.getMessage().splitlines()[0])

    def first(self) -> str:
        """The first complaint: the others follow from it."""
        return self._lines[0] if self._lines else "no reason given"
