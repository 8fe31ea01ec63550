"""The form of a message: place, source line, caret, related places, HTML."""

from __future__ import annotations

import pytest

from npusim.diagnostic import (
    Diagnostic,
    KernelError,
    Location,
    language,
    render,
    render_html,
)
from npusim.diagnostic.catalogue import CATALOGUE
from npusim.diagnostic.render import display_width, place, render_all, source_lines
from npusim.diagnostic.template import fill

FACTS = {"operation": "data_copy", "nbytes": 22, "required": 32}


def at(text: str, part: str, label: str = "Cell [5]", line: int = 7) -> Location:
    column = text.index(part)
    return Location(label, line, column, column + len(part), text)


def test_header_names_severity_code_place_and_core():
    where = at("    asc.data_copy(a, b, 11)", "asc.data_copy(a, b, 11)")
    found = Diagnostic("ASC-MTE-01", "E", where, FACTS, 3)
    head = render(found).splitlines()[0]
    assert head.startswith("E ASC-MTE-01  Cell [5], line 7 (core 3): data_copy length")
    chinese = render(found, "zh").splitlines()[0]
    assert chinese.startswith(
        "E ASC-MTE-01  单元 [5] 第 7 行（核 3）：data_copy 的长度"
    )


def test_files_are_named_as_editors_name_them():
    assert place(at("x", "x", "kernels/add.py"), "en") == "kernels/add.py:7"
    assert place(at("x", "x", "kernels/add.py"), "zh") == "kernels/add.py:7"


def test_without_place_or_core_the_message_stands_alone():
    text = render(Diagnostic("ASC-MTE-01", "E", None, FACTS))
    assert text.startswith("E ASC-MTE-01  data_copy length 22 B is not a multiple")


@pytest.mark.parametrize(
    ("text", "part", "caret"),
    [
        ("    add(z, x)", "add(z, x)", "^^^^^^^^^"),
        ("\tadd(z, x)", "x", "       ^"),
        ("名 = add(张量, 一)", "add(张量, 一)", "     ^^^^^^^^^^^^^"),
        ("名 = add(张量, 一)", "一", "               ^^"),
        ("printf('Ｆ')  # e\u0301x", "x", "                 ^"),
    ],
)
def test_caret_stands_under_the_columns_as_displayed(text, part, caret):
    line, carets = source_lines(at(text, part))
    assert line == text.strip()
    assert carets == caret


@pytest.mark.parametrize(("column", "end"), [(99, 120), (0, 0), (5, 2), (-3, 4)])
def test_caret_of_a_place_out_of_range_still_shows(column, end):
    line, carets = source_lines(Location("f", 1, column, end, "  add(x)\n"))
    assert line == "add(x)"
    assert carets.strip("^ ") == "" and "^" in carets
    assert len(carets) <= len(line) + 1


def test_wide_characters_take_two_columns_and_marks_none():
    assert display_width("ab张Ｘ") == 6
    assert display_width("e\u0301") == 1


def test_related_places_are_captioned_in_the_language():
    where = at("asc.add(z, x, y, n)", "asc.add(z, x, y, n)", line=15)
    first = at("asc.data_copy(x, g, n)", "asc.data_copy(x, g, n)", line=12)
    found = Diagnostic("ASC-RACE-15", "E", where, {}, 0, (first,))
    assert "  first access: Cell [5], line 12\n    asc.data_copy(x" in render(found)
    assert "  先前的访问：单元 [5] 第 12 行\n" in render(found, "zh")


def test_html_is_escaped_and_holds_the_same_words():
    where = at("asc.add(z, x<y, '<b>&')", "x<y", label="Cell [5]")
    facts = {**FACTS, "operation": "<script>"}
    html = render_html(Diagnostic("ASC-MTE-01", "E", where, facts, 0), "zh")
    assert "<script>" not in html and "&lt;script&gt;" in html
    assert "x&lt;y" in html and "&amp;" in html
    assert html.count("<div") == html.count("</div>")
    assert "原因：" in html and 'lang="zh"' in html


def test_html_wraps_prose_between_words_and_never_the_source():
    where = at("asc.add(z, x, y, n)", "asc.add(z, x, y, n)")
    html = render_html(Diagnostic("ASC-MTE-01", "E", where, FACTS))
    for tag, rule in (("pre", "white-space:pre;"), ("div", "white-space:pre-wrap;")):
        inside = [s for s in html.split(f"<{tag} ") if "asc.add" in s or "length" in s]
        assert rule in inside[-1].partition(">")[0]
    assert "word-break:normal" in html


@pytest.mark.parametrize("code", ["ASC-RACE-15", "ASC-RACE-16", "ASC-RACE-17"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_race_names_its_simplest_cure_first(code, language):
    hint = CATALOGUE[code].hint[language]
    assert "pipe_barrier(asc.PipeID.PIPE_ALL)" in hint.split("set_flag")[0]


def test_both_languages_one_after_the_other():
    text = render(Diagnostic("ASC-MTE-01", "E", None, FACTS), "both")
    assert text.index("data_copy length") < text.index("data_copy 的长度")


def test_unknown_language_and_unknown_code():
    with pytest.raises(ValueError, match="en, zh, both") as caught:
        render(Diagnostic("ASC-MTE-01", "E", None), "fr")
    (line,) = caught.value._render_traceback_()
    assert line == "language 'fr' is not one of en, zh, both"
    text = render(Diagnostic("ASC-NEW-99", "W", None, {"nbytes": 3}))
    assert text == "W ASC-NEW-99  nbytes = 3"


def test_several_messages_and_the_exception():
    found = Diagnostic("ASC-MTE-01", "E", None, FACTS)
    assert render_all([found, found]).count("\n\nE ASC-MTE-01") == 1
    assert str(KernelError((found,))) == render(found)


@pytest.mark.parametrize(
    ("template", "facts", "expected"),
    [
        ("{nbytes:,} B", {"nbytes": 196608}, "196,608 B"),
        ("{nbytes:,} B", {"nbytes": "many"}, "many B"),
        ("{nbytes} B", {}, "? B"),
        ("a[[ ({line})]]", {}, "a"),
        ("a[[ ({line})]]", {"line": 3}, "a (3)"),
        ("{kind:word}", {"kind": "read"}, "读"),
        ("{kind:word}", {"kind": "other"}, "other"),
        ("{at:hex}", {"at": 8191}, "0x1fff"),
        ("{names:list}", {"names": ["a", "b"]}, "a、b"),
        ("{plan:plan}", {"plan": [("inX", 2, 4096)]}, "inX 2 × 4,096 B"),
        ("{states:states}", {"states": [(0, "FREE")]}, "0: 空闲"),
        ("{name}", {"name": "{other} [[x]]"}, "{other} [[x]]"),
    ],
)
def test_templates(template, facts, expected):
    assert fill(template, facts, "zh") == expected


@pytest.mark.parametrize(
    ("chosen", "languages"), [("zh", ["zh"]), ("both", ["en", "zh"])]
)
def test_printing_a_diagnostic_speaks_the_language_in_force(chosen, languages):
    found = Diagnostic("ASC-MTE-01", "E", None, FACTS)
    before = language.current()
    language.use(chosen)
    try:
        assert str(found) == "\n".join(render(found, one) for one in languages)
    finally:
        language.use(before)
