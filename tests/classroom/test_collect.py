"""Collecting takes plain files of the submission and never follows a link."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

import pytest
from nbgrader.coursedir import CourseDirectory

from npugrade.nbgrader.collect import (
    CollectPlainFiles,
    copy_plain_files,
    name_as_released,
)

GOOD = {
    "a.ipynb": "{}",
    "timestamp.txt": "2027-01-01 10:00:00.5 UTC",
    "submission_secret.txt": "s",
}


@pytest.fixture
def inbound(tmp_path) -> Path:
    """An ordinary submission, and a secret of the class beside it."""
    folder = tmp_path / "ada+z1+2027"
    folder.mkdir()
    for name, text in GOOD.items():
        (folder / name).write_text(text)
    (tmp_path / "solution.ipynb").write_text("secret")
    return folder


def collected(
    inbound: Path, limit_nbytes: int = 1000
) -> tuple[dict[str, str], list[str]]:
    target = inbound.parent / "submitted/ada/z1"
    left = copy_plain_files(inbound, target, limit_nbytes)
    return {path.name: path.read_text() for path in target.iterdir()}, left


def test_an_ordinary_submission_is_taken_whole(inbound):
    assert collected(inbound) == (GOOD, [])


def test_links_pipes_folders_and_strangers_are_left_behind(inbound):
    (inbound / "b.ipynb").symlink_to(inbound.parent / "solution.ipynb")
    (inbound / "c.ipynb").mkdir()
    os.mkfifo(inbound / "d.ipynb")
    (inbound / "numpy.py").write_text("print('ran')")
    (inbound / "page.html").symlink_to(inbound.parent / "solution.ipynb")
    assert collected(inbound) == (
        GOOD,
        ["b.ipynb", "c.ipynb", "d.ipynb", "numpy.py", "page.html"],
    )


def test_a_submission_that_is_itself_a_link_is_not_opened(inbound):
    link = inbound.parent / "eve+z1+2027"
    link.symlink_to(inbound)
    with pytest.raises(OSError, match="eve"):
        copy_plain_files(link, inbound.parent / "submitted/eve", 1000)
    assert not (inbound.parent / "submitted").exists()


def test_such_a_link_does_not_stop_collecting(inbound, caplog):
    link = inbound.parent / "eve+z1+2027"
    link.symlink_to(inbound)
    course = CourseDirectory(root=str(inbound.parent))
    step = CollectPlainFiles(coursedir=course)
    step.do_copy(str(link), str(inbound.parent / "submitted/eve"))
    assert f"Not collected: {link} (a link" in caplog.text


def test_a_file_over_the_limit_is_left_behind(inbound):
    (inbound / "a.ipynb").write_text("x" * 1001)
    assert collected(inbound)[1] == ["a.ipynb"]


@pytest.mark.parametrize("text", ["yesterday-ish", "9" * 400])
def test_a_time_that_nobody_can_read_is_left_behind(inbound, text):
    (inbound / "timestamp.txt").write_text(text)
    found, left = collected(inbound)
    assert left == ["timestamp.txt"] and "timestamp.txt" not in found


def test_bytes_that_are_no_text_are_no_time(inbound):
    (inbound / "timestamp.txt").write_bytes(b"\xff\xfe")
    assert collected(inbound)[1] == ["timestamp.txt"]


@pytest.mark.parametrize(
    "name",
    [
        "..+z1+2027-01-01 10:00:00 UTC+x",  # would be copied out of submitted/
        ".hidden+z1+2027-01-01 10:00:00 UTC+x",
        "a*+z1+2027-01-01 10:00:00 UTC+x",
        "eve+z1+no time+x",
        "+z1+",
    ],
)
def test_a_folder_with_a_false_name_is_passed_over(
    inbound, tmp_path, monkeypatch, name
):
    monkeypatch.setenv("PATH", sysconfig.get_path("scripts"))  # nbgrader calls alembic
    place = tmp_path / "exchange/npu101/inbound"
    place.mkdir(parents=True)
    inbound.rename(place / "ada+z1+2027-01-01 10:00:00 UTC+y")
    (place / name).mkdir()
    course = CourseDirectory(
        root=str(tmp_path / "class"),
        course_id="npu101",
        assignment_id="z1",
        db_url="sqlite://",
    )
    step = CollectPlainFiles(coursedir=course)
    step.root = str(tmp_path / "exchange")
    step.start()
    made = [path.name for path in (tmp_path / "class").rglob("*") if path.is_file()]
    assert sorted(made) == sorted(GOOD)
    assert [p.name for p in (tmp_path / "class/submitted").iterdir()] == ["ada"]


@pytest.mark.parametrize(
    ("handed_in", "wanted", "taken"),
    [
        ({"my z1.ipynb"}, {"z1.ipynb"}, {"z1.ipynb"}),
        ({"z1.ipynb", "draft.ipynb"}, {"z1.ipynb"}, {"z1.ipynb", "draft.ipynb"}),
        ({"a.ipynb", "b.ipynb"}, {"z1.ipynb"}, {"a.ipynb", "b.ipynb"}),
        ({"my z1.ipynb"}, set(), {"my z1.ipynb"}),
        ({"z1.ipynb", "x.ipynb"}, {"z1.ipynb", "z2.ipynb"}, {"z1.ipynb", "z2.ipynb"}),
    ],
)
def test_one_odd_name_is_taken_for_the_one_missing(tmp_path, handed_in, wanted, taken):
    for name in handed_in:
        (tmp_path / name).write_text(name)
    renamed = name_as_released(tmp_path, wanted)
    assert {path.name for path in tmp_path.iterdir()} == taken
    assert (renamed is not None) == (taken != handed_in)
