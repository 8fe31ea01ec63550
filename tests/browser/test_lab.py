"""The lesson in JupyterLab, as a learner sees it, in headless Chromium."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from npucamp.build.browser import Lab, LabPage, chromium, running_lab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
FRESH = ROOT / "build" / "screenshots"
LESSON = "course/{language}/z1-first-kernel.ipynb"
ASSIGNMENT = "exercises/z1-vector-add/z1-vector-add.ipynb"
_VISIBLE = """
const found = [...document.querySelectorAll(arguments[0])];
return found.filter(node => {
  const box = node.getBoundingClientRect();
  return box.width > 100 && box.height > 20 && node.checkVisibility();
}).length;
"""
_TEXT = "return document.body.innerText"


@pytest.fixture(scope="module", params=["en", "zh"])
def page(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"lab-{request.param}")
    with (
        running_lab(folder / "work", request.param) as lab,
        chromium(folder / "profile", 1400, 1000) as window,
    ):
        yield LabPage(window, lab), request.param


def test_the_lesson_runs_and_shows_the_timeline(page):
    lab, language = page
    lab.open_notebook(LESSON.format(language=language))
    lab.run_all()
    cells = {cell["id"]: cell for cell in lab.cells()}
    kinds = [o["output_type"] for c in cells.values() for o in c.get("outputs", ())]
    assert len(kinds) > 10
    assert "error" not in kinds
    index = list(cells).index("z1-launch-cell")
    lab.show_cell(index, "start")
    assert lab.window.execute_script(_VISIBLE, ".jp-OutputArea-output table") >= 1
    assert lab.window.execute_script(_VISIBLE, ".jp-OutputArea-output svg") >= 1
    FRESH.mkdir(parents=True, exist_ok=True)
    picture = FRESH / f"z1-{language}.png"
    assert lab.window.save_screenshot(str(picture))
    assert picture.stat().st_size > 20_000


def test_the_check_cell_of_the_assignment_answers(page):
    lab, language = page
    lab.open_notebook(ASSIGNMENT)
    lab.run_all()
    (cell,) = [c for c in lab.cells() if c["id"] == "z1-add-check"]
    (output,) = cell["outputs"]
    words = {"en": "not attempted", "zh": "未作答"}
    assert output["output_type"] == "execute_result"
    assert words[language] in str(output["data"])


def test_no_tool_that_needs_an_exchange_is_shown(page):
    lab, _ = page
    commands = lab.commands()
    assert "notebook:run-all-cells" in commands
    assert [c for c in commands if "assignment" in c or "formgrader" in c] == []
    assert "Formgrader" not in lab.window.execute_script(_TEXT)
    assert "Validate" in lab.window.execute_script(_TEXT)


def test_menus_speak_the_language(page):
    lab, language = page
    words = {"en": "Run", "zh": "运行"}
    text = lab.window.execute_script(
        "return document.querySelector('.lm-MenuBar, .jp-MenuBar').innerText"
    )
    assert words[language] in text


def test_without_our_settings_the_tools_would_be_there(tmp_path):
    """The control: stock nbgrader offers them, so the test above can fail."""
    from npucamp.lab import CONFIGURATION

    folder = tmp_path / "work"
    with running_lab(folder, "en") as lab:
        shutil.rmtree(folder / CONFIGURATION / "labconfig")
        with chromium(tmp_path / "profile", 1000, 800) as window:
            commands = LabPage(window, Lab(lab.url, lab.token, folder)).commands()
    assert [c for c in commands if "assignment" in c or "formgrader" in c]
