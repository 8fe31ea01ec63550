"""The notebooks that the chosen tests need run in the background, each once."""

from __future__ import annotations

from pathlib import Path

import pytest
from notebooktools import Runs, answers, read, solved

from npucamp.build.assignments import source_notebook
from npucamp.build.headers import lesson_header

ROOT = Path(__file__).resolve().parents[2]


def make_notebook(key: tuple):
    """The notebook of a key: ("lesson", source, language, form) or ("assignment", name,
    form); form is "released" or "solved"."""
    if key[0] == "assignment":
        _, name, form = key
        if form == "solved":
            return source_notebook(name)
        return read(ROOT / "exercises" / name / f"{name}.ipynb")
    _, stem, language, form = key
    source = ROOT / "course" / "src" / f"{stem}.py"
    notebook = read(ROOT / "course" / language / lesson_header(source).file_name)
    if form == "released":
        return notebook
    return solved(notebook, answers(ROOT / "solutions" / "lessons" / source.name))


@pytest.fixture(scope="session")
def _runs(tmp_path_factory, request):
    runs = Runs(tmp_path_factory.mktemp("runs"), make_notebook)
    items = [i for i in request.session.items if "executed" in i.fixturenames]
    keys = [item.callspec.params["run"] for item in items]
    runs.start(list(dict.fromkeys(keys)))
    yield runs
    runs.close()


@pytest.fixture
def executed(_runs, run):
    """The executed notebook of the parameter `run`, a key as in `make_notebook`."""
    return _runs.get(run)
