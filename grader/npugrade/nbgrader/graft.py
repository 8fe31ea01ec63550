"""A submission rebuilt on the released notebook: only text crosses over.

Taken from the submission: the text of answer cells, by grade id, and the learner's own
further code cells, each after the released cell that it followed. Everything else
(locked cells, tags, metadata, outputs, points, kernel) is the class's own copy, so
deleting, duplicating, retyping or marking cells changes nothing.

A second cell with the grade id of an answer (a copied or split cell) counts as a
further code cell; an edited copy of a released cell that is not locked does, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell
from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import is_solution
from traitlets import Unicode

from npugrade.nbgrader.neutral import neutral_markdown
from npugrade.nbgrader.released import load_released
from npugrade.nbgrader.submission import SubmittedCell, read_cells, refusal

MISSING_ANSWER = "# The submission has no such cell. 提交的文件中没有这个单元。"
_TOP = -1  # the place before the first released cell


class Graft(NbGraderPreprocessor):
    """First sanitising step of autograding: replaces the submitted notebook."""

    release_directory = Unicode("release", help="released notebooks").tag(config=True)
    source_directory = Unicode("source", help="master notebooks").tag(config=True)

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """The released notebook with the submission's text in it."""
        released = load_released(
            resources["nbgrader"]["assignment"],
            resources["nbgrader"]["notebook"],
            Path(self.release_directory),
            Path(self.source_directory),
        )
        rebuilt = graft(released, read_cells(nb))
        if refusal(nb):
            rebuilt.metadata.setdefault("npucamp", {})["refused"] = refusal(nb)
        return rebuilt, resources


@dataclass
class _Crossing:
    """What crosses over: answers by place, further code by the place it follows."""

    answers: dict[int, list[str]] = field(default_factory=dict)
    extras: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))


def graft(released: NotebookNode, submitted: Iterable[SubmittedCell]) -> NotebookNode:
    """A copy of `released` with the answers and further code cells of `submitted`."""
    crossing = _sort_out(released.cells, submitted)
    rebuilt = deepcopy(released)
    cells = _new_cells(crossing.extras[_TOP])
    for place, cell in enumerate(rebuilt.cells):
        if is_solution(cell):
            cell.source = _answer(cell, crossing.answers.get(place))
        cells += [cell, *_new_cells(crossing.extras[place])]
    rebuilt.cells = cells
    for number, cell in enumerate(cells):
        cell.setdefault("id", f"learner-{number}")
    return rebuilt


def _sort_out(
    released: list[NotebookNode], submitted: Iterable[SubmittedCell]
) -> _Crossing:
    crossing, index, place = _Crossing(), _index(released), _TOP
    for cell in submitted:
        found = _place_of(cell, index)
        place = place if found is None else found
        original = None if found is None else released[found]
        if original is not None and _is_answer_text(original, place, crossing):
            crossing.answers.setdefault(place, []).append(cell.source)
        elif _is_further_code(cell, original):
            crossing.extras[place].append(cell.source)
    return crossing


def _is_answer_text(original: NotebookNode, place: int, crossing: _Crossing) -> bool:
    """The first cell of an answer fills it; prose answers take the later ones too."""
    if not is_solution(original):
        return False
    return place not in crossing.answers or original.cell_type != "code"


def _is_further_code(cell: SubmittedCell, original: NotebookNode | None) -> bool:
    if cell.cell_type != "code" or not cell.source.strip():
        return False
    if original is None or is_solution(original):
        return True
    return "nbgrader" not in original.metadata and cell.source != original.source


def _index(released: list[NotebookNode]) -> Mapping[tuple[str, str], int]:
    """Where a released cell is found: by grade id, cell id, or text if unmarked."""
    index: dict[tuple[str, str], int] = {}
    for place, cell in enumerate(released):
        if "id" in cell:
            index["cell_id", cell.id] = place
        if marks := cell.metadata.get("nbgrader"):
            index["grade_id", marks["grade_id"]] = place
        else:
            index.setdefault(("text", cell.source), place)
    return index


def _place_of(cell: SubmittedCell, index: Mapping[tuple[str, str], int]) -> int | None:
    keys = (
        ("grade_id", cell.grade_id),
        ("cell_id", cell.cell_id),
        ("text", cell.source),
    )
    return next((index[key] for key in keys if key in index), None)  # type: ignore[index]


def _answer(original: NotebookNode, texts: list[str] | None) -> str:
    if original.cell_type != "code":
        return neutral_markdown("\n\n".join(texts or []))
    return texts[0] if texts else MISSING_ANSWER


def _new_cells(sources: list[str]) -> list[NotebookNode]:
    cells = [new_code_cell(source) for source in sources]
    for cell in cells:
        del cell["id"]  # random; `graft` gives one by place
    return cells
