"""Every test here has a state folder of its own, and may have a course of its own."""

from __future__ import annotations

import pytest
from lessondata import write

from npucamp import journal
from npucamp.lesson import session


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """An empty state folder; nothing waits, no lesson has begun."""
    monkeypatch.setenv("NPUCAMP_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(journal, "_pending", [])
    monkeypatch.setattr(session, "_begun", [])
    monkeypatch.setattr("npucamp.lesson.hint._shown", {})
    return tmp_path / "state"


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A clone-like folder with the data of lesson t1, in the place of the course."""
    root = tmp_path / "small"
    write(root)
    for module in ("material", "coursemap"):
        monkeypatch.setattr(f"npucamp.{module}.course_root", lambda: root)
    return root
