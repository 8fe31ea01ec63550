"""`npucamp lab`: the command that it becomes, and the address that it prints."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from npucamp import lab
from npucamp.coursemap import built_lessons
from npucamp.menus import EXCHANGE_PLUGINS, write_learner_menus
from npucamp.standing import CourseStanding, Standing


def test_the_users_arguments_come_last(tmp_path):
    command = lab.lab_command(tmp_path, "en", ["--port", "9000"], browser=True)
    assert command[:3] == [sys.executable, "-m", "jupyterlab"]
    assert command[-2:] == ["--port", "9000"]
    assert f"--ServerApp.root_dir={tmp_path}" in command


@pytest.mark.parametrize(("user", "allowed"), [(0, True), (1000, False)])
def test_root_is_allowed_only_for_root(monkeypatch, tmp_path, user, allowed):
    monkeypatch.setattr(os, "geteuid", lambda: user)
    command = lab.lab_command(tmp_path, "en", [], browser=True)
    assert ("--allow-root" in command) is allowed


def test_without_a_browser_none_is_started(tmp_path, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert not lab.has_browser()
    command = lab.lab_command(tmp_path, "en", [], browser=lab.has_browser())
    assert "--no-browser" in command


@pytest.mark.parametrize(
    ("language", "folder"), [("en", "en"), ("zh", "zh"), ("both", "en")]
)
def test_it_opens_the_start_page_and_later_the_next_lesson(
    tmp_path, language, folder, monkeypatch
):
    assert lab.first_page(tmp_path, language) == "/lab"
    lesson = built_lessons()["z1"].place.name
    for name in ("en", "zh"):
        for file in (lab.START_PAGE, lesson):
            page = tmp_path / "course" / name / file
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text("{}")
    for state, file in (("new", lab.START_PAGE), ("started", lesson)):
        course = CourseStanding((Standing("z1", {}, 45, state, {}),))
        monkeypatch.setattr("npucamp.standing.course_standing", lambda c=course: c)
        page = lab.first_page(tmp_path, language)
        assert page == f"/lab/tree/course/{folder}/{file}"


def test_the_users_own_configuration_still_applies(tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "/elsewhere")
    environment = lab.lab_environment(tmp_path, "zh")
    own = str(tmp_path / lab.CONFIGURATION)
    assert environment["JUPYTER_CONFIG_PATH"].split(os.pathsep) == [own, "/elsewhere"]
    assert environment["NPUCAMP_LANG"] == "zh"


@pytest.mark.parametrize(
    ("language", "locale"), [("en", "en"), ("zh", "zh_CN"), ("both", "zh_CN")]
)
def test_the_menus(tmp_path, language, locale):
    write_learner_menus(tmp_path, language)
    page = json.loads((tmp_path / "labconfig/page_config.json").read_text())
    assert page == {"disabledExtensions": dict.fromkeys(EXCHANGE_PLUGINS, True)}
    settings = (tmp_path / "labconfig/default_setting_overrides.json").read_text()
    plugin = "@jupyterlab/translation-extension:plugin"
    assert json.loads(settings)[plugin] == {"locale": locale}


@pytest.mark.slow
def test_it_prints_the_address_of_the_start_page(tmp_path):
    command = [sys.executable, "-m", "npucamp.cli", "lab", "--port=0"]
    environment = {**os.environ, "WORK": str(tmp_path / "work"), "HOME": str(tmp_path)}
    environment["NPUCAMP_HOME"] = str(tmp_path / "state")
    environment.pop("DISPLAY", None)
    process = subprocess.Popen(
        [*command, "--ip=127.0.0.1"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        text = _read_until(process, "token=", wait_s=60)
    finally:
        process.terminate()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()  # Jupyter can lose a signal that comes while it starts
            process.wait(timeout=30)
        process.stdout.close()
    assert "No browser was found here" in text
    assert re.search(r"http://127\.0\.0\.1:\d+/lab/tree/course/en/start-here", text)
    assert (tmp_path / "work" / "exercises").is_dir()


def _read_until(process: subprocess.Popen, word: str, wait_s: float) -> str:
    text, end = "", time.monotonic() + wait_s
    while word not in text and time.monotonic() < end and process.poll() is None:
        if select.select([process.stdout], [], [], 0.2)[0]:
            text += os.read(process.stdout.fileno(), 65536).decode()
    return text


def test_the_workspace_named_by_work_is_used(monkeypatch):
    from npucamp.paths import default_workspace

    monkeypatch.setenv("WORK", "~/elsewhere")
    assert default_workspace() == Path.home() / "elsewhere"
    monkeypatch.setenv("WORK", "")
    assert default_workspace() == Path.home() / "npucamp"
