"""Pictures of a cluster: numbers against the messages, words, themes, controls."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.view.test_view_font import luminance

from npusim import hccl
from npusim.hccl.measure import replay
from npusim.hccl.pictures import link_use, rank_timeline
from npusim.hccl.pictures.activity import gaps, union
from npusim.hccl.pictures.linkmap import MOST_RANKS, layout
from npusim.hccl.pictures.ranks import COLOURS
from npusim.hccl.pictures.shares import link_shares
from npusim.hccl.topology import load_topology

MIB = 1 << 20


async def uneven(comm):
    await comm.compute(50.0 if comm.rank == 1 else 0.0)
    await comm.all_reduce(np.ones(MIB, np.float32))


@pytest.fixture(scope="module")
def outcome():
    return hccl.run(uneven, 16)


def pictures(outcome, language):
    views = outcome.links(4, language)
    return [outcome.timeline(language=language), *map(views.at, range(4))]


# ------------------------------------------------------------------------------ numbers
def test_windows_carry_every_byte(outcome):
    views = outcome.links(7, "en")
    carried = math.fsum(s.nbytes for w in range(7) for s in views.at(w).shares)
    assert carried == pytest.approx(sum(m.nbytes for m in outcome.messages))


def test_a_share_is_the_time_in_which_the_link_is_held(outcome):
    (one, *_) = outcome.messages
    link = outcome.topology.link(one.source, one.target)
    held = link.occupied_us(one.nbytes)
    (share,) = link_shares(
        [one], outcome.topology, one.begin_us, one.begin_us + 2 * held
    )
    assert share.share == pytest.approx(0.5)
    assert share.gb_s == pytest.approx(link.collective_gb_s / 2)
    assert link_shares([one], outcome.topology, one.end_us, one.end_us + 1) == []


def test_no_link_is_busier_than_the_whole_window():
    for ranks in (8, 32):
        topology = load_topology("a2", ranks)
        choice = hccl.choose("all_reduce", topology, 64 * MIB)
        _, messages = replay(choice, topology, 64 * MIB)
        for window in range(5):
            shares = link_use(messages, topology, 5).at(window).shares
            assert all(0 < s.share <= 1 for s in shares)


def test_a_rank_that_computes_lets_the_others_wait(outcome):
    rows = {row.rank: row for row in outcome.timeline(language="en").rows}
    assert rows[1].total_us("compute") == 50.0 and rows[1].total_us("wait") == 0.0
    slow = hccl.run(_barrier_after(40.0), 4).timeline().rows
    assert [row.total_us("wait") > 39.0 for row in slow] == [True, False, True, True]


def _barrier_after(time_us):
    async def rank(comm):
        if comm.rank == 1:
            await comm.compute(time_us)
        await comm.send(np.ones(4), (comm.rank + 1) % 4) if comm.rank == 1 else None
        await comm.recv(1) if comm.rank == 2 else None
        await comm.barrier()

    return rank


def test_sending_ends_when_the_message_has_arrived(outcome):
    for row in outcome.timeline().rows:
        sent = [
            (m.begin_us, m.end_us) for m in outcome.messages if m.source == row.rank
        ]
        assert list(row.spans["send"]) == sorted(sent)
        reduced = sum(m.reduce for m in outcome.messages if m.target == row.rank)
        assert len(row.spans["reduce"]) == reduced > 0


def test_latency_is_shown_once_however_many_messages_fly(outcome):
    """Pale is what is under way and holds no link: in a mesh step one latency."""
    link = outcome.topology.inside
    alone = hccl.run(_all_reduce_only, 8)
    for row in alone.timeline().rows:
        pale = row.spans["send flight"]
        assert list(pale) == union(pale) and len(pale) == 2
        for begin, end in pale:
            assert end - begin == pytest.approx(link.latency_us)


async def _all_reduce_only(comm):
    await comm.all_reduce(np.ones(MIB, np.float32))


def test_spans_and_gaps():
    assert union([(3, 4), (0, 1), (1, 2), (5, 5)]) == [(0, 2), (3, 4)]
    assert gaps((0, 10), [(1, 2), (4, 12)]) == [(0, 1), (2, 4)]
    assert gaps((0, 10), []) == [(0, 10)] and gaps((5, 6), [(0, 9)]) == []


# ------------------------------------------------------------------------------- looks
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_picture_is_xml_with_words_in_each_theme(outcome, language):
    for shown in pictures(outcome, language):
        for theme in ("inherit", "light", "dark"):
            root = ElementTree.fromstring(shown.svg(theme))
            assert root.get("aria-label") == shown.text
        assert shown.text and "{" not in shown.text
        assert f"lang='{language}'" in shown._repr_html_()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_text_leaves_the_picture(outcome, language):
    for shown in pictures(outcome, language):
        figure = shown.figure()
        figure.canvas.draw()
        for text in (t for axes in figure.axes for t in axes.texts if t.get_text()):
            extent = text.get_window_extent()
            assert extent.x0 >= figure.bbox.x0 - 1, text
            assert extent.x1 <= figure.bbox.x1 + 1, text
            assert figure.bbox.y0 - 1 <= extent.y0 < extent.y1 <= figure.bbox.y1 + 1


@pytest.mark.parametrize("kind", ["send", "receive", "reduce", "compute", "wait"])
@pytest.mark.parametrize("background", ["#ffffff", "#111111"])
def test_colours_stand_out_in_both_themes(kind, background):
    low, high = sorted(map(luminance, (COLOURS[kind], background)))
    assert (high + 0.05) / (low + 0.05) >= 3


@pytest.mark.parametrize(
    ("name", "ranks"), [("a2", 1), ("a2", 8), ("a2", 96), ("a3", 64)]
)
def test_places_do_not_touch(name, ranks):
    plan = layout(load_topology(name, ranks))
    places = list(plan.places.values())
    assert len(places) == min(ranks, MOST_RANKS)
    least = min((math.dist(a, b) for a in places for b in places if a != b), default=1)
    assert least > 0.22
    assert all(0 < x < 8.8 and 0 < y < plan.height for x, y in places)


def test_same_run_same_bytes(outcome):
    again = hccl.run(uneven, 16)
    assert again.timeline().svg() == outcome.timeline().svg()
    assert again.links().at(0).svg() == outcome.links().at(0).svg()


# ---------------------------------------------------------------------------- controls
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_slider_changes_the_map(outcome, language):
    view = outcome.links(4, language)
    slider, shown = view.widget().children
    first = shown.value
    slider.value = 2
    assert shown.value != first and view.at(2).text.split(".")[0] in shown.value
    assert view.table() in repr(view)


def test_bad_arguments_are_told_in_the_readers_language(outcome):
    for language, word in (("en", "0 to 3"), ("zh", "0 到 3")):
        with pytest.raises(ValueError, match=word):
            outcome.links(4, language).at(4)
    with pytest.raises(ValueError, match="0 to 15"):
        rank_timeline(outcome, [16], "en")
    with pytest.raises(ValueError, match="1 to"):
        outcome.links(0, "en")
    with pytest.raises(ValueError, match="nothing to show"):
        link_use([], outcome.topology, 4, "en")
    with pytest.raises(ValueError, match="no time"):
        link_shares([], outcome.topology, 1.0, 1.0)
