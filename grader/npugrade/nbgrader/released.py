"""The notebook that a class received: the ground on which a submission is rebuilt.

It is read from `release/<assignment>/`. Where that was never made, it is derived from
`source/<assignment>/` by nbgrader's own steps: lock, clear solutions, outputs and
hidden tests.
"""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import (
    ClearHiddenTests,
    ClearOutput,
    ClearSolutions,
    LockCells,
)

_LEARNER_STEPS = (LockCells, ClearSolutions, ClearOutput, ClearHiddenTests)


def load_released(
    assignment: str, notebook: str, release: Path, source: Path
) -> NotebookNode:
    """The released form of `notebook`; FileNotFoundError names both places tried."""
    file = Path(assignment) / f"{notebook}.ipynb"
    if (release / file).is_file():
        return nbformat.read(release / file, as_version=4)
    if (source / file).is_file():
        return _without_solutions(nbformat.read(source / file, as_version=4))
    raise FileNotFoundError(
        f"neither {release / file} nor {source / file} exists: "
        f"run `npucamp class assign {assignment}`"
    )


def _without_solutions(notebook: NotebookNode) -> NotebookNode:
    resources: dict[str, object] = {"language": "python"}
    for step in _LEARNER_STEPS:
        notebook, resources = step().preprocess(notebook, resources)
    return notebook
