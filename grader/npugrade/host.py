"""Start, talk to and end the limited process that runs a learner's host code.

The judge's side of the protocol: JSON lines with a size cap, a depth cap and a
deadline. Whatever the process sends that is not a well-formed request ends the call
with a `HostFailure`; nothing it sends can raise anything else here.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import Any

from npugrade.isolation import Level, before_command, level_in_force, lockdown
from npugrade.processtime import waiting_process_seconds

WORKER = Path(__file__).with_name("host_worker.py")
OPERATIONS = ("empty", "launch", "return", "error", "ready", "answers")


class InfrastructureError(Exception):
    """Something of ours did not work; never the submission's fault, never a zero."""


class HostFailure(Exception):
    """The host process broke a rule. `key` names the message, `facts` fill it."""

    def __init__(self, key: str, **facts: Any):
        self.key, self.facts = key, facts
        super().__init__(key)


@cache
def limits() -> Mapping[str, Any]:
    """The table of `limits.toml`."""
    file = resources.files("npugrade").joinpath("limits.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


class HostProcess:
    """One call of a learner's entry function, as a context manager.

    `deadline_s` counts the seconds that the judge waits for this process in all; time
    that the simulator takes is not counted, nor time in which the process wanted to run
    and other processes had the processor.
    """

    def __init__(self, setup: Mapping[str, Any], deadline_s: float, requests: int = 0):
        self.setup = dict(setup)
        self.most_messages = max(limits()["host"]["messages"], 2 * requests)
        self.level: Level | None = None
        self.remaining_s = deadline_s
        self._started = time.monotonic()
        self.deadline_s = deadline_s
        self._buffer = b""
        self._received = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._descriptors: list[int] = []
        self._folder = ""

    def __enter__(self) -> HostProcess:
        try:
            self.level = level_in_force()
            self._start(self.level)
            self._send(dict(self.setup, limits=_worker_limits(self.level)))
            hello = self._next_line(
                time.monotonic() + limits()["host"]["hello_seconds"]
            )
            _check_hello(hello, self.level)
        except (OSError, HostFailure) as error:
            self.__exit__(None, None, None)
            raise InfrastructureError(f"host process: {error}") from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None:
            _kill_group(self._process)
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors = []
        shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self, level: Level) -> None:
        worker_in, self._to_worker = os.pipe()
        self._from_worker, worker_out = os.pipe()
        self._descriptors = [self._to_worker, self._from_worker]
        self._folder = tempfile.mkdtemp(prefix="npugrade-")
        os.set_blocking(self._to_worker, False)
        program = [*before_command(level), sys.executable, "-I", "-B", str(WORKER)]
        try:
            self._process = subprocess.Popen(
                [*program, str(worker_in), str(worker_out)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(worker_in, worker_out),
                close_fds=True,
                start_new_session=True,
                cwd=self._folder,
                env=_environment(self._folder),
            )
        finally:
            os.close(worker_in)
            os.close(worker_out)

    # ------------------------------------------------------------------ the protocol
    def request(self) -> dict[str, Any]:
        """The next request of the host code; HostFailure when none comes in order."""
        self._received += 1
        if self._received > self.most_messages:
            raise HostFailure("host.too-many-requests", limit=self._received - 1)
        start = time.monotonic()
        line = self._next_line(start + max(self.remaining_s, 0.0))
        self.remaining_s -= time.monotonic() - start
        return _parsed(line)

    def reply(self, message: Mapping[str, Any]) -> None:
        """Answer the last request."""
        self._send(message)

    def _send(self, message: Mapping[str, Any]) -> None:
        data = json.dumps(message).encode() + b"\n"
        end = time.monotonic() + max(self.remaining_s, 1.0)
        while data:
            _, ready, _ = select.select(
                [], [self._to_worker], [], max(end - time.monotonic(), 0)
            )
            if not ready:
                raise HostFailure("host.deadline", seconds=self.deadline_s)
            try:
                data = data[os.write(self._to_worker, data) :]
            except BrokenPipeError:
                raise self._ended() from None

    def _next_line(self, end: float) -> bytes:
        cap = limits()["host"]["line_nbytes"]
        while b"\n" not in self._buffer:
            if len(self._buffer) > cap:
                raise HostFailure("host.long-message", nbytes=cap)
            wait = max(end - time.monotonic(), 0.0)
            if not select.select([self._from_worker], [], [], wait)[0]:
                end = time.monotonic() + self._owed_s()
                continue
            part = os.read(self._from_worker, 65536)
            if not part:
                raise self._ended()
            self._buffer += part
        line, _, self._buffer = self._buffer.partition(b"\n")
        if len(line) > cap:
            raise HostFailure("host.long-message", nbytes=cap)
        return line

    def _owed_s(self) -> float:
        """Seconds to wait beyond the deadline: a process that wants to run, and did not
        get its time on a busy machine, still has it to come. HostFailure if nothing is
        owed, or the wait was long enough for any machine."""
        assert self._process is not None
        late = time.monotonic() - self._started
        used = waiting_process_seconds(self._process.pid)
        most = self.deadline_s * limits()["host"]["busy_factor"]
        if used is None or used >= self.deadline_s or late >= most:
            raise HostFailure("host.deadline", seconds=self.deadline_s)
        return max(self.deadline_s - used, 0.05)

    def _ended(self) -> HostFailure:
        """How the process ended, said as the learner can understand it."""
        assert self._process is not None and self.level is not None
        try:
            code = self._process.wait(limits()["judge"]["grace_seconds"])
        except subprocess.TimeoutExpired:
            return HostFailure("host.closed")
        if "bwrap" in self.level.mechanisms and code > 128:
            code = 128 - code  # how bubblewrap reports a signal
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            return HostFailure("host.deadline", seconds=self.deadline_s)
        return HostFailure("host.ended", code=code)


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        raise HostFailure("host.malformed") from None
    if not isinstance(message, dict) or message.get("op") not in OPERATIONS:
        raise HostFailure("host.malformed")
    return message


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """End the process and whatever it may have started in its session."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
    process.wait()


def _environment(folder: str) -> dict[str, str]:
    """Nothing of the judge's own environment but what Python needs to start."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": folder,
        "TMPDIR": folder,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }


def _check_hello(line: bytes, level: Level) -> None:
    """InfrastructureError unless the process stands and is shut in as `level` says."""
    wanted = {"limits"} | level.mechanisms - {"bwrap"}
    try:
        found = set(json.loads(line)["in_force"])
    except (ValueError, KeyError, TypeError):
        raise InfrastructureError(f"host process said {line[:200]!r}") from None
    if not wanted <= found:
        raise InfrastructureError(f"isolation: {sorted(found)}, not {sorted(wanted)}")


def _worker_limits(level: Level) -> dict[str, Any]:
    host = limits()["host"]
    return {
        **lockdown(level),
        "resources": {
            "RLIMIT_AS": host["memory_nbytes"],
            "RLIMIT_CPU": host["cpu_seconds"],
            "RLIMIT_FSIZE": host["file_nbytes"],
            "RLIMIT_NOFILE": host["open_files"],
            "RLIMIT_NPROC": host["processes"],
            "RLIMIT_CORE": 0,
        },
    }
