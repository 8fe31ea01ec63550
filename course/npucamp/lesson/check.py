"""`check("z1-add")`: the check cell of a lesson or an assignment.

Sends the text of the cells executed so far to the judge (a process of its own) and
returns its `Verdict`. Never raises: what goes wrong becomes a note of the verdict.
Imports only what is needed to start the judge.
"""

from __future__ import annotations

import sys
from typing import Any

from npugrade.client import BadRequest, JudgeUnavailable, run_judge
from npugrade.messages import say
from npugrade.verdict import Verdict


def check(task: str) -> Verdict:
    """The verdict on the latest definitions in this notebook, visible cases only."""
    language = _language()
    cells = executed_cells()
    if cells is None:
        return _note(task, "note.not-ipython", language)
    try:
        return run_judge(task, cells, language=language)
    except (BadRequest, JudgeUnavailable, OSError) as error:
        return _note(task, "note.unavailable", language, reason=error)


def executed_cells() -> list[tuple[str, str]] | None:
    """(label, text) of every cell executed in this session, oldest first; None outside
    IPython."""
    ipython = sys.modules.get("IPython")
    shell: Any = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        return None
    history = shell.user_ns.get("In", [])
    return [(f"Cell [{n}]", str(text)) for n, text in enumerate(history) if n and text]


def _language() -> str:
    """The session's language; one at a time."""
    from npusim.diagnostic import language

    current = language.current()
    return current if current in ("en", "zh") else "en"


def _note(task: str, key: str, language: str, **facts: Any) -> Verdict:
    note = say(key, task=task, **facts)
    return Verdict(str(task), 0.0, 100.0, (), notes=(note,), language=language)
