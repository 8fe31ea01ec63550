"""Two runs compared: ratios, notes, both languages."""

import pytest

from npusim.profile import compare


@pytest.fixture(scope="module")
def pair(launch):
    return launch("queue_add", depth=1), launch("queue_add", depth=2)


def test_ratios_are_those_of_the_runs(pair):
    one, two = pair
    found = compare(one, two)
    assert found.speedup == one.time_us / two.time_us > 1
    assert found.row("time").ratio == pytest.approx(two.time_us / one.time_us)
    assert found.row("compare_read").ratio == 1 and found.same_work
    assert one.compare(two) == found


def test_what_neither_has_is_left_out(pair):
    with pytest.raises(KeyError):
        compare(*pair).row("compare_flags")


def test_other_work_is_said(launch, pair):
    less = compare(pair[0], launch("queue_add", tiles=4))
    assert not less.same_work
    assert "not the same work" in less.text("en")
    assert "不是同样的工作" in less.text("zh")


@pytest.mark.parametrize("language, word", [("en", "times as fast"), ("zh", "倍。")])
def test_text_and_html_say_the_same(pair, language, word):
    found = compare(*pair)
    assert word in found.text(language) and word in found.html(language)
    for row in found.rows:
        assert row.show(row.after) in found.html(language)
    assert "{" not in found.text(language)
