"""`make lab` and `make test` on bare machines: what is missing is named with its
cure."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = "course/npucamp/build/environment.sh"
FAKE_PYTHON = """\
#!/bin/sh
echo "$*" >>{log}
case "$*" in
*"-m venv"*)
    mkdir -p .venv/bin .venv/site
    cp "$0" .venv/bin/python
    printf '#!/bin/sh\\n' >.venv/bin/npucamp
    chmod +x .venv/bin/npucamp ;;
*getsitepackages*) echo .venv/site ;;
*"%d.%d"*) echo {version} ;;
*"(3, 11)"*) exit {too_old} ;;
*ensurepip*) exit {no_venv} ;;
esac
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The few files that the script reads, and a folder `tools` for a PATH."""
    root = tmp_path / "clone"
    for name in ("requirements.lock", "pyproject.toml", "setup.py", "Makefile", SCRIPT):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    tools = tmp_path / "tools"
    tools.mkdir()
    for program in ("git", "make", "sh", "cat", "cksum", "pwd", "mkdir", "cp", "chmod"):
        (tools / program).symlink_to(shutil.which(program) or "/usr/bin/" + program)
    return root


def fake_python(clone: Path, version="3.11", too_old=0, no_venv=0) -> Path:
    """A `python3` that only tells how it was called; returns its log."""
    log = clone.parent / "log"
    facts = {"log": log, "version": version, "too_old": too_old, "no_venv": no_venv}
    program = clone.parent / "tools" / "python3"
    program.write_text(FAKE_PYTHON.format(**facts))
    program.chmod(0o755)
    return log


def prepare(clone: Path) -> subprocess.CompletedProcess:
    environment = {"PATH": str(clone.parent / "tools"), "HOME": str(clone)}
    return subprocess.run(
        ["make", "environment"],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_git(clone):
    fake_python(clone)
    (clone.parent / "tools" / "git").unlink()
    assert "sudo apt-get install git" in prepare(clone).stderr


def test_no_python(clone):
    done = prepare(clone)
    assert done.returncode != 0
    assert "sudo apt-get install python3 python3-venv" in done.stderr


def test_an_old_python(clone):
    log = fake_python(clone, version="3.9", too_old=1)
    done = prepare(clone)
    assert done.returncode != 0
    assert "python3 is 3.9" in done.stderr and "PYTHON=" in done.stderr
    assert "-m venv" not in log.read_text()


def test_no_venv_package(clone):
    fake_python(clone, version="3.11", no_venv=1)
    done = prepare(clone)
    assert done.returncode != 0
    assert "sudo apt-get install python3.11-venv" in done.stderr


def test_the_environment_is_made_once_for_each_lock(clone):
    log = fake_python(clone)
    assert prepare(clone).returncode == 0
    assert log.read_text().count("-m venv") == 1
    assert "--only-binary=:all: -r requirements.lock" in log.read_text()
    roots = (clone / ".venv/site/npucamp-clone.pth").read_text().splitlines()
    assert [Path(r).name for r in roots] == ["simulator", "grader", "course"]

    again = prepare(clone)
    assert (again.returncode, again.stdout) == (0, "")
    assert log.read_text().count("-m venv") == 1

    with (clone / "requirements.lock").open("a") as lock:
        lock.write("six==1.17.0\n")
    assert prepare(clone).returncode == 0
    assert log.read_text().count("-m venv") == 2


def test_an_environment_that_was_moved_is_made_anew(clone):
    log = fake_python(clone)
    prepare(clone)
    moved = clone.with_name("moved")
    clone.rename(moved)
    assert prepare(moved).returncode == 0
    assert log.read_text().count("-m venv") == 2


@pytest.mark.slow
def test_no_package_index_is_said_in_plain_words(clone):
    tools = clone.parent / "tools" / "python3"
    tools.symlink_to(Path(sys.base_prefix, "bin", "python3"))
    offline = {"PIP_NO_INDEX": "1"}
    own = {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_CACHE_DIR": "1"}
    environment = {**os.environ, **offline, **own, "PATH": str(tools.parent)}
    environment.pop("PIP_FIND_LINKS", None)
    done = subprocess.run(
        ["make", "environment"],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "The packages could not be downloaded" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (clone / ".venv" / "npucamp.stamp").exists()


def test_the_makefile_explains_itself():
    done = subprocess.run(
        ["make", "-s", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for command in ("make lab", "make test", "make build", "make screenshot"):
        assert command in done.stdout


def test_continuous_integration_requires_every_tool_and_calls_make_test():
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "NPUCAMP_REQUIRE=browser,bwrap,postgres" in text
    assert "\nmake test " in text
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    subprocess.run(["bash", "-n", str(ROOT / ".ci" / "run")], check=True)
