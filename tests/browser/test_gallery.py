"""The gallery in JupyterLab: controls are moved with the keyboard, pictures change."""

from __future__ import annotations

import time

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from npucamp.build.browser import LabPage, chromium, running_lab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

GALLERY = "course/{language}/gallery-pictures.ipynb"
THEMES = {"en": "JupyterLab Dark", "zh": "JupyterLab Light"}
_THEME = """
const done = arguments[arguments.length - 1];
window.jupyterapp.commands.execute('apputils:change-theme', {theme: arguments[0]})
  .then(() => done(''), error => done(String(error)));
"""


@pytest.fixture(scope="module", params=["en", "zh"])
def gallery(request, tmp_path_factory):
    """The gallery after Run All; dark theme in English, light in Chinese."""
    language = request.param
    folder = tmp_path_factory.mktemp(f"gallery-{language}")
    with (
        running_lab(folder / "work", language) as lab,
        chromium(folder / "profile", 1300, 1000) as window,
    ):
        page = LabPage(window, lab)
        page.open_notebook(GALLERY.format(language=language))
        assert window.execute_async_script(_THEME, THEMES[language]) == ""
        page.run_all()
        yield page, language


def cell_of(page: LabPage, name: str):
    """The element of a cell, scrolled into view."""
    ids = [cell["id"] for cell in page.cells()]
    index = ids.index(f"gallery-{name}-cell")
    page.show_cell(index, "start")
    place = f'.jp-Notebook .jp-Cell[data-windowed-list-index="{index}"]'
    return page.window.find_element(By.CSS_SELECTOR, place)


def shown(element) -> str:
    return element.get_attribute("textContent")


def eventually(found, wanted: str, wait_s: float = 15.0) -> str:
    """The text once `wanted` is in it; the text at the end of the wait otherwise."""
    end = time.monotonic() + wait_s
    while wanted not in (text := found()) and time.monotonic() < end:
        time.sleep(0.1)
    return text


def test_every_cell_runs(gallery):
    page, _ = gallery
    outputs = [o for cell in page.cells() for o in cell.get("outputs", ())]
    assert len(outputs) > 12
    assert "error" not in [output["output_type"] for output in outputs]


@pytest.mark.parametrize("name", ["timeline", "beside", "flow", "ub", "roofline"])
def test_pictures_are_drawn_in_the_page(gallery, name):
    page, _ = gallery
    svg = cell_of(page, name).find_element(By.CSS_SELECTOR, "svg[role=img]")
    assert svg.size["width"] > 300 and svg.size["height"] > 60
    assert len(svg.get_attribute("aria-label")) > 40


def test_the_step_view_walks_with_the_arrow_keys(gallery):
    page, language = gallery
    cell = cell_of(page, "step")
    words = {"en": "step {} of", "zh": "第 {} 步"}[language]
    assert words.format(1) in eventually(lambda: shown(cell), words.format(1))
    handle = cell.find_element(By.CSS_SELECTOR, ".noUi-handle")
    handle.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert words.format(3) in eventually(lambda: shown(cell), words.format(3))
    handle.send_keys(Keys.ARROW_LEFT)
    assert words.format(2) in eventually(lambda: shown(cell), words.format(2))


def test_a_knob_of_what_if_runs_the_kernel_again(gallery):
    page, _ = gallery
    cell = cell_of(page, "what-if")
    assert "tile=512, depth=1" in eventually(lambda: shown(cell), "tile=512")
    handle = cell.find_elements(By.CSS_SELECTOR, ".noUi-handle")[0]
    handle.send_keys(Keys.ARROW_RIGHT)
    text = eventually(lambda: shown(cell), "tile=1024, depth=1")
    assert "tile=1024, depth=1" in text and "tile=512, depth=1" in text


def test_the_browser_of_events_shows_one_pipe(gallery):
    page, language = gallery
    cell = cell_of(page, "browse")
    every, few = {
        "en": ("40 of 131", "8 of 8"),
        "zh": ("共 131 个", "共 8 个"),
    }[language]
    assert every in eventually(lambda: shown(cell), every)
    _, pipe = cell.find_elements(By.TAG_NAME, "select")
    Select(pipe).select_by_visible_text("V")
    assert few in eventually(lambda: shown(cell), few)
