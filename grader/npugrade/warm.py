"""A judge process that stays: it starts once and judges each submission in a fork.

Starting Python and importing the simulator costs more than judging a small answer. A
warm judge has done both and holds nothing of any submission: the fork that judges one
limits its own memory and ends with it. Host code runs in processes of its own, as
always. Left out: systems without `fork`, where every submission starts a judge.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from npugrade.host import limits

READY = {"stage": "ready"}


class JudgeEnded(OSError):
    """The warm judge itself ended, or could not be started."""


class WarmJudge:
    """One such process, started when it is first needed; `close` ends it.

    Several threads take turns. A context manager.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as this
        self._turn = threading.Lock()
        self._closed = False
        self._buffer = b""
        self._bases: dict[str, dict[str, int]] = {}

    def __enter__(self) -> WarmJudge:
        return self

    def __exit__(self, *about: object) -> None:
        self.close()

    def answer(
        self, request: Mapping[str, Any], deadline_s: float
    ) -> tuple[list[dict[str, Any]], str, int]:
        """(messages, error output, exit code) of the fork that took the request.

        subprocess.TimeoutExpired after `deadline_s` seconds; JudgeEnded where the
        process could not be started or ended. Both leave no process behind.
        """
        with self._turn:
            try:
                return self._exchange(request, deadline_s)
            except (BrokenPipeError, ValueError) as error:  # closed meanwhile
                self._stop()
                raise JudgeEnded("the judge has ended") from error
            except BaseException:
                self._stop()
                raise

    def _exchange(
        self, request: Mapping[str, Any], deadline_s: float
    ) -> tuple[list[dict[str, Any]], str, int]:
        end = time.monotonic() + deadline_s
        process = self._running()
        self._errors.seek(0)
        self._errors.truncate()
        assert process.stdin is not None
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        messages: list[dict[str, Any]] = []
        while not messages or messages[-1].get("stage") != "ended":
            messages.append(self._next(end, deadline_s))
        self._errors.seek(0)
        said = self._errors.read(10_000).decode("utf-8", "replace")
        return messages[:-1], said, int(messages[-1]["code"])

    def graded_cycles(
        self, request: Mapping[str, Any], deadline_s: float
    ) -> dict[str, int]:
        """Cycles of the base in a task's cases of a seed, measured once; {} if that
        fails, which the judge then reports itself."""
        place = ("task", "seed", "tasks", "solutions")
        key = json.dumps([request[name] for name in place])
        if key not in self._bases:
            try:
                asked = {**request, "cells": [], "only": "bases"}
                messages, _, _ = self.answer(asked, deadline_s)
            except (OSError, subprocess.TimeoutExpired):
                return {}
            self._bases[key] = messages[-1].get("bases", {}) if messages else {}
        return self._bases[key]

    def close(self) -> None:
        """End the process, with whatever it is judging; it is not started again."""
        self._closed = True
        self._stop()

    def _stop(self) -> None:
        process, self._process, self._buffer = self._process, None, b""
        if process is None:
            return
        with suppress(OSError):
            process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(limits()["judge"]["grace_seconds"])
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]

    # ------------------------------------------------------------------- the process
    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        if self._closed:
            raise JudgeEnded("the judge was closed")
        self._stop()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "npugrade.judge", "--stay"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
            env=judge_environment(),
        )
        seconds = limits()["judge"]["start_seconds"]
        if self._next(time.monotonic() + seconds, seconds) != READY:
            raise JudgeEnded("the judge did not start")
        return self._process

    def _next(self, end: float, deadline_s: float) -> dict[str, Any]:
        """The next message; a line of any length."""
        assert self._process is not None and self._process.stdout is not None
        source = self._process.stdout.fileno()
        while b"\n" not in self._buffer:
            wait = max(end - time.monotonic(), 0.0)
            if not select.select([source], [], [], wait)[0]:
                raise subprocess.TimeoutExpired("judge", deadline_s)
            part = os.read(source, 1 << 16)
            if not part:
                raise JudgeEnded("the judge has ended")
            self._buffer += part
        line, _, self._buffer = self._buffer.partition(b"\n")
        return json.loads(line)


def judge_environment() -> dict[str, str]:
    """The caller's environment, but for one thread of the linear algebra library."""
    return {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
