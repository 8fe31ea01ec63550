"""Data files of lessons: read, refused with the line of the mistake, found by id."""

from __future__ import annotations

import pytest
from lessondata import TEXT, write

from npucamp.material import (
    Material,
    MaterialError,
    find,
    known_ids,
    line_numbers,
    load_material,
    material_files,
    parse,
)


def line_of(text: str, needle: str) -> int:
    return text[: text.index(needle)].count("\n") + 1


def test_the_form_is_read(small):
    made = load_material("t1")
    assert [term.id for term in made.term] == ["pipe"]
    assert made.quiz["several"].many and not made.quiz["order"].many
    assert made.explain["why"].points[1].any == ("wait", "等")
    assert [step.en for step in made.hint["turn-flags"].steps][2] == "Wait for MTE2_V."


def test_a_lesson_without_a_file_has_no_material(small):
    assert load_material("t2") == Material()


def test_an_id_finds_its_table_whatever_hyphens_it_has(small):
    write(small, TEXT.replace("[quiz.order]", "[quiz.other]").replace(
        "[[quiz.order.", "[[quiz.other."), lesson="t1-more")  # fmt: skip
    assert find("quiz", "t1-order") == load_material("t1").quiz["order"]
    assert find("quiz", "t1-more-other") == load_material("t1-more").quiz["other"]
    assert find("hint", "t1-turn-flags") is not None
    for unknown in ("t1-none", "t1", "", "order", "t1-more-order", None, 3):
        assert find("quiz", unknown) is None
    assert known_ids("explain") == ["t1-more-why", "t1-why"]


def test_the_course_map_is_no_lesson(small):
    write(small, "", lesson="course")
    assert list(material_files()) == ["t1"]


def test_a_changed_file_is_read_again(small):
    import os

    path = write(small, TEXT)
    assert load_material("t1").explain["why"].words == 5
    path.write_text(TEXT.replace("words = 5", "words = 6"), encoding="utf-8")
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1_000_000))
    assert load_material("t1").explain["why"].words == 6


# --------------------------------------------------------------------------- mistakes
OPTION = 'en = "MTE3"\nzh = "MTE3"\nwhy.en = "MTE3 moves out."'


@pytest.mark.parametrize(
    ("old", "new", "at", "words"),
    [
        ("right = true", "right = 7x", "right = 7x", "Expected newline"),
        ("right = true", "wrong = true", "wrong = true", "option.0.wrong: Extra"),
        ('zh = "流水线"\n', "", "[[term]]", "term.0.zh: Field required"),
        ('zh = "流水线"', 'zh = "  "', 'zh = "  "', "term.0.zh"),
        ('id = "pipe"', 'id = "Pipe!"', 'id = "Pipe!"', "term.0.id"),
        ("right = true\nwhy.en = \"MTE2", "why.en = \"MTE2", "[quiz.order]",
         "quiz.order: no option"),
        ("many = true\n", "", "[quiz.several]", "2 options are right"),
        (OPTION, OPTION.replace("why.en", "whi.en"), "whi.en", "option.1.whi: Extra"),
        ('en = "MTE3"', 'en = "MTE2"', "[[quiz.order.option]]", "the same in en"),
        ("  { en = \"Which pipe waits?\", zh = \"哪条流水线在等？\" },\n", "",
         "steps = [", "hint.turn-flags.steps"),
        ("words = 5", "words = 0", "words = 0", "explain.why.words"),
        ('any = ["wait", "等"]', "any = []", "any = []", "points.1.any"),
        ('model.zh = "V 要等 MTE2，所以两者轮流空闲。"\n', "", "model.en",
         "explain.why.model.zh: Field required"),
        ("[explain.why]", "[explains.why]", "[explains.why]", "explains: Extra"),
        ("[quiz.several]\n", "[[term]]\nid = \"pipe\"\nen = \"p\"\nzh = \"管\"\n"
         "meaning.en = \"m\"\nmeaning.zh = \"意\"\n[quiz.several]\n", "[[term]]",
         "term: defined twice: pipe"),
    ],
)  # fmt: skip
def test_a_mistake_names_file_line_and_key(old, new, at, words):
    assert old in TEXT
    text = TEXT.replace(old, new, 1)
    with pytest.raises(MaterialError) as caught:
        parse(Material, text, "t1.toml")
    place = f"t1.toml:{line_of(text, at)}: "
    lines = str(caught.value).splitlines()
    assert [x for x in lines if x.startswith(place) and words in x], lines


def test_a_file_that_ends_too_soon_is_located():
    with pytest.raises(MaterialError, match=r"^t1\.toml:\d+: "):
        parse(Material, TEXT + '\n[quiz.x]\nstem.en = "', "t1.toml")


def test_every_table_has_its_line():
    lines = line_numbers(TEXT)
    rows = TEXT.splitlines()
    options = [n for n, row in enumerate(rows, 1) if row == "[[quiz.several.option]]"]
    assert [lines["quiz", "several", "option", n] for n in range(3)] == options
    assert rows[lines["quiz", "several", "option", 2, "why", "zh"] - 1] == (
        'why.zh = "计算"'
    )
