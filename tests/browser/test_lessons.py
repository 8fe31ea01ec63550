"""Every lesson opens in JupyterLab; quiz, hints and question answer to the keyboard."""

from __future__ import annotations

import time
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell
from selenium.webdriver.common.keys import Keys

from npucamp.build.browser import LabPage, chromium, running_lab
from npucamp.build.headers import lesson_headers
from npucamp.build.notebook import make_notebook
from npucamp.lesson.quiz import quiz
from npucamp.material import find, known_ids

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
HEADERS = lesson_headers(ROOT / "course" / "src")
QUIZ = next(i for i in known_ids("quiz") if not find("quiz", i).many)
HINT, WHY = known_ids("hint")[0], known_ids("explain")[0]
_HEADING = "return document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden) h1')"
_END_KERNELS = """
const done = arguments[arguments.length - 1];
window.jupyterapp.serviceManager.sessions.shutdownAll().then(() => done(''));
"""
_SAVE = """
const done = arguments[arguments.length - 1];
window.jupyterapp.commands.execute('docmanager:save').then(() => done(''));
"""
_VISIBLE = """
return [...document.querySelectorAll(arguments[0])]
  .filter(node => node.checkVisibility()).map(node => node.innerText).join('\\n');
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lessons")
    with (
        running_lab(folder / "work", "zh") as lab,
        chromium(folder / "profile", 1300, 1000) as window,
    ):
        yield LabPage(window, lab)


def until(condition, wait_s: float = 30):
    """What `condition` gives once it is true; AssertionError after `wait_s`."""
    end = time.monotonic() + wait_s
    while not (found := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)
    return found


@pytest.mark.parametrize("header", HEADERS, ids=[h.id for h in HEADERS])
def test_a_lesson_opens_and_shows_its_heading(page, header):
    page.open_notebook(f"course/zh/{header.file_name}")
    source = nbformat.read(ROOT / "course/zh" / header.file_name, as_version=4)
    ours = [(cell["id"], cell["cell_type"]) for cell in page.cells()]
    assert ours == [(cell.id, cell.cell_type) for cell in source.cells]
    heading = until(lambda: page.window.execute_script(_HEADING + "?.innerText"))
    first = next(c for c in source.cells if c.cell_type == "markdown").source
    assert first.splitlines()[0].removeprefix("# ") == heading.rstrip("¶").strip()
    page.window.execute_async_script(_END_KERNELS)


def asking(workspace: Path) -> str:
    """A notebook that asks with every kind of control; its path in the workspace."""
    calls = [f'quiz("{QUIZ}")', f'hint("{HINT}")', f'explain("{WHY}")', "progress()"]
    texts = ['from npucamp import *\n\nbegin("start-here", "zh")', *calls]
    cells = [new_code_cell(text, id=f"ask-{n}") for n, text in enumerate(texts)]
    (workspace / "ask.ipynb").write_text(nbformat.writes(make_notebook(cells, {})))
    return "ask.ipynb"


def test_quiz_hint_and_question_answer_in_the_page(page):
    page.open_notebook(asking(page.lab.workspace))
    page.run_all()
    shown = lambda: page.window.execute_script(_VISIBLE, ".npucamp")  # noqa: E731
    hint, why = find("hint", HINT), find("explain", WHY)
    until(lambda: "提示 1/3" in shown())
    assert hint.steps[0].zh.split("`")[0] not in shown()

    letters = list(quiz(QUIZ).question.options)
    right = next(x for x, o in quiz(QUIZ).question.options.items() if o.right)
    radios = page.window.find_elements("css selector", ".npucamp input[type=radio]")
    assert len(radios) == len(letters)
    radios[letters.index(right)].send_keys(Keys.SPACE)  # JupyterLab takes the arrows
    buttons = page.window.find_elements("css selector", ".npucamp button")
    buttons[0].send_keys(Keys.ENTER)
    until(lambda: "正确" in shown())

    buttons[1].send_keys(Keys.ENTER)
    until(lambda: "提示 2/3" in shown() and hint.steps[0].zh.split("`")[0] in shown())

    box = page.window.find_element("css selector", ".npucamp textarea")
    box.send_keys(" ".join(why.points[0].any) + " 因为" * 100)
    buttons[2].send_keys(Keys.ENTER)
    until(lambda: "参考答案" in shown())
    page.window.execute_async_script(_SAVE)


def test_a_question_is_still_there_when_the_notebook_is_opened_again(page):
    """The control: without the saved state JupyterLab says "Error displaying"."""
    page.window.execute_async_script(_END_KERNELS)
    again = LabPage(page.window, page.lab)
    again.open_notebook("ask.ipynb")
    shown = lambda: page.window.execute_script(_VISIBLE, ".jp-OutputArea")  # noqa: E731
    until(lambda: "提示 2/3" in shown() and "参考答案" in shown())
    assert "Error displaying widget" not in shown()
