"""`python -m npugrade.judge`: one submission in, one verdict out, then the end.

Reads one JSON request from standard input and writes JSON lines to standard output:
`{"stage": "started"}` once everything of ours is known to work, then `{"verdict": …}`
or `{"infrastructure": "…"}` or `{"bad_request": "…"}`. The process limits its own
memory; the client limits its time. At start neither nbgrader nor any notebook or
picture package is imported.

`--stay`: requests come as lines, and each is judged by a fork of its own, after which
`{"stage": "ended", "code": …}` follows (see `npugrade.warm`).
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from npugrade.cells import Cell
from npugrade.draw import Ticket, for_learner
from npugrade.feedback import get_ready
from npugrade.host import InfrastructureError, limits
from npugrade.judging import all_cases, base_cycles, judge
from npugrade.taskio import solutions_folder
from npugrade.tasks import FOLDER, TaskError, load_base, load_task


def main() -> int:
    """Judge the request on standard input; 0 after a verdict, 3 otherwise."""
    output = _private_output()
    if "--stay" in sys.argv[1:]:
        return stay(output)
    return answer(sys.stdin.read(), output)


def stay(output: TextIO) -> int:
    """Judge one line after the other, each in a fork, until there are no more."""
    child = 0

    def leave(number: int, frame: object) -> None:
        if child:
            os.kill(child, signal.SIGTERM)
            os.waitpid(child, 0)
        os._exit(3)

    signal.signal(signal.SIGTERM, leave)
    get_ready()  # every fork then has what draws pictures
    _say(output, {"stage": "ready"})
    for line in sys.stdin:
        child = os.fork()
        if not child:
            _end_with(line, output)
        _, status = os.waitpid(child, 0)
        child = 0
        _say(output, {"stage": "ended", "code": os.waitstatus_to_exitcode(status)})
    return 0


def _end_with(line: str, output: TextIO) -> None:
    """The life of a fork: it never returns."""
    code = 4
    try:
        code = answer(line, output)
    except SystemExit:
        code = 3
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
    finally:
        os._exit(code)


def answer(text: str, output: TextIO) -> int:
    """Judge the request `text`; the exit code."""
    signal.signal(signal.SIGTERM, _leave)
    _limit_memory()
    try:
        request = json.loads(text)
        arguments = prepare(request)
    except (TaskError, ValueError, KeyError, TypeError) as error:
        return _say(output, {"bad_request": f"{type(error).__name__}: {error}"})
    _say(output, {"stage": "started"})
    try:
        found = _ANSWERS[request.get("only", "verdict")](arguments)
    except (InfrastructureError, TaskError, MemoryError, OSError) as error:
        return _say(output, {"infrastructure": f"{type(error).__name__}: {error}"})
    _say(output, found)
    return 0


def _verdict(arguments: dict[str, Any]) -> dict[str, Any]:
    return {"verdict": judge(**arguments).to_json()}


def _bases(arguments: dict[str, Any]) -> dict[str, Any]:
    task, seed = arguments["task"], arguments["seed"]
    timed = [d for d in all_cases(task, seed) if d.case.performance]
    folder = arguments["solutions"]
    counts = bool(task.weights.performance and folder)
    return {"bases": base_cycles(task, timed, folder) if counts else {}}


_ANSWERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "verdict": _verdict,
    "bases": _bases,
}


def prepare(request: dict[str, Any]) -> dict[str, Any]:
    """Arguments of `judge` for a request with the keys

    `task`, `cells` [[label, text], …], `language`; `seed` for hidden cases; `tasks`
    and `solutions` name other folders than the usual ones; `graded_cycles` of the base
    where they are known; `ticket` [key, learner] of the learner's draw.
    """
    folder = Path(request.get("tasks") or FOLDER)
    ticket = Ticket(*request["ticket"]) if request.get("ticket") else Ticket()
    task = for_learner(load_task(request["task"], folder), ticket)
    solutions = request.get("solutions")
    return {
        "task": task,
        "cells": [Cell(str(label), str(text)) for label, text in request["cells"]],
        "seed": request.get("seed"),
        "solutions": Path(solutions) if solutions else solutions_folder(),
        "language": request.get("language", "en"),
        "known": _known(task.id, folder, request),
        "picture": bool(request.get("picture")),
    }


def _known(task: str, folder: Path, request: dict[str, Any]) -> dict[str, Any]:
    cycles = {str(k): int(v) for k, v in request.get("graded_cycles", {}).items()}
    return {**load_base(task, folder), "graded_cycles": cycles}


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
