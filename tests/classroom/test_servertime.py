"""The server's clock decides which submission is the last, and how late it is."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import ExchangeCollect
from traitlets.config import Config

from npugrade.classroom.gradebook import create_gradebook
from npugrade.nbgrader.collect import CollectPlainFiles
from npugrade.nbgrader.servertime import FORMAT, differs, server_time

LONG_AGO = "2020-01-01 10:00:00.0 UTC"
TASK = "t-add"


def now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> str:
    """The address of one gradebook for all tests: to make one takes seconds."""
    path = tmp_path_factory.mktemp("class") / "gradebook.db"
    create_gradebook(path, "npu101")
    return f"sqlite:///{path}"


def submit(root: Path, student: str, word: str, text: str = "{}") -> Path:
    """A submission whose learner says `word` and has set its files' times back."""
    folder = root / f"exchange/npu101/inbound/{student}+{TASK}+{word}+secret"
    folder.mkdir(parents=True)
    for name, content in {f"{TASK}.ipynb": text, "timestamp.txt": word}.items():
        (folder / name).write_text(content)
        os.utime(folder / name, (1e9, 1e9))
    return folder


def collect(
    root: Path, book: str, step: type = CollectPlainFiles, **options: bool
) -> None:
    config = Config()
    config.CourseDirectory.db_url = book
    config.Exchange.root = str(root / "exchange")
    config.CourseDirectory.root, config.CourseDirectory.course_id = str(root), "npu101"
    course = CourseDirectory(config=config, assignment_id=TASK)
    collector = step(coursedir=course, config=config, **options)
    collector.check_student = False
    collector.start()


def taken(root: Path, student: str) -> datetime:
    text = (root / f"submitted/{student}/{TASK}/timestamp.txt").read_text()
    return datetime.strptime(text, FORMAT)


def test_time_set_back_by_the_learner_does_not_count(tmp_path, book):
    folder = submit(tmp_path, "eve", LONG_AGO)
    assert abs(server_time(folder) - now()) < timedelta(minutes=1)
    collect(tmp_path, book)
    assert abs(taken(tmp_path, "eve") - now()) < timedelta(minutes=1)


def test_stock_nbgrader_takes_the_learners_word(tmp_path, book):
    """The control: what the class would get without this step."""
    submit(tmp_path, "eve", LONG_AGO)
    collect(tmp_path, book, ExchangeCollect)
    text = (tmp_path / f"submitted/eve/{TASK}/timestamp.txt").read_text()
    assert text == LONG_AGO


def test_the_last_submission_is_the_last_by_the_server(tmp_path, book):
    submit(tmp_path, "ada", "2099-01-01 10:00:00.0 UTC", "first")
    time.sleep(0.02)
    submit(tmp_path, "ada", LONG_AGO, "second")
    collect(tmp_path, book)
    assert (tmp_path / f"submitted/ada/{TASK}/{TASK}.ipynb").read_text() == "second"


def test_update_takes_what_came_later(tmp_path, book):
    submit(tmp_path, "ada", "2099-01-01 10:00:00.0 UTC", "first")
    collect(tmp_path, book)
    time.sleep(0.02)
    submit(tmp_path, "ada", LONG_AGO, "second")
    collect(tmp_path, book, update=True)
    assert (tmp_path / f"submitted/ada/{TASK}/{TASK}.ipynb").read_text() == "second"


def test_a_clock_that_differs_is_named(tmp_path, book, caplog):
    submit(tmp_path, "eve", LONG_AGO)
    submit(tmp_path, "ada", now().strftime(FORMAT))
    collect(tmp_path, book)
    named = [m for m in caplog.messages if "The server's counts" in m]
    assert len(named) == 1 and "eve" in named[0] and "2020-01-01 10:00" in named[0]


@pytest.mark.parametrize(("minutes", "said"), [(0, False), (4, False), (6, True)])
def test_two_clocks_may_differ_a_little(minutes, said):
    assert differs(now(), now() - timedelta(minutes=minutes)) == said


def test_folder_without_files_has_no_time(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    assert server_time(tmp_path) is None
    assert server_time(tmp_path / "nothing") is None
