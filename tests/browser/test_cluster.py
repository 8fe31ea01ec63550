"""Lesson D3 in JupyterLab: the slider over the links moves, the timeline is drawn."""

from __future__ import annotations

import os

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from tests.browser.test_gallery import eventually, shown

from npucamp.build.browser import LabPage, chromium, running_lab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WINDOWS = {"en": ("From 0 to", "From 37.3 to"), "zh": ("从 0 到", "从 37.3 到")}
PICTURES = os.environ.get("NPUCAMP_PICTURES")  # a folder: keep what was seen


@pytest.fixture(scope="module", params=["en", "zh"])
def lesson(request, tmp_path_factory):
    language = request.param
    folder = tmp_path_factory.mktemp(f"cluster-{language}")
    with (
        running_lab(folder / "work", language) as lab,
        chromium(folder / "profile", 1300, 1000) as window,
    ):
        page = LabPage(window, lab)
        page.open_notebook(f"course/{language}/d3-collectives.ipynb")
        page.run_all()
        yield page, language


def cell_of(page: LabPage, name: str):
    """The element of a cell, scrolled into view."""
    index = [cell["id"] for cell in page.cells()].index(name)
    page.show_cell(index, "start")
    place = f'.jp-Notebook .jp-Cell[data-windowed-list-index="{index}"]'
    return page.window.find_element(By.CSS_SELECTOR, place)


def keep(page: LabPage, name: str) -> None:
    if PICTURES:
        page.window.save_screenshot(f"{PICTURES}/{name}.png")


def test_the_timeline_is_drawn(lesson):
    page, language = lesson
    cell = cell_of(page, "d3-hand-cell")
    svg = cell.find_element(By.CSS_SELECTOR, "svg[role=img]")
    assert svg.size["width"] > 300 and svg.size["height"] > 150
    assert "rank 7" in svg.get_attribute("aria-label").lower()
    keep(page, f"timeline-{language}")


def test_the_slider_walks_through_time(lesson):
    page, language = lesson
    first, second = WINDOWS[language]
    cell = cell_of(page, "d3-map-cell")
    assert first in eventually(lambda: shown(cell), first)
    handle = cell.find_element(By.CSS_SELECTOR, ".noUi-handle")
    handle.send_keys(Keys.ARROW_RIGHT)
    assert second in eventually(lambda: shown(cell), second)
    keep(page, f"links-{language}")
