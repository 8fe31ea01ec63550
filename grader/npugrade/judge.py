"""`python -m npugrade.judge`: one submission in, one verdict out, then the end.

Reads one JSON request from standard input and writes JSON lines to standard output:
`{"stage": "started"}` once everything of ours is known to work, then `{"verdict": …}`
or `{"infrastructure": "…"}` or `{"bad_request": "…"}`. The process limits its own
memory; the client limits its time. At start neither nbgrader nor any notebook or
picture package is imported.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Any, TextIO

from npugrade.cells import Cell
from npugrade.host import InfrastructureError, limits
from npugrade.judging import judge
from npugrade.taskio import solutions_folder
from npugrade.tasks import FOLDER, TaskError, load_base, load_task


def main() -> int:
    """Judge the request on standard input; 0 after a verdict, 3 otherwise."""
    output = _private_output()
    signal.signal(signal.SIGTERM, _leave)
    _limit_memory()
    try:
        arguments = prepare(json.load(sys.stdin))
    except (TaskError, ValueError, KeyError, TypeError) as error:
        return _say(output, {"bad_request": f"{type(error).__name__}: {error}"})
    _say(output, {"stage": "started"})
    try:
        verdict = judge(**arguments)
    except (InfrastructureError, TaskError, MemoryError, OSError) as error:
        return _say(output, {"infrastructure": f"{type(error).__name__}: {error}"})
    _say(output, {"verdict": verdict.to_json()})
    return 0


def prepare(request: dict[str, Any]) -> dict[str, Any]:
    """Arguments of `judge` for a request with the keys

    `task`, `cells` [[label, text], …], `language`; `seed` for hidden cases; `tasks`
    and `solutions` name other folders than the usual ones.
    """
    folder = Path(request.get("tasks") or FOLDER)
    task = load_task(request["task"], folder)
    solutions = request.get("solutions")
    return {
        "task": task,
        "cells": [Cell(str(label), str(text)) for label, text in request["cells"]],
        "seed": request.get("seed"),
        "solutions": Path(solutions) if solutions else solutions_folder(),
        "language": request.get("language", "en"),
        "known": load_base(task.id, folder),
        "picture": bool(request.get("picture")),
    }


def _private_output() -> TextIO:
    """Standard output for us alone; whatever else prints goes to standard error."""
    sys.stdout.flush()
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return output


def _limit_memory() -> None:
    nbytes = limits()["judge"]["memory_nbytes"]
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    nbytes = nbytes if hard < 0 else min(nbytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (nbytes, hard))


def _leave(number: int, frame: object) -> None:
    """On SIGTERM: end through the `with` blocks, so that no host process remains."""
    raise SystemExit(3)


def _say(output: TextIO, message: dict[str, Any]) -> int:
    output.write(json.dumps(message) + "\n")
    output.flush()
    return 3


if __name__ == "__main__":
    sys.exit(main())
