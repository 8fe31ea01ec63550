"""nbgrader's commands in a process of their own, with a log and one event a student.

nbgrader's log of a class is hundreds of lines: it goes into `grade.log` in the folder
of the class, and what a person wants to know is read from it while it is written: whose
turn it is, and why a submission failed. Leaves out what the commands do.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

LOG = "grade.log"
_STUDENT = re.compile(r"Creating/updating student with ID '(.*)': ")
_FAULT = re.compile(r" {4}[A-Za-z_][\w.]*: (.+)")  # the last line of a traceback
_OWN_END_S = 2.0  # Ctrl-C in a terminal reaches the command, too
_CLEAN_UP_S = 30.0


@dataclass
class Runner:
    """Runs commands in `folder`; `started` is called with each student's name."""

    folder: Path
    log: TextIO
    started: Callable[[str], None]
    faults: dict[str, str] = field(default_factory=dict)
    _student: str = ""

    def run(self, *arguments: str) -> int:
        """One nbgrader command; its exit code (1 if a single submission failed).

        Interrupted, it first lets the command remove what it has half done.
        """
        with _start(self.folder, arguments) as process:
            try:
                for line in process.stdout or ():
                    self._read(line)
            except KeyboardInterrupt:
                _stop(process)
                raise
        return process.returncode

    def _read(self, line: str) -> None:
        self.log.write(line)
        if found := _STUDENT.search(line):
            self._student = found[1]
            self.started(self._student)
        elif found := _FAULT.fullmatch(line.rstrip("\n")):
            self.faults[self._student] = found[1]


def open_log(folder: Path) -> TextIO:
    """The log of one grading, new each time, readable by its owner only."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    handle = os.open(folder / LOG, flags, 0o600)
    return os.fdopen(handle, "w", encoding="utf-8")


def _start(folder: Path, arguments: tuple[str, ...]) -> subprocess.Popen[str]:
    """An error in nbgrader_config.py ends the command: nbgrader would go on without."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "nbgrader", *arguments],
        cwd=folder,
        env={**os.environ, "TRAITLETS_APPLICATION_RAISE_CONFIG_FILE_ERROR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )


def _stop(process: subprocess.Popen[str]) -> None:
    for seconds, number in ((_OWN_END_S, signal.SIGINT), (_CLEAN_UP_S, signal.SIGKILL)):
        try:
            process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(number)
