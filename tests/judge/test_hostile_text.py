"""Submissions whose text alone is the attack: the judge reads each to the end.

If the text could make the judge fail, there would be "no verdict", which a learner who
deserves a zero might prefer.
"""

from __future__ import annotations

import json

import pytest

from npugrade.cells import Cell, parse_cell
from npugrade.client import run_judge
from npugrade.extract import extract
from npugrade.judging import judge
from npugrade.messages import plain, say
from npugrade.taskio import extract_for
from npugrade.tasks import load_task
from tests.judge.judge_samples import GOOD, LAUNCH, edited, host, judged_here

TASK = load_task("z1-add")
LATE = {
    "duplicate-argument": "def add(x, x): pass",
    "late-global": "def add(x, y, z):\n    TILE = 1\n    global TILE",
    "nonlocal": "nonlocal add\ndef add(x, y, z): pass",
    "star-in-function": "def add(x, y, z):\n    from math import *",
    "late-future": "add = add; from __future__ import annotations",
    "late-global-in-kernel": "@asc.jit\ndef kernel(x: int):\n    n = 1\n    global n",
}


@pytest.mark.parametrize("text", LATE.values(), ids=LATE)
def test_what_python_refuses_after_parsing_is_a_located_error(text):
    for cells in ([Cell("a", GOOD), Cell("b", text)], [Cell("b", GOOD + text)]):
        verdict = judge(TASK, cells)
        assert verdict.score == 0.0 and verdict.items[0].status == "fail"
        assert "b, line" in verdict.text("en")


def test_such_an_error_in_a_cell_that_nobody_needs_costs_nothing():
    cells = [Cell("a", GOOD), Cell("b", "def other(q, q): pass")]
    assert extract(cells, ["add"]).errors == ()


@pytest.mark.parametrize(
    "line",
    [
        "TILE = 4096" + "+0" * 2500,
        "TILE = 4096 + 0 * 0x" + "f" * 9000,
        "TILE = 4096",
    ],
    ids=["deep", "long-number", "plain"],
)
def test_fingerprint_of_any_tree(line):
    found = extract_for(TASK, (Cell("a", edited(("TILE = 4096", line))),))
    assert found.errors == () and len(found.fingerprint) == 64


def test_fingerprint_tells_trees_apart_and_overlooks_layout():
    texts = ["f = [1, [2]]", "f = [1, 2, []]", "f = [[1], 2]", "f = [1, '2']"]
    texts += ["f = [True, [2]]", "f = [1.0, [2]]", "f = (1, [2])"]
    prints = {extract([Cell("a", t)], ["f"]).fingerprint for t in texts}
    assert len(prints) == len(texts)
    spaced = extract([Cell("a", "# f\nf = [ 1, [2] ]")], ["f"]).fingerprint
    assert spaced == extract([Cell("a", texts[0])], ["f"]).fingerprint


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_line_ends_of_other_systems(end):
    text, _ = parse_cell(Cell("a", GOOD.replace("\n", end)))
    assert text == GOOD
    assert judged_here(GOOD.replace("\n", end), cases=4).score == 100.0
    assert judged_here(f"# one{end}# two\n" + GOOD, cases=4).score == 100.0


def test_names_outside_ascii():
    assert judged_here(GOOD.replace("TILE", "块长"), cases=4).score == 100.0
    assert judged_here(GOOD.replace("kernel", "ｋernel"), cases=4).score == 100.0


def test_guessing_the_names_of_a_broken_cell_takes_linear_time():
    verdict = run_judge("z1-add", GOOD + "\n" + "a:\n" * 60_000 + "(", deadline_s=20)
    assert "invalid syntax" in verdict.text("en")


TROUBLE = r"\ud800\x00\x1b[31m\u202e"


@pytest.mark.parametrize(
    "text",
    [
        host(f"raise ValueError('{TROUBLE}')"),
        host(f"raise type('{TROUBLE}'.replace(chr(0), ''), (Exception,), {{}})()"),
        host(LAUNCH[:-1] + f", **{{'{TROUBLE}': 1}})"),
        GOOD + "\n# \ud800\x1b",
    ],
    ids=["message", "type", "keyword", "source"],
)
def test_every_text_of_a_verdict_can_be_stored_and_shown(text):
    verdict = run_judge("z1-add", text)
    assert verdict.score == 0.0
    shown = verdict.text("en") + verdict.html("zh") + json.dumps(verdict.to_json())
    assert shown.encode("utf-8") and not {"\x1b", "\0", "\u202e"} & set(shown)


def test_plain_keeps_what_can_be_shown():
    assert plain("a\tb\n块 ✘ 😀") == "a\tb\n块 ✘ 😀"
    assert plain("\x07\x85\ud800") == "\N{REPLACEMENT CHARACTER}" * 3
    assert say("reason.exit", code="\x1b")["zh"] == "退出码 \N{REPLACEMENT CHARACTER}"
