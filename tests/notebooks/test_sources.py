"""The text form of lessons and assignments: what is refused, and with which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from npucamp.build.assignments import CODE_STUB, release_notebook, source_notebook
from npucamp.build.lessons import build_lesson
from npucamp.build.notebook import join_chinese_lines, make_cell
from npucamp.build.percent import SourceError

HEADER = """\
# ---
# jupyter:
#   npucamp:
#     id: t1
#     slug: tiny-lesson
#     title: {en: Tiny, zh: 小}
# ---
"""
PAIR = """\
# %% [markdown] lang="en" id="goal" tags=["seed:A001.1"]
# # Tiny
# %% [markdown] lang="zh"
# # 小
"""
CODE = """\
# %%
x = 1
"""
ANSWER = (
    '# %% nbgrader={"grade": false, "grade_id": "t1-answer", "locked": false, '
    '"schema_version": 3, "solution": true, "task": false}\n'
    "def f(x):\n    y = 0\n    ### BEGIN SOLUTION\n    y = x + 1\n"
    "    ### END SOLUTION\n    return y\n"
)
CHECK = (
    '# %% nbgrader={"grade": true, "grade_id": "t1-check", "locked": true, '
    '"points": 5, "schema_version": 3, "solution": false, "task": false}\n'
    'check("t1")\n'
)


def lesson(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "t1.py"
    path.write_text(text, encoding="utf-8")
    return path


def master(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "solutions" / "t1-demo" / "t1-demo.py"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return tmp_path


# ---------------------------------------------------------------------------- lessons
def test_a_lesson_in_two_languages(tmp_path):
    made = build_lesson(lesson(tmp_path, HEADER + PAIR + CODE))
    assert {k: [c.source for c in n.cells] for k, n in made.items()} == {
        "en": ['from npucamp import begin\n\nbegin("t1", "en")', "# Tiny", "x = 1"],
        "zh": ['from npucamp import begin\n\nbegin("t1", "zh")', "# 小", "x = 1"],
    }
    for notebook in made.values():
        assert [c.id for c in notebook.cells] == ["t1-begin", "t1-goal", "t1-02"]
        assert notebook.cells[1].metadata.tags == ["seed:A001.1"]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (PAIR, 1, "no npucamp: table"),
        (HEADER.replace("id: t1", "id: T1") + PAIR, 1, "npucamp.id"),
        (HEADER.replace(", zh: 小", "") + PAIR, 1, "exactly en and zh"),
        (HEADER + PAIR.split('# %% [markdown] lang="zh"')[0], 8, "twin"),
        (HEADER + PAIR.split("# %%")[2].join(["# %%", ""]), 8, 'lang="en"'),
        (HEADER + PAIR.replace("zh", "en"), 10, 'lang="zh"'),
        (HEADER + CODE + PAIR.replace('id="goal"', 'idd="x"'), 10, "idd"),
        (HEADER + CODE + PAIR.split("# %%")[1].join(["# %%", ""]) + CODE, 10, "twin"),
    ],
)
def test_a_wrong_lesson_names_the_line(tmp_path, text, line, words):
    with pytest.raises(SourceError) as caught:
        build_lesson(lesson(tmp_path, text))
    assert f"t1.py:{line}: " in str(caught.value)
    assert words in str(caught.value)


def test_two_cells_with_one_id_are_refused(tmp_path):
    with pytest.raises(ValueError, match="t1-goal"):
        build_lesson(lesson(tmp_path, HEADER + PAIR + PAIR))


# ------------------------------------------------------------------------ assignments
def test_the_source_keeps_the_solution_and_the_release_does_not(tmp_path):
    root = master(tmp_path, ANSWER + CHECK)
    source = source_notebook("t1-demo", root)
    released = release_notebook("t1-demo", source)
    assert [c.id for c in source.cells] == ["t1-demo-begin", "t1-answer", "t1-check"]
    assert [c.id for c in released.cells] == [c.id for c in source.cells]
    assert "y = x + 1" in source.cells[1].source
    assert (
        released.cells[1].source
        == f"def f(x):\n    y = 0\n    {CODE_STUB}\n    return y"
    )
    assert released.cells[2].metadata.nbgrader.points == 5
    assert released.cells[2].metadata.editable is False


def test_a_missing_master_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="t1-demo"):
        source_notebook("t1-demo", tmp_path)


def test_an_open_solution_region_is_refused(tmp_path):
    root = master(tmp_path, ANSWER.replace("    ### END SOLUTION\n", ""))
    with pytest.raises(RuntimeError, match="t1-demo: No end solution"):
        release_notebook("t1-demo", source_notebook("t1-demo", root))


def test_an_unknown_attribute_names_the_line(tmp_path):
    root = master(tmp_path, ANSWER + '# %% points="5"\nx = 1\n')
    with pytest.raises(SourceError, match=r"t1-demo\.py:8: unknown attribute points"):
        source_notebook("t1-demo", root)


# ------------------------------------------------------------- line ends in Chinese
@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("第一行\n第二行", "第一行第二行"),
        ("一句。\n  下一句", "一句。下一句"),
        ("写 `x`，\n`y` 也写", "写 `x`，`y` 也写"),
        ("指令是\n`asc.add`", "指令是\n`asc.add`"),
        ("第一段\n\n第二段", "第一段\n\n第二段"),
        ("用 asc\n编写", "用 asc\n编写"),
        ("只分一份，\ntile 很长", "只分一份，tile 很长"),
        ("一共：\n1,024 个", "一共：1,024 个"),
        ("一句。\n**重点**在此", "一句。**重点**在此"),
        ("一句；\n“引号”", "一句；“引号”"),
        ("“引号”\n之后", "“引号”之后"),
        ("三点：\n* 一项\n* 二项", "三点：\n* 一项\n* 二项"),
        ("三点：\n1. 一项", "三点：\n1. 一项"),
        ("说明：\n| 表 | 头 |", "说明：\n| 表 | 头 |"),
        ("列表：\n- 一项\n- 二项", "列表：\n- 一项\n- 二项"),
        ("# 标题\n\n正文", "# 标题\n\n正文"),
        ("one\ntwo", "one\ntwo"),
    ],
)
def test_line_ends_inside_a_chinese_paragraph_go(text, joined):
    assert join_chinese_lines(text) == joined
    assert make_cell("markdown", text, "a", {}).source == joined
    assert make_cell("code", text, "a", {}).source == text
