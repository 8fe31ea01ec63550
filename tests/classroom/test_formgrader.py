"""nbgrader's Formgrader in headless Chromium: a person grades what waits for one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from npucamp.build.browser import chromium, free_port
from npugrade import client

from .test_gradebook_ways import CAPTION, judged, school  # noqa: F401

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),  # of nbgrader
]
_EXTENSION = "{'nbgrader.server_extensions.formgrader': True}"
_SCORE = """
const box = [...document.querySelectorAll('input.score')]
  .find(node => !node.disabled && node.closest('.nbgrader_cell')
        .innerText.includes('Because.'));
box.value = '1.25'; box.dispatchEvent(new Event('change', {bubbles: true}));
const text = document.querySelector('textarea.comment');
text.value = 'Which unit?'; text.dispatchEvent(new Event('change', {bubbles: true}));
"""


@contextmanager
def formgrader(folder: Path) -> Iterator[str]:
    """Address of a server in the class' folder, for this machine only."""
    port = free_port()
    command = [sys.executable, "-P", "-m", "jupyter", "server", "--no-browser"]
    command += [f"--ServerApp.port={port}", "--ServerApp.allow_root=True"]
    command += ["--IdentityProvider.token="]
    command += [f"--ServerApp.jpserver_extensions={_EXTENSION}"]
    home = folder / "home"
    home.mkdir(exist_ok=True)
    others = {k: v for k, v in os.environ.items() if not k.startswith("JUPYTER")}
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**others, "HOME": str(home)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        yield _ready(f"http://127.0.0.1:{port}")
    finally:
        process.terminate()
        process.wait(20)


def _ready(url: str, wait_s: float = 60) -> str:
    end = time.monotonic() + wait_s
    while True:
        try:
            urllib.request.urlopen(f"{url}/api", timeout=5).close()
            return url
        except (urllib.error.URLError, OSError):
            assert time.monotonic() < end, "the server did not start"
            time.sleep(0.2)


def until(window, script: str, wait_s: float = 30) -> object:
    end = time.monotonic() + wait_s
    while not (found := window.execute_script(script)):
        assert time.monotonic() < end, script
        time.sleep(0.2)
    return found


def test_a_person_gives_points_and_a_comment(school, tmp_path, monkeypatch):  # noqa: F811
    folder, api = school
    book = f"sqlite:///{folder}/gradebook.db"
    with Gradebook(book, "npu101") as gradebook:
        number = gradebook.find_submission_notebook("one", "t", "ada").id
    with (
        formgrader(folder) as url,
        chromium(tmp_path / "profile", 1400, 1600) as window,
    ):
        window.get(f"{url}/formgrader/submissions/{number}/")
        until(window, "return document.querySelectorAll('input.score').length > 1")
        until(window, "return window.jQuery.active === 0")
        page = window.execute_script("return document.body.innerText")
        assert CAPTION["en"] in page and "Accuracy" in page
        assert until(window, "return document.images.length")
        window.execute_script(_SCORE)
        until(window, "return window.jQuery.active === 0")
        time.sleep(1)
    with Gradebook(book, "npu101") as gradebook:
        grade = gradebook.find_grade("tone-why", "one", "t", "ada")
        assert grade.manual_score == 1.25 and not grade.needs_manual_grade
        comments = gradebook.find_submission_notebook("one", "t", "ada").comments
        assert "Which unit?" in [c.manual_comment for c in comments]
    monkeypatch.setattr(client, "run_judge", judged)
    assert api.autograde("t", "ada", force=True)["success"]
    assert api.generate_feedback("t", "ada", force=True)["success"]
    feedback = (folder / "feedback/ada/t/one.html").read_text("utf-8")
    assert "Which unit?" in feedback and "1.25 / 2.0" in feedback
