"""Whatever a learner submits is read, or refused with a reason; it never raises."""

from __future__ import annotations

import io
import json

import nbformat
import pytest

from npugrade.nbgrader import submission
from npugrade.nbgrader.neutral import neutral_markdown
from npugrade.nbgrader.submission import read_cells, read_notebook, refusal

from .small_assignment import released


def read(text: str):
    return read_notebook(io.StringIO(text))


def with_cell(**fields: object) -> str:
    notebook = json.loads(nbformat.writes(released()))
    notebook["cells"][2].update(fields)
    return json.dumps(notebook)


def test_an_ordinary_notebook_is_read_whole():
    notebook = read(nbformat.writes(released()))
    assert refusal(notebook) == ""
    assert [c.source for c in read_cells(notebook)] == [
        cell.source for cell in released().cells
    ]
    assert read_cells(notebook)[3].grade_id == "t-add-check"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not json",
        "[]",
        '"text"',
        "{}",
        '{"nbformat": 4}',
        '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": 7}',
        '{"nbformat": 99, "nbformat_minor": 5, "metadata": {}, "cells": []}',
        "[" * 100_000,
        with_cell(source=17),
        with_cell(cell_type=["code"]),
        with_cell(metadata="text"),
    ],
)
def test_what_is_no_notebook_is_refused(text):
    assert refusal(read(text)) == "unreadable"


@pytest.mark.parametrize(
    ("fields", "grade_id"),
    [
        ({"metadata": {"nbgrader": ["grade_id"]}}, None),
        ({"metadata": {"nbgrader": {"grade_id": {"a": 1}}}}, None),
        ({"metadata": {"tags": {"deep": [[[[]]]]}}}, None),
        ({"outputs": [{"output_type": "made up"}]}, "t-add-answer"),
        ({"id": 7}, "t-add-answer"),
        ({"id": "x" * 1000}, "t-add-answer"),
    ],
)
def test_strange_fields_of_a_cell_are_dropped(fields, grade_id):
    notebook = read(with_cell(**fields))
    assert refusal(notebook) == ""
    assert read_cells(notebook)[2].grade_id == grade_id


def test_text_that_no_file_can_hold_is_replaced():
    source = read_cells(read(with_cell(source="a\0b\ud800c")))[2].source
    assert source == "a\N{REPLACEMENT CHARACTER}b?c"


def test_too_much_text_is_refused(monkeypatch):
    monkeypatch.setattr(submission, "MAX_SOURCE_CHARACTERS", 1000)
    assert refusal(read(with_cell(source="#" * 900))) == ""
    assert refusal(read(with_cell(source="#" * 1001))) == "too-large"


def test_a_file_beyond_the_limit_is_not_parsed(monkeypatch):
    text = nbformat.writes(released())
    monkeypatch.setattr(submission, "MAX_FILE_CHARACTERS", len(text))
    assert refusal(read(text)) == ""
    assert refusal(read(text + " ")) == "too-large"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)>"),
        ("[a](java&#115;cript:b)", "[a](java&amp;#115;cript:b)"),
        ("[a](VBScript : b)", "[a](VBScript : b)"),
        (r"$\href{javascript:a}{b}$", r"$\\href{javascript :a}{b}$"),
        ("1 < 2 && x<y", "1 < 2 && x&lt;y"),
        (r"$\frac{1}{2}$, **bold**, data: 5", r"$\frac{1}{2}$, **bold**, data: 5"),
    ],
)
def test_prose_loses_what_a_browser_would_run(written, shown):
    assert neutral_markdown(written) == shown
