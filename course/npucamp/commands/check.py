"""`npucamp check FILE.ipynb TASK`: the verdict of the check cell, outside a session.

Sends the text of the notebook's code cells, in order, to the same judge. The visible
cases only: hidden ones need a class's seed.
"""

from __future__ import annotations

from pathlib import Path

from npucamp.commands.notebooks import read_notebook
from npucamp.lesson.check import unknown_task
from npugrade.cells import Cell
from npugrade.client import BadRequest, JudgeUnavailable, run_judge
from npugrade.verdict import Verdict
from npusim.diagnostic import language as setting


def check_notebook(path: Path, task: str) -> Verdict:
    """The verdict on `task` of the code cells in `path`.

    ValueError for an unreadable file or unknown task, RuntimeError if no judge starts.
    """
    codes = [c.source for c in read_notebook(path).cells if c.cell_type == "code"]
    cells = [Cell(f"Cell [{index}]", text) for index, text in enumerate(codes, 1)]
    chosen = setting.current()
    language = "en" if chosen == "both" else chosen
    try:
        return run_judge(task, cells, language=language)
    except BadRequest as error:
        unknown = unknown_task(task)
        raise ValueError(unknown[language] if unknown else str(error)) from error
    except JudgeUnavailable as error:
        raise RuntimeError(str(error)) from error
