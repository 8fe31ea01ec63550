"""The workspace: unchanged files follow the course, changed ones stay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from npucamp.workspace import MANIFEST, Copied, WorkspaceError, lay_out

LESSON = "course/en/z1-first-kernel.ipynb"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    root = tmp_path / "clone"
    _write(root / LESSON, "one")
    _write(root / "exercises/z1-vector-add/z1-vector-add.ipynb", "starter")
    _write(root / "solutions/z1-vector-add/z1-vector-add.ipynb", "secret")
    return root


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_the_first_time_everything_is_copied(clone, tmp_path):
    work = tmp_path / "deep" / "work"
    kinds = {c.path: c.kind for c in lay_out(clone, work)}
    assert kinds == {
        LESSON: "new",
        "exercises/z1-vector-add/z1-vector-add.ipynb": "new",
    }
    assert (work / LESSON).read_text() == "one"
    assert not list(work.rglob("*secret*")) and not (work / "solutions").exists()


def test_the_second_time_nothing_happens(clone, tmp_path):
    lay_out(clone, tmp_path / "work")
    assert lay_out(clone, tmp_path / "work") == []


def test_an_unchanged_file_is_updated(clone, tmp_path):
    work = tmp_path / "work"
    lay_out(clone, work)
    _write(clone / LESSON, "two")
    assert lay_out(clone, work) == [Copied("updated", LESSON)]
    assert (work / LESSON).read_text() == "two"


def test_a_changed_file_stays_and_the_new_version_lies_beside(clone, tmp_path):
    work = tmp_path / "work"
    lay_out(clone, work)
    _write(work / LESSON, "mine")
    assert lay_out(clone, work) == []
    _write(clone / LESSON, "two")
    beside = "course/en/z1-first-kernel.new.ipynb"
    assert lay_out(clone, work) == [Copied("kept", LESSON, beside)]
    assert (work / LESSON).read_text() == "mine"
    assert (work / beside).read_text() == "two"
    assert lay_out(clone, work) == []


def test_a_changed_new_version_is_not_overwritten_either(clone, tmp_path):
    work = tmp_path / "work"
    lay_out(clone, work)
    _write(work / LESSON, "mine")
    _write(clone / LESSON, "two")
    beside = Path(lay_out(clone, work)[0].beside)
    _write(work / beside, "also mine")
    _write(clone / LESSON, "three")
    (copied,) = lay_out(clone, work)
    assert copied.beside == "course/en/z1-first-kernel.new2.ipynb"
    assert (work / beside).read_text() == "also mine"
    assert (work / copied.beside).read_text() == "three"


def test_a_file_that_was_there_before_is_not_overwritten(clone, tmp_path):
    work = tmp_path / "work"
    _write(work / LESSON, "from somewhere else")
    (first, _) = lay_out(clone, work)
    assert first.kind == "kept"
    assert (work / LESSON).read_text() == "from somewhere else"


def _notebook(text: str, indent: int | None = None, **metadata: object) -> str:
    cells = [{"cell_type": "code", "source": text}]
    return json.dumps({"cells": cells, "metadata": metadata}, indent=indent)


def test_a_notebook_that_jupyter_only_saved_is_updated(clone, tmp_path):
    work = tmp_path / "work"
    _write(clone / LESSON, _notebook("one", language_info={"name": "python"}))
    lay_out(clone, work)
    saved = {"name": "python", "version": "3.13.1"}
    _write(work / LESSON, _notebook("one", 4, language_info=saved))
    _write(clone / LESSON, _notebook("two"))
    assert lay_out(clone, work) == [Copied("updated", LESSON)]
    assert (work / LESSON).read_text() == _notebook("two")


@pytest.mark.parametrize("mine", [_notebook("mine"), _notebook("one", title="mine")])
def test_a_notebook_with_other_words_stays(clone, tmp_path, mine):
    work = tmp_path / "work"
    _write(clone / LESSON, _notebook("one"))
    lay_out(clone, work)
    _write(work / LESSON, mine)
    _write(clone / LESSON, _notebook("two"))
    (copied,) = lay_out(clone, work)
    assert copied.kind == "kept" and (work / LESSON).read_text() == mine


def test_a_deleted_file_comes_back(clone, tmp_path):
    work = tmp_path / "work"
    lay_out(clone, work)
    (work / LESSON).unlink()
    assert lay_out(clone, work) == [Copied("new", LESSON)]


def test_a_broken_manifest_is_named_and_nothing_is_touched(clone, tmp_path):
    work = tmp_path / "work"
    lay_out(clone, work)
    _write(work / LESSON, "mine")
    _write(work / MANIFEST, '{"copied": [')
    with pytest.raises(WorkspaceError) as caught:
        lay_out(clone, work)
    assert caught.value.key == "work-manifest"
    assert (work / LESSON).read_text() == "mine"


def test_a_file_in_the_way_is_named(clone, tmp_path):
    (tmp_path / "work").write_text("a file")
    with pytest.raises(WorkspaceError) as caught:
        lay_out(clone, tmp_path / "work")
    assert caught.value.key == "work-not-a-folder"
