"""The further pictures: right facts, both languages, both themes, nothing overflows."""

from xml.etree import ElementTree

import numpy as np
import pytest

from npusim import asc
from npusim.view.banks import extra_blocks
from npusim.view.drawable import drawable
from npusim.view.lanes import core_lanes
from npusim.view.lives import places
from npusim.view.stalls import stall_ticks, stalls

PICTURES = ("timeline", "balance", "banks", "ub", "dataflow", "roofline")


@pytest.fixture(scope="module")
def small(launch):
    return launch("queue_add", blocks=4, tiles=4, tile=2048)


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_picture_is_xml_with_words_in_each_theme(small, name, language):
    shown = getattr(small, name)(language=language)
    for theme in ("inherit", "light", "dark"):
        root = ElementTree.fromstring(shown.svg(theme))
        assert root.get("aria-label") == shown.text
    assert shown.text and "{" not in shown.text
    assert f"lang='{language}'" in shown._repr_html_()
    assert shown.png()[:4] == b"\x89PNG"


@pytest.mark.parametrize("name", PICTURES)
def test_no_text_leaves_the_picture(small, name):
    """Every label lies inside the figure, in both languages."""
    for language in ("en", "zh"):
        figure = getattr(small, name)(language=language).figure()
        figure.canvas.draw()
        box = figure.bbox
        for axes in figure.axes:
            for text in axes.texts:
                extent = text.get_window_extent()
                if text.get_text():
                    assert extent.x0 >= box.x0 - 1 and extent.x1 <= box.x1 + 1, text
                    assert extent.y0 >= box.y0 - 1 and extent.y1 <= box.y1 + 1, text


# ------------------------------------------------------------------------------ facts
def test_balance_counts_idle_cores(launch):
    uneven = launch("scalar_add", count=64, uneven=1).balance(language="en")
    assert len(uneven.cycles) == 48 and len(uneven.used) == 4
    slowest = max(uneven.used)
    assert uneven.waiting == pytest.approx(1 - sum(uneven.used) / 4 / slowest)
    assert "4 of 48 cores" in uneven.text


def test_hot_lines_cover_all_busy_time(small):
    table = small.hot_lines(language="en")
    (part,) = small.timing.classes
    ticks = sum(e - s for s, e in zip(part.start_ticks, part.end_ticks, strict=True))
    assert sum(line.total for line in table.lines) == pytest.approx(ticks / 256)
    assert "data_copy" in table.hottest[0].text
    assert [line.line for line in table.lines] == sorted(
        line.line for line in table.lines
    )
    assert "asc.add(z_local, x_local, y_local, tile)" in table._repr_html_()


@asc.jit
def strided(x: asc.GlobalAddress, blk: asc.constexpr):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 8192)
    c = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 65536, 8192)
    asc.duplicate(a, 1.0, 8192)
    asc.adds(c, a, 1.0, 64, 1, asc.UnaryRepeatParams(1, blk, 8, 8))


@pytest.mark.parametrize("blk, extra", [(1, 0), (2, 0), (4, 4), (8, 6), (16, 7)])
def test_bank_map_follows_the_group_rule(blk, extra):
    """8 blocks, `blk` apart, fall into 16/gcd groups: 8 minus that many are extra."""
    run = strided.launch(np.zeros(8, np.float32), blk, blocks=1)
    step = next(s for s in run.timing.classes[0].stream.steps() if s.name == "adds")
    assert extra_blocks(step, run.execution.chip).sum() == extra
    shown = run.banks(language="en")
    assert ("No conflict" in shown.text) == (extra == 0)


def test_lives_of_a_double_buffer(launch):
    run = launch("queue_add", blocks=1, tiles=6, tile=1024, depth=2)
    (part,) = run.timing.classes
    found = places(part)
    assert [len(place.lives) for place in found] == [3] * 6  # 6 tiles in 2 buffers
    assert {place.names for place in found[:2]} == {("x_in", "x_local")}
    assert [p.lives[0].pipe for p in found] == ["MTE2"] * 4 + ["V"] * 2
    for place in found:
        for one, two in zip(place.lives, place.lives[1:], strict=False):
            assert one.end <= two.start
    assert "UB of queue_add" in run.ub(language="en").text


def test_dataflow_joins_gm_to_gm(small):
    flow = small.dataflow(tile=3, language="en")
    assert [arrow.name for arrow in flow.arrows] == [
        "data_copy", "data_copy", "add", "data_copy",
    ]  # fmt: skip
    columns = flow.columns()
    assert columns["GM", "x_gm"] == 0 and columns["GM", "z_gm"] == 3
    with pytest.raises(ValueError, match="tiles are 0 to 3"):
        small.dataflow(tile=4, language="en")
    with pytest.raises(ValueError, match="block 9 did not run"):
        small.dataflow(block=9, language="en")


def test_roofline_places_attempts(launch):
    short, long = (launch("exp", blocks=8, times=n) for n in (2, 8))
    found = short.roofline(long, language="en")
    assert [a.intensity for a in found.attempts] == pytest.approx([0.5, 2.0])
    for attempt, run in zip(found.attempts, (short, long), strict=True):
        assert attempt.rate < found.roofs.vector
        assert attempt.share == run.floor_us / run.time_us
    none = launch("scalar_add", count=64).roofline(language="en")
    assert "not drawn" in none.text and none.svg()


def test_roofline_is_of_one_chip(small, launch):
    other = launch("queue_add", blocks=1, tiles=1, tile=1024, chip="910B2")
    with pytest.raises(ValueError, match="910B1, 910B2"):
        small.roofline(other, language="en")


def test_beside_puts_both_on_one_clock(launch):
    one, two = (launch("queue_add", blocks=2, depth=d, tile=4096) for d in (1, 2))
    shown = one.beside(two, language="en")
    assert [core.label for core in shown.cores] == ["before", "after"]
    axes = shown.figure().axes[0]
    assert axes.get_xlim()[1] == pytest.approx(max(one.core_cycles), abs=1)
    assert "times as fast" in shown.text


# -------------------------------------------------------------- reasons in a timeline
def lanes_of(run):
    return core_lanes(run, [0])[0]


def test_stalls_name_what_a_pipe_waits_for(launch):
    queued = lanes_of(launch("queue_add", blocks=2, depth=1))
    assert {stall.reason for stall in stalls(queued, "V")} == {"queue"}
    flags = lanes_of(launch("flag_exp", blocks=1))
    assert {stall.reason for stall in stalls(flags, "V")} == {"flag"}
    turns = lanes_of(launch("in_turns", blocks=2))
    assert {stall.reason for stall in stalls(turns, "V")} == {"barrier"}
    assert stalls(turns, "S") == []


def test_stalls_fill_the_gaps_and_no_work(launch):
    core = lanes_of(launch("in_turns", blocks=2))
    spans = core.lanes["MTE2"]
    for stall in stalls(core, "MTE2"):
        assert not ((spans.starts < stall.end) & (spans.ends > stall.start)).any()
    whole = stall_ticks(stalls(core, "MTE2"), 0, core.end_ticks)
    half = stall_ticks(stalls(core, "MTE2"), 0, core.end_ticks / 2)
    assert 0 < half["barrier"] < whole["barrier"] < core.end_ticks


def test_a_tile_is_a_window(small):
    first, last = small.timeline(tile=0), small.timeline(tile=3, language="en")
    assert 0 < first.end < last.end <= max(small.core_cycles) + 1
    assert 0 < last.start < last.end
    with pytest.raises(ValueError, match="no tile 4"):
        small.timeline(tile=4, language="en")


def test_names_that_the_font_lacks_are_marked():
    assert drawable("x_gm") == "x_gm"
    assert drawable("龘龘") == "??"
