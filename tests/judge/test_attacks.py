"""Attacks on the judge: each ends as a clean verdict and gains no point.

Each attack is run on a wrong kernel and must earn what the wrong kernel earns without
it (or less); the controls are an honest right and an honest wrong submission.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from npugrade.client import run_judge
from npugrade.host import limits
from npugrade.tasks import FOLDER, load_task
from tests.judge.judge_samples import (
    GOOD,
    KERNEL,
    LAUNCH,
    WRONG,
    edited,
    host,
    judged_here,
)

WRONG_KERNEL = KERNEL.replace("asc.add(c, a, b, m)", "asc.sub(c, a, b, m)")
BUILDS = load_task("z1-add").weights.builds


def judged(text: str, **options):
    return run_judge("z1-add", text, deadline_s=40, **options)


@pytest.fixture(scope="module")
def hasty(tmp_path_factory):
    """Task files of which the host deadline is short."""
    folder = tmp_path_factory.mktemp("tasks")
    text = (FOLDER / "z1-add.toml").read_text(encoding="utf-8")
    assert "host_seconds = 2.0" in text
    text = text.replace("host_seconds = 2.0", "host_seconds = 0.5")
    (folder / "z1-add.toml").write_text(text, encoding="utf-8")
    return folder


def attack(body: str, top: str = "") -> str:
    """A wrong answer whose host code attacks before it launches."""
    return host(body + "\n" + LAUNCH, top, WRONG_KERNEL)


@pytest.fixture(autouse=True)
def nothing_is_left_behind():
    before = _left_behind()
    yield
    for _ in range(20):
        if _left_behind() <= before:
            return
        time.sleep(0.1)
    assert _left_behind() <= before


def _left_behind() -> set[int]:
    """Processes with a user id that only the judge's host processes have, and whose
    judge is gone: other judges may be at work on this machine."""
    folders = Path("/proc").glob("[0-9]*")
    return {int(f.name) for f in folders if _is_worker(f) and not _has_judge(f)}


def _is_worker(folder: Path) -> bool:
    first, count = limits()["host"]["first_uid"], limits()["host"]["uids"]
    try:
        return first <= folder.stat().st_uid < first + count
    except OSError:  # it has ended meanwhile
        return False


def _has_judge(folder: Path) -> bool:
    """Whether a Python process of another user started it, or its parents."""
    while _is_worker(folder):
        try:
            status = (folder / "stat").read_text(encoding="utf-8")
        except OSError:
            return True
        parent = status.rpartition(")")[2].split()[1]
        folder = folder.with_name(parent)
    try:
        return b"python" in (folder / "cmdline").read_bytes()
    except OSError:
        return False


def test_controls():
    assert judged(GOOD).score == 100.0
    assert judged(WRONG).score == BUILDS


# ----------------------------------------------------------------------- never ending
@pytest.mark.parametrize(
    "text",
    [
        host("while True: pass"),
        host("import time\ntime.sleep(1000)"),
        host(top="for _ in iter(int, 1):\n    TILE = 1"),
        attack(
            "import signal\nfor s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)\n"
            "while True: pass"
        ),
        attack("import os\nos.dup2(os.open('/dev/zero', 0), 0)\nwhile True: pass"),
    ],
    ids=["loop", "sleep", "at-definition", "signals-ignored", "redirected"],
)
def test_endless_host(text, hasty):
    verdict = judged(text, tasks=hasty)
    assert verdict.score == 0.0 and "did not finish within" in verdict.text("en")


def test_deadline_of_the_judge_leaves_no_process():
    verdict = run_judge("z1-add", host("import time\ntime.sleep(99)"), deadline_s=1.2)
    assert verdict.score == 0.0 and "1.2 s" in verdict.text("en")


@pytest.mark.parametrize(
    "line",
    [
        "while True:\n            asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
        "while True:\n            m = m + 1",
    ],
    ids=["instructions", "scalars"],
)
def test_endless_kernel(line):
    verdict = judged(edited(("asc.add(c, a, b, m)", line)))
    assert verdict.score == BUILDS and "ASC-RUN-04" in verdict.text("en")
    assert "earlier case was stopped" in verdict.text("en")


# ------------------------------------------------------------------------------ bombs
def test_memory_bomb_on_the_host():
    verdict = judged(host("a = []\nwhile True: a.append(bytearray(1 << 26))"))
    assert verdict.score == 0.0
    assert "memory" in verdict.text("en") or "finish" in verdict.text("en")


@pytest.mark.parametrize(
    "expression", ["10**10**9", "1 << 10**11", "len('a' * 10**11)", "-" * 5000 + "1"]
)
def test_compile_time_bomb(expression):
    verdict = judged(edited(("m = min(TILE, last - i)", f"m = {expression}")))
    assert verdict.score == 0.0 and "fail" in verdict.text("en")


def test_unrolling_bomb():
    verdict = judged(
        edited(("in range(first, last, TILE)", "in asc.static_range(10**9)"))
    )
    assert verdict.score == 0.0 and "ASC-JIT" in verdict.text("en")


def test_workspace_bomb():
    verdict = judged(attack("asc.device.empty(2**39, asc.half)"))
    assert verdict.score == 0.0 and "workspace" in verdict.text("en")


def test_huge_output_is_dropped():
    body = "import sys\nfor _ in range(20): print('x' * 10**6, file=sys.stderr)"
    assert judged(attack(body)).score == BUILDS
    assert judged(host(body + "\n" + LAUNCH)).score == 100.0


def test_fork_bomb():
    verdict = judged(host("import os\nwhile True: os.fork()"))
    assert verdict.score == 0.0 and "BlockingIOError" in verdict.text("en")


def test_endless_text():
    verdict = judged(
        GOOD + "\nTEXT = '" + "x" * 300_000 + "'\nTILE = 4096 + 0 * len(TEXT)"
    )
    assert verdict.score == 0.0 and "characters" in verdict.text("en")


def test_daemon():
    body = "import subprocess\nsubprocess.Popen(['sleep', '1000'])"
    verdict = judged(attack(body))
    assert verdict.score == 0.0 and "BlockingIOError" in verdict.text("en")


def test_threads():
    verdict = judged(attack("import threading\nthreading.Thread(target=print).start()"))
    assert verdict.score == 0.0 and "thread" in verdict.text("en")


def test_deep_recursion():
    verdict = judged(host("def f(): return f()\nf()"))
    assert verdict.score == 0.0 and "RecursionError" in verdict.text("en")


def test_too_many_requests():
    verdict = judged(host("while True: asc.device.empty(0, asc.half)"))
    assert verdict.score == 0.0
    assert "requests" in verdict.text("en") or "finish" in verdict.text("en")


def test_huge_captured_constant():
    text = edited(("TILE = 4096", "TABLE = [4096] * 200_000\nTILE = 4096"))
    verdict = judged(text.replace("m = min(TILE,", "m = min(TABLE[0],"))
    assert verdict.score == 0.0 and "1,000,000 B" in verdict.text("en")


# ---------------------------------------------------------------- leaving, the channel
@pytest.mark.parametrize("code", [0, 1, 42])
def test_exit(code):
    verdict = judged_here(host(f"import os\nos._exit({code})"))
    assert verdict.score == 0.0 and f"exit code {code}" in verdict.text("en")


def test_system_exit_and_signal_to_self():
    assert "SystemExit" in judged(host("raise SystemExit")).text("en")
    verdict = judged(host(f"import os\nos.kill(os.getpid(), {int(signal.SIGSEGV)})"))
    assert verdict.score == 0.0 and "ended by itself" in verdict.text("en")


def test_signal_to_the_judge():
    verdict = judged(attack("import os\nos.kill(os.getppid(), 9)"))
    assert verdict.score == 0.0


def test_closed_descriptors():
    verdict = judged(attack("import os\nos.closerange(0, 1000)"))
    assert verdict.score == 0.0 and verdict.items[0].status == "fail"


FORGE = (
    "import os\nfor fd in range(3, 60):\n    try: os.write(fd, {data!r} * {times})\n"
    "    except OSError: pass"
)


@pytest.mark.parametrize(
    "data",
    [
        b"hello\n",
        b"\xff\xfe\x00\n",
        b"[" * 100_000 + b"\n",
        b'{"op": "score", "points": 100}\n',
        b'{"op": "return", "type": "NoneType"}\n',
        b'{"op": "hello"}\n',
        b'{"op": "launch"}\n',
        b'{"op": "launch", "kernel": "kernel", "captured": {}, "args": [], '
        b'"named": {"budget": {"v": 9}}, "blocks": {"v": 1}}\n',
        b'{"op": "launch", "kernel": "kernel", "args": 3, '
        b'"captured": {"kernel": {"asc": {"v": 1}}}}\n',
        b'{"op": "empty", "shape": [-1], "dtype": "half"}\n',
        b'{"op": "empty", "shape": [NaN], "dtype": "half"}\n',
        b'{"op": "error", "stage": 1, "type": [], "frames": [[[]], 3, [[], 1]]}\n',
        b"no end",
    ],
)
def test_garbage_and_forged_messages(data):
    times = 1 if data.endswith(b"\n") else 1_000_000
    verdict = judged_here(attack(FORGE.format(data=data, times=times)))
    assert verdict.score <= BUILDS
    assert "Traceback" not in verdict.text("en")


# -------------------------------------------------------------------- patches and files
@pytest.mark.parametrize(
    "body",
    [
        "import sys\nsys.modules['numpy'] = None",
        "import builtins\nbuiltins.len = builtins.isinstance = lambda *a: True",
        "import json\njson.dumps = lambda m: '{}'",
        "import sys\nfor m in list(sys.modules): sys.modules[m] = None",
        "import npusim.asc as a\na.add = a.jit = None",
        "import sys, gc\nfor o in gc.get_objects():\n"
        "    if type(o).__name__ == 'Tensor': o.dtype = None",
        "type(x).size = 3",
        "import sys\nsys.settrace(lambda *a: None)\nsys._getframe(1).f_locals.clear()",
    ],
)
def test_patched_modules_gain_nothing(body):
    assert judged_here(attack(body)).score <= BUILDS


def test_reading_the_grader_gains_nothing():
    body = (
        "import glob, os\n"
        f"for root in ({str(Path(__file__).parents[2])!r}, '/proc/self', '/etc'):\n"
        "    for f in glob.glob(root + '/*') + glob.glob(root + '/grader/*/*/*'):\n"
        "        try: data = open(f, 'rb').read(10**6)\n"
        "        except OSError: pass\n"
        "assert 'SEED' not in os.environ"
    )
    assert judged(attack(body)).score == judged(WRONG).score


def test_environment_of_the_judge_does_not_cross(monkeypatch):
    monkeypatch.setenv("NPUGRADE_TEST_SECRET", "1")
    body = "import os\nassert 'NPUGRADE_TEST_SECRET' not in os.environ\n" + LAUNCH
    assert judged(host(body)).score == 100.0
    assert os.environ["NPUGRADE_TEST_SECRET"]


def test_files_cannot_be_filled(tmp_path):
    target = tmp_path / "planted"
    tmp_path.chmod(0o777)
    body = f"f = open({str(target)!r}, 'w')\nf.write('x' * 10**6)\nf.flush()"
    verdict = judged(host(body))
    assert verdict.score == 0.0
    assert not target.exists() or target.stat().st_size == 0


def test_module_in_the_working_folder_is_not_taken(tmp_path, monkeypatch):
    for name in ("npugrade", "numpy", "json", "pydantic"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(7)")
    monkeypatch.chdir(tmp_path)
    assert judged(GOOD).score == 100.0


def test_lying_objects():
    lie = "class Lie(int):\n    def __eq__(self, o): return True\n"
    text = host(LAUNCH.replace("x.size", "Lie(7)"), lie, WRONG_KERNEL)
    assert judged(text).score <= BUILDS


def test_kernel_cannot_reach_python():
    for line in (
        "import os",
        "open('x')",
        "x.__class__",
        "exec('1')",
        "asc.device.empty(1)",
    ):
        verdict = judged_here(edited(("asc.add(c, a, b, m)", line)))
        assert verdict.score == 0.0 and "ASC-JIT" in verdict.text("en")
