"""Ask the judge: the way in for check cells and for autograding.

Starts a judge process for one submission, retries failures that are ours, and gives
back a `Verdict`. Only the standard library is imported at first: a check cell starts
fast.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from npugrade.cells import Cell
from npugrade.host import limits
from npugrade.messages import Text, say
from npugrade.verdict import Item, Verdict
from npugrade.warm import WarmJudge, judge_environment


class JudgeUnavailable(Exception):
    """The judge could not do its work, for a reason that is not the submission's."""


class BadRequest(Exception):
    """No such task, or a task file with a mistake; the message is located."""


class _Failed(Exception):
    """One attempt failed. `started`: the submission was being judged; `final`: another
    attempt would only take as long again."""

    def __init__(self, reason: Text, started: bool, final: bool = False):
        self.reason, self.started, self.final = reason, started, final
        super().__init__(reason["en"])


def run_judge(
    task_name: str,
    cells_or_text: Sequence[Cell] | Sequence[tuple[str, str]] | str,
    *,
    seed: str | None = None,
    language: str = "en",
    deadline_s: float = 60.0,
    tasks: Path | None = None,
    solutions: Path | None = None,
    picture: bool = False,
    warm: WarmJudge | None = None,
    ticket: tuple[str, str] | None = None,
) -> Verdict:
    """The verdict on a submission.

    `cells_or_text`: cells as (label, text) in the order of execution, or one text.
    `seed`: the class seed; None runs the visible cases only. `deadline_s`: seconds for
    the whole judgement. `tasks`, `solutions`: folders other than the usual ones.
    `picture`: with the timeline of a run of a visible case. `warm`: a judge that stays,
    for many submissions; without one a process is started and ends. `ticket`: key of
    the class and id of the learner, where the task has a draw.

    Never raises for a submission's fault. JudgeUnavailable: our own failure, after
    retries; such a submission has no score. BadRequest: an unknown or broken task.
    """
    request: dict[str, Any] = {
        "task": task_name,
        "cells": _pairs(cells_or_text),
        "seed": seed,
        "language": language,
        "tasks": str(tasks) if tasks else None,
        "solutions": str(solutions) if solutions else None,
        "picture": picture,
        "ticket": ticket,
    }
    if warm is not None and seed is not None:
        request["graded_cycles"] = warm.graded_cycles(request, deadline_s)
    try:
        return _verdict(request, deadline_s, warm)
    except _Stopped as stop:
        return _stopped(task_name, tasks, stop.reason, language)


class _Stopped(Exception):
    """The judge started and did not end well, more than once."""

    def __init__(self, reason: Text):
        self.reason = reason
        super().__init__(reason["en"])


def _verdict(
    request: dict[str, Any], deadline_s: float, warm: WarmJudge | None
) -> Verdict:
    """The verdict after at most as many attempts as the limits allow."""
    failures: list[_Failed] = []
    for _ in range(limits()["judge"]["attempts"]):
        try:
            return _attempt(request, deadline_s, warm)
        except _Failed as failure:
            failures.append(failure)
            if failure.final or sum(f.started for f in failures) > 1:
                break
    last = failures[-1]
    if last.started:
        raise _Stopped(last.reason)
    raise JudgeUnavailable(last.reason["en"])


def _pairs(cells: Any) -> list[tuple[str, str]]:
    if isinstance(cells, str):
        return [("submission", cells)]
    plain = ((c.label, c.text) if isinstance(c, Cell) else c for c in cells)
    return [(str(label), str(text)) for label, text in plain]


# ---------------------------------------------------------------------- one attempt
def _attempt(
    request: dict[str, Any], deadline_s: float, warm: WarmJudge | None
) -> Verdict:
    answer = _answer if warm is None else warm.answer
    try:
        messages, errors, code = answer(request, deadline_s)
    except subprocess.TimeoutExpired:
        reason = say("reason.deadline", seconds=deadline_s)
        raise _Failed(reason, started=True, final=True) from None
    except OSError as error:
        raise _Failed(say("reason.start", reason=error), started=False) from error
    return _read(messages, errors, code)


def _answer(
    request: dict[str, Any], deadline_s: float
) -> tuple[list[dict[str, Any]], str, int]:
    """(messages, error output, exit code) of a judge started for this request."""
    process = _start()
    try:
        output, errors = process.communicate(json.dumps(request), timeout=deadline_s)
    finally:
        _end(process)
    messages = [json.loads(line) for line in output.splitlines() if line]
    return messages, errors, process.returncode


def _start() -> subprocess.Popen[str]:
    """The judge in a session of its own; `-P`: no module is taken from the cwd."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "npugrade.judge"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
        env=judge_environment(),
    )


def _end(process: subprocess.Popen[str]) -> None:
    """Ask the judge to end (it then ends its host process), at last kill it."""
    if process.poll() is not None:
        return
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=limits()["judge"]["grace_seconds"])
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _read(messages: list[dict[str, Any]], errors: str, code: int) -> Verdict:
    last = messages[-1] if messages else {}
    started = any(m.get("stage") == "started" for m in messages)
    if "verdict" in last:
        return Verdict.from_json(last["verdict"])
    if "bad_request" in last:
        raise BadRequest(last["bad_request"])
    if "infrastructure" in last:
        raise _Failed(say("reason.start", reason=last["infrastructure"]), False)
    if code == 3 or code > 0:
        reason = (errors.strip().splitlines() or ["?"])[-1]
        raise _Failed(say("reason.start", reason=reason[:300]), False)
    raise _Failed(say("reason.exit", code=code), started)


def _stopped(task: str, folder: Path | None, reason: Text, language: str) -> Verdict:
    """The verdict on a submission that stopped the judge itself."""
    from npugrade.tasks import FOLDER, load_task  # slow to import, rarely needed

    weights = load_task(task, folder or FOLDER).weights
    texts = {"builds": say("judge.stopped", reason=reason)}
    items = tuple(
        Item(
            key,
            say(f"item.{key}.all"),
            0.0,
            weight,
            "fail" if key in texts else "not-run",
            texts.get(key, say("case.not-run")),
        )
        for key, weight in weights
    )
    return Verdict(task, 0.0, 100.0, items, language=language)
