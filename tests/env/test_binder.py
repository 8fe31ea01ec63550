"""Binder: the repository as repo2docker reads it, and an image in small.

The pip block of environment.yml is installed in a fresh environment and postBuild runs
on a copy of the clone, as in the image; only conda's Python is replaced by the one
here.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from npucamp.build import leaks
from npucamp.menus import EXCHANGE_PLUGINS

ROOT = Path(__file__).resolve().parents[2]
_SKIPPED = shutil.ignore_patterns(
    ".git", ".venv", "build", "*.egg-info", "__pycache__", ".*_cache"
)


def copy_of_the_clone(folder: Path) -> Path:
    shutil.copytree(ROOT, folder, ignore=_SKIPPED, dirs_exist_ok=True)
    return folder


def run(*command: object, cwd: Path, **changes: str) -> str:
    done = subprocess.run(
        [str(c) for c in command],
        cwd=cwd,
        env={**os.environ, **changes},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout + done.stderr


# ----------------------------------------------------------------------- repo2docker
def repo2docker(clone: Path) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "repo2docker", "--no-build", "--debug"]
    command += ["--user-id", "1000", "--user-name", "jovyan", "."]
    return subprocess.run(
        command, cwd=clone, capture_output=True, text=True, check=False
    )


def test_repo2docker_reads_the_clone(tmp_path):
    done = repo2docker(copy_of_the_clone(tmp_path / "clone"))
    text = done.stdout + done.stderr
    assert done.returncode == 0, text[-2000:]
    assert "Building conda environment for python=3.12" in text
    assert "COPY --chown=1000:1000 src/environment.yml" in text
    assert "./postBuild" in text


def test_repo2docker_would_refuse_a_broken_environment(tmp_path):
    clone = copy_of_the_clone(tmp_path / "clone")
    (clone / "environment.yml").write_text("dependencies:\n  - [python\n")
    assert repo2docker(clone).returncode != 0


def test_nothing_overrules_the_files_at_the_top():
    for name in ("binder", ".binder", "Dockerfile", "requirements.txt", "setup.cfg"):
        assert not (ROOT / name).exists()


# ------------------------------------------------------------- the image, in small
@pytest.fixture(scope="module")
def image(tmp_path_factory) -> Path:
    """The home folder of the image: the clone after postBuild; its Python in ../env."""
    folder = tmp_path_factory.mktemp("image")
    home = copy_of_the_clone(folder / "home")
    (home / ".git").mkdir(exist_ok=True)
    (home / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    block = yaml.safe_load((home / "environment.yml").read_text("utf-8"))
    (folder / "block.txt").write_text("\n".join(block["dependencies"][2]["pip"]))
    run(sys.executable, "-m", "venv", folder / "env", cwd=folder)
    pip = [folder / "env/bin/python", "-m", "pip", "install", "--quiet"]
    run(*pip, "--only-binary=:all:", "-r", folder / "block.txt", cwd=folder)
    run("./postBuild", cwd=home, **image_environment(home))
    return home


def image_environment(image: Path) -> dict[str, str]:
    binaries = image.parent / "env" / "bin"
    return {"HOME": str(image), "PATH": f"{binaries}:{os.environ['PATH']}"}


def in_image(image: Path, *command: object) -> str:
    program = image.parent / "env" / "bin" / str(command[0])
    return run(program, *command[1:], cwd=image, **image_environment(image))


@pytest.mark.slow
def test_the_image_has_no_solutions(image):
    for name in ("solutions", "tests", ".git", "build"):
        assert not (image / name).exists()
    files = sorted(p for p in image.rglob("*") if p.is_file())
    received = leaks.read_texts(image, files)
    solutions, given = leaks.solution_texts(ROOT), leaks.given_texts(ROOT)
    assert len(received) > 100
    assert leaks.find_leaks(solutions, received, given) == []


@pytest.mark.slow
def test_the_image_has_a_workspace_that_runs(image):
    lesson = image / "npucamp/course/en/z1-first-kernel.ipynb"
    exercise = image / "npucamp/exercises/z1-vector-add/z1-vector-add.ipynb"
    assert lesson.exists() and exercise.exists()
    assert "ran to the end" in in_image(image, "npucamp", "run", lesson)
    script = "import npusim, npucamp, npugrade; print(npucamp.__file__)"
    assert "site-packages" in in_image(image, "python", "-c", script)


@pytest.mark.slow
def test_the_image_has_exactly_the_locked_packages(image):
    in_image(image, "python", "-m", "pip", "check")
    findings = json.loads(in_image(image, "npucamp", "doctor", "--json"))
    assert {f["key"]: f["good"] for f in findings}["lock"]


@pytest.mark.slow
def test_the_image_disables_the_exchange_plugins(image):
    config = image.parent / "env/etc/jupyter/labconfig/page_config.json"
    disabled = json.loads(config.read_text())["disabledExtensions"]
    assert set(disabled) == set(EXCHANGE_PLUGINS) and all(disabled.values())
    listed = in_image(image, "jupyter", "labextension", "list")
    off = listed.split("Disabled extensions:")[1]
    assert [p for p in EXCHANGE_PLUGINS if f"    {p}\n" not in off + "\n"] == []
