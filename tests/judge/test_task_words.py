"""Authors of tasks are told of mistakes in English and Chinese."""

from __future__ import annotations

import re
import string

import pytest

from npugrade import taskcheck
from npugrade.tasks import TaskError, load_task
from npugrade.taskwords import phrase, table
from npusim.diagnostic import language
from tests.judge.row_task import TASKS

TEXT = (TASKS / "t1-row-norm.toml").read_text(encoding="utf-8")
CHINESE = re.compile("[\u4e00-\u9fff]")
NO_WORDS = {"place", "file", "base-file", "line.base", "line.score", "line.of-100"}


def facts_of(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("key", table())
def test_a_sentence_has_both_languages_and_the_same_facts(key):
    entry = table()[key]
    assert set(entry) == {"en", "zh"} and facts_of(entry["en"]) == facts_of(entry["zh"])
    assert not CHINESE.search(entry["en"])
    assert CHINESE.search(entry["zh"]) or key in NO_WORDS


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('kind = "kernel"', 'kind = "poem"', "kind：只能是"),
        ('golden = "row-norm"', "", "golden：kernel 类题目必须有这一项"),
        ("offset = 1", "offset = 9", "孪生用例只相差一个元素"),
        ("choose = [0.5, 0.25]", "choose = []", "`choose` 和 `between` 必须给出其一"),
        ('hints]]\nen = "Which', 'tips]]\nen = "Which', "tips：没有这一项"),
        ('dtype = "half"', 'dtype = "fp16"', "没有 dtype 'fp16'"),
        ("eps = 1e-5", "eps = [", "t1-row-norm.toml："),
    ],
)
def test_a_mistake_is_told_in_chinese(tmp_path, monkeypatch, old, new, said):
    assert old in TEXT
    path = tmp_path / "t1-row-norm.toml"
    path.write_text(TEXT.replace(old, new), encoding="utf-8")
    with pytest.raises(TaskError) as caught:
        load_task("t1-row-norm", tmp_path)
    assert said in caught.value.text["zh"]
    monkeypatch.setattr(language, "_chosen", ["zh"])
    assert said in str(caught.value)
    monkeypatch.setattr(language, "_chosen", ["both"])
    assert str(caught.value).count("t1-row-norm.toml") >= 2


def test_the_report_of_a_check_is_in_both_languages():
    lines = (
        taskcheck.Line(phrase("line.vary"), True),
        taskcheck.Line(
            phrase("line.look-up"), False, phrase("line.missed", cases="long")
        ),
    )
    report = taskcheck.Report("z1-add", lines)
    assert "题目 z1-add：不合格" in report.text["zh"]
    assert "以下用例未能识破：long" in report.text["zh"]
    assert "missed in long" in report.text["en"]
    assert not CHINESE.search(report.text["en"])
