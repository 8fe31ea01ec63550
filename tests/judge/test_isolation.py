"""Each isolation level that this machine offers keeps what docs/security.md promises.

A level that is missing is skipped with what would bring it; where NPUCAMP_REQUIRE
names bwrap, its absence is a failure.
"""

from __future__ import annotations

import os
import sys

import pytest

from npugrade import host, isolation
from npugrade.client import JudgeUnavailable, run_judge
from npugrade.host import InfrastructureError
from npugrade.isolation import VARIABLE, level_in_force, level_names, offered
from tests.conftest import required_tools
from tests.judge.judge_samples import GOOD, LAUNCH, WRONG, judged_here
from tests.judge.judge_samples import host as submission

LEVELS = level_names()
CONFINED = ("bubblewrap", "landlock")
FILTERED = (*CONFINED, "uid")


@pytest.fixture(params=LEVELS)
def level(request, monkeypatch) -> str:
    """A level in force for this test."""
    return in_force(request.param, monkeypatch)


def in_force(name: str, monkeypatch) -> str:
    why = offered()[name]
    if why and name == "bubblewrap" and "bwrap" in required_tools():
        pytest.fail(f"NPUCAMP_REQUIRE=bwrap, but {why}", pytrace=False)
    if why:
        pytest.skip(why)
    monkeypatch.setenv(VARIABLE, name)
    return name


def refused(action: str) -> bool:
    """Whether host code that does `action` gets an error for it."""
    lines = "".join(f"    {line}\n" for line in action.split("\n"))
    body = f"import os, ctypes\ntry:\n{lines}except OSError:\n"
    body += "    raise RuntimeError('shut')\nraise RuntimeError('open')"
    text = judged_here(submission(body)).text("en")
    assert ("RuntimeError: shut" in text) != ("RuntimeError: open" in text), text
    return "RuntimeError: shut" in text


def test_controls_at_every_level(level):
    right, wrong = judged_here(GOOD, cases=4), judged_here(WRONG)
    assert (right.score, wrong.score) == (100.0, 20.0)
    assert right.isolation == level
    assert "isolated by" in right.text("en") and "隔离方式" in right.html("zh")


CALL = "ctypes.CDLL(None, use_errno=True).{call}"
FAILED = "\nif found < 0: raise OSError"
ESCAPES = {
    "internet": "import socket\nsocket.socket(socket.AF_INET)",
    "raw-socket": "import socket\nsocket.socket(socket.AF_UNIX)",
    "name-in-tmp": "open('/tmp/npugrade-name', 'w').close()",
    "folder-in-tmp": "os.mkdir('/tmp/npugrade-folder')",
    "link-in-tmp": "os.symlink('x', '/tmp/npugrade-link')",
    "shared-memory": "found = " + CALL.format(call="shmget(77, 4096, 0o1666)") + FAILED,
    "queue": "found = " + CALL.format(call="msgget(77, 0o1666)") + FAILED,
    "semaphore": "found = " + CALL.format(call="semget(77, 1, 0o1666)") + FAILED,
    "key": "found = "
    + CALL.format(call="syscall(248, b'user', b'npu', b'x', 1, -4)")
    + FAILED,
    "trace": "found = " + CALL.format(call="ptrace(16, os.getppid(), 0, 0)") + FAILED,
    "fork": "os._exit(0) if os.fork() == 0 else None",
    "exec": "os.execv('/bin/true', ['true'])",
    "signal-to-the-judge": "os.kill(os.getppid(), 0)",
    "priority": "os.setpriority(os.PRIO_PROCESS, 0, 19)",
    "mode-of-a-file": "os.chmod('/tmp', 0o1777)",
    "times-of-a-file": "os.utime('/tmp')",
    "memory-file": "os.memfd_create('x')",
    "lock": "import fcntl\nfcntl.flock(os.open('/dev/null', 0), fcntl.LOCK_EX)",
}


@pytest.mark.parametrize("name", ESCAPES)
@pytest.mark.parametrize("filtered", FILTERED)
def test_no_way_out_where_calls_are_filtered(filtered, name, monkeypatch):
    in_force(filtered, monkeypatch)
    if "seccomp" not in level_in_force().mechanisms:
        pytest.skip(isolation.missing("seccomp"))
    if name == "key" and os.uname().machine != "x86_64":
        pytest.skip("the number of this system call is of x86_64")
    assert refused(ESCAPES[name])


def test_the_ways_out_are_open_at_the_weakest_level(monkeypatch):
    """The control: these tests can fail."""
    in_force("limits", monkeypatch)
    for name in ("raw-socket", "memory-file", "priority"):
        assert not refused(ESCAPES[name]), name


@pytest.mark.parametrize("confined", CONFINED)
def test_no_file_of_others_is_read(confined, tmp_path, monkeypatch):
    in_force(confined, monkeypatch)
    secret = tmp_path / "class.toml"
    secret.write_text("seed = 'x'", encoding="utf-8")
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    for path in (secret, "/etc/passwd", "/proc/1/environ", isolation.__file__):
        assert refused(f"open({str(path)!r}).close()"), path
    for folder in (tmp_path, "/proc", "/home"):
        assert refused(f"os.listdir({str(folder)!r})"), folder


WRITE = """try:
    open('/tmp/npugrade-covert', 'w').close()
except OSError:
    pass
try:
    ctypes.CDLL(None).shmget(78, 4096, 0o1666)
except OSError:
    pass"""
LOOK = """assert not os.path.exists('/tmp/npugrade-covert')
assert ctypes.CDLL(None).shmget(78, 4096, 0) < 0"""


@pytest.mark.parametrize("filtered", FILTERED)
def test_a_submission_tells_the_next_one_nothing(filtered, monkeypatch):
    """A length of a hidden case, left as a name or as shared memory."""
    in_force(filtered, monkeypatch)
    if "seccomp" not in level_in_force().mechanisms:
        pytest.skip(isolation.missing("seccomp"))
    start = "import os, ctypes\n"
    for body in (WRITE, LOOK):
        text = submission(f"{start}{body}\n{LAUNCH}")
        assert judged_here(text, cases=4).score == 100.0


# ------------------------------------------------------------------ a level that breaks
def test_a_level_that_stops_working_is_our_fault_never_a_zero(tmp_path, monkeypatch):
    """A bwrap that passes the probe (`-c`) and fails when it is needed."""
    fake = tmp_path / "bwrap"
    fake.write_text('#!/bin/sh\nfor a; do test "$a" = -c && exit 0; done\nexit 1\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv(VARIABLE, "bubblewrap")
    with pytest.raises(JudgeUnavailable, match="host process"):
        run_judge("z1-add", GOOD)


@pytest.mark.parametrize("name", ["chroot", "bubblewrap"])
def test_a_wanted_level_is_never_replaced_by_a_weaker_one(name, monkeypatch):
    monkeypatch.setenv(VARIABLE, name)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(JudgeUnavailable, match=name):
        run_judge("z1-add", GOOD)


def test_a_worker_that_is_not_shut_in_is_not_used(monkeypatch):
    """The hello names what is in force; less than the level says is refused."""
    in_force("landlock", monkeypatch)
    none = {"uid": 0, "readable": [], "calls": {}}
    monkeypatch.setattr(host, "lockdown", lambda level: none)
    with pytest.raises(InfrastructureError, match="landlock"):
        judged_here(GOOD)


def test_a_refused_lockdown_is_an_infrastructure_failure(monkeypatch):
    in_force("limits", monkeypatch)
    wrong = {"uid": 0, "readable": [], "calls": {"audit": 1}}
    monkeypatch.setattr(host, "lockdown", lambda level: wrong)
    with pytest.raises(InfrastructureError):
        judged_here(GOOD)


def test_the_interpreter_is_all_that_is_readable():
    for path in isolation.readable():
        assert not path.startswith(("/home/", os.getcwd() + "/tests")), path
    assert any(path.startswith(sys.prefix) for path in isolation.readable())
