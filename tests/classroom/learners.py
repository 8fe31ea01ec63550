"""A class of thirteen: what each learner hands in, made from the reference's answer.

Each entry edits the notebook that the learner fetched. `reference` is the answer cell
of the master, `slow` the text of the task's base kernel.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Notebook = dict[str, Any]


@dataclass(frozen=True)
class Texts:
    """The answers that submissions are made of."""

    reference: str
    slow: str


Edit = Callable[[Notebook, Texts], str | None]  # a text replaces the whole file


def answer_cell(notebook: Notebook) -> dict[str, Any]:
    return cell_of(notebook, "z1-add-answer")


def cell_of(notebook: Notebook, grade_id: str) -> dict[str, Any]:
    """The cell with this grade id."""
    found = [c for c in notebook["cells"] if grade_id_of(c) == grade_id]
    assert len(found) == 1, f"{len(found)} cells {grade_id}"
    return found[0]


def grade_id_of(cell: dict[str, Any]) -> str | None:
    return cell["metadata"].get("nbgrader", {}).get("grade_id")


def code(text: str) -> dict[str, Any]:
    """A code cell that the learner added."""
    base = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    return {**base, "source": text}


def replaced(text: str, *changes: tuple[str, str]) -> str:
    """`text` with every change made; each must apply exactly once."""
    for old, new in changes:
        assert text.count(old) == 1, f"{text.count(old)} times {old!r}"
        text = text.replace(old, new)
    return text


def answers_with(*changes: tuple[str, str]) -> Edit:
    """The reference with some lines changed."""

    def edit(notebook: Notebook, texts: Texts) -> None:
        answer_cell(notebook)["source"] = replaced(texts.reference, *changes)

    return edit


def slow(notebook: Notebook, texts: Texts) -> None:
    answer_cell(notebook)["source"] = texts.slow


def untouched(notebook: Notebook, texts: Texts) -> None:
    """Submitted as fetched."""


def unreadable(notebook: Notebook, texts: Texts) -> str:
    """A file that was cut off."""
    return json.dumps(notebook)[:500]


def innocent(notebook: Notebook, texts: Texts) -> None:
    """Right, in two cells, with warnings and prints that stock nbgrader punishes."""
    first, rest = texts.reference.split("\n\n\n", 1)
    answer_cell(notebook)["source"] = rest
    place = notebook["cells"].index(answer_cell(notebook))
    notebook["cells"].insert(place, code(f"%matplotlib inline\n{first}"))
    noisy = "import sys, warnings\nwarnings.warn('x')\nprint('x', file=sys.stderr)"
    notebook["cells"].append(code(noisy))


def skip_tests(notebook: Notebook, texts: Texts) -> None:
    """A wrong answer and no test: tags, deleted, doubled and altered test cells."""
    wrong = texts.reference.replace("asc.add(", "asc.sub(")
    answer_cell(notebook)["source"] = wrong
    for cell in notebook["cells"]:
        cell["metadata"]["tags"] = ["skip-execution", "raises-exception"]
    check = cell_of(notebook, "z1-add-check")
    check["source"] = "print('all is well')\n1000.0"
    check["metadata"]["nbgrader"].update(points=1000, locked=False)
    full = {"output_type": "execute_result", "data": {"text/plain": "10.0"}}
    check["outputs"] = [{**full, "metadata": {}, "execution_count": 1}]
    notebook["cells"] += [json.loads(json.dumps(check)), code("10.0")]


def delete_tests(notebook: Notebook, texts: Texts) -> None:
    """A wrong answer, no test cell, script for the instructor's browser."""
    answer_cell(notebook)["source"] = texts.reference.replace("asc.add(", "asc.mul(")
    notebook["cells"].remove(cell_of(notebook, "z1-add-check"))
    script = "<script>document.title='stolen'</script>"
    page = {
        "output_type": "display_data",
        "metadata": {},
        "data": {"text/html": script},
    }
    notebook["cells"] += [{**code("# " + script), "outputs": [page]}]
    prose = {"cell_type": "markdown", "metadata": {}, "source": script}
    notebook["cells"] += [prose]


_LOOP = "    for offset in range(start, stop, tile):\n"
_BARRIER = "        asc.pipe_barrier(asc.PipeID.PIPE_ALL)\n"
_ADD = "        asc.add(z_ub, x_ub, y_ub, count)\n"
ENDLESS_KERNEL = (_LOOP, "    while n > 0:\n        share = n\n" + _LOOP)
ENDLESS_HOST = (
    "def add(x, y, z):\n",
    "def add(x, y, z):\n    while True:\n        pass\n",
)
LAST_PART_LOST = (
    "stop = min(start + share, n)",
    "stop = min(start + share, n - n % 2048)",
)
NO_SECOND_BARRIER = (_ADD + _BARRIER, _ADD)
NO_SECOND_INPUT = (
    "        asc.data_copy_pad(y_ub, y_gm[offset:], row, no_pad)\n",
    "",
)
UNCLOSED = ("count = min(tile, stop - offset)", "count = min(tile, stop - offset")

LEARNERS: Mapping[str, Edit] = {
    "fast": answers_with(),
    "slow": slow,
    "innocent": innocent,
    "tail": answers_with(LAST_PART_LOST),
    "race": answers_with(NO_SECOND_BARRIER),
    "uninitialised": answers_with(NO_SECOND_INPUT),
    "syntax": answers_with(UNCLOSED),
    "endless-kernel": answers_with(ENDLESS_KERNEL),
    "endless-host": answers_with(ENDLESS_HOST),
    "untouched": untouched,
    "unreadable": unreadable,
    "skip-tests": skip_tests,
    "delete-tests": delete_tests,
}
