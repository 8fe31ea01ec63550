"""The timeline: every pipe in it, honest when merged, small, the same every time."""

import dataclasses
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from npusim.profile.spans import Spans, merged
from npusim.profile.table import PIPE_COLOURS
from npusim.view.bars import BINS, MOST_BARS, bars, busy_share
from npusim.view.lanes import representative_cores

SVG = "{http://www.w3.org/2000/svg}"
MOST_SVG_BYTES = 300_000


def fills(svg):
    return set(re.findall(r"fill: (#[0-9a-f]{6})", svg))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_svg_is_xml_with_all_pipes(run, language):
    svg = run.timeline(language=language).svg()
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert {PIPE_COLOURS[p] for p in ("S", "V", "MTE2", "MTE3")} <= fills(svg)
    for pipe in ("S", "V", "MTE2", "MTE3"):
        assert pipe in root.get("aria-label")


def test_inline_svg_takes_the_page_colours(run):
    svg = run.timeline().svg()
    assert "currentColor" in svg
    assert "<style" not in svg  # would reach every other picture of the page
    assert "#010203" not in svg
    assert "currentColor" not in run.timeline().svg("dark")


def test_text_alternative(run):
    timeline = run.timeline(language="en")
    assert "48 alike" in timeline.text
    assert re.search(r"MTE2 busy \d+% \(intervals: 16\)", timeline.text)
    assert re.search(r" V busy [\d.]+% \(intervals: 8\)", timeline.text)
    assert timeline.text in timeline._repr_html_()
    assert repr(timeline) == timeline.text


def test_equal_runs_give_equal_pictures(launch):
    first, second = (launch("queue_add", blocks=3, tiles=3) for _ in "ab")
    assert first.timeline().svg() == second.timeline().svg()
    assert first.timeline().png() == second.timeline().png()
    assert first._repr_html_() == second._repr_html_()


def test_many_instructions_stay_small(launch):
    run = launch("queue_add", blocks=2, tiles=1500, tile=128)
    timeline = run.timeline()
    assert sum(len(lane) for c in timeline.cores for lane in c.lanes.values()) > 6000
    assert len(run._repr_html_().encode()) < MOST_SVG_BYTES


def test_worst_case_stays_small(launch):
    """Three different cores, every pipe full of tiny bars."""
    run = launch("queue_add", blocks=3, tiles=2)
    generator = np.random.default_rng(7)
    starts = np.cumsum(generator.integers(300, 900, 20_000))
    lane = Spans("V", starts, starts + 256, np.arange(20_000))
    many = dataclasses.replace(run.timeline(), end=float(starts[-1] / 256))
    core = dataclasses.replace(
        many.cores[0], lanes=dict.fromkeys(PIPE_COLOURS, lane), notes={}
    )
    many = dataclasses.replace(many, cores=(core,) * 3)
    assert len(many._repr_html_().encode()) < MOST_SVG_BYTES


def test_zoom(run):
    whole, part = run.timeline(language="en"), run.timeline(start=0, end=1500)
    assert (whole.start, part.end) == (0, 1500)
    assert whole.end == pytest.approx(max(run.core_cycles), abs=1)
    assert "cycles 0 to 1,500" in part.text
    assert "intervals: 16" not in part.text


def test_pictures_on_disk(run, tmp_path):
    timeline = run.timeline()
    assert timeline.savefig(tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"
    assert timeline.savefig(tmp_path / "a.pdf").read_bytes()[:5] == b"%PDF-"
    svg = timeline.savefig(tmp_path / "a.svg").read_text(encoding="utf-8")
    assert ElementTree.fromstring(svg).tag == f"{SVG}svg"
    assert timeline._repr_png_()[:4] == b"\x89PNG"
    assert timeline._repr_svg_().startswith("<svg ")


@pytest.mark.parametrize(
    ("request_", "en", "zh"),
    [
        ({"core": 48}, "core 48 ran no block", "核 48 没有运行"),
        ({"start": 5, "end": 5}, "start < end", "start < end"),
    ],
)
def test_requests_that_cannot_be_served(run, request_, en, zh):
    with pytest.raises(ValueError, match=en):
        run.timeline(**request_, language="en")
    with pytest.raises(ValueError, match=zh):
        run.timeline(**request_, language="zh")
    with pytest.raises(ValueError, match="inherit, light, dark"):
        run.timeline().svg("sepia")
    with pytest.raises(ValueError, match=r"\.svg, \.png, \.pdf"):
        run.timeline().savefig("a.bmp")


def test_representative_cores(run, launch):
    assert representative_cores(run) == [0]  # 48 alike
    uneven = launch("scalar_add", count=64, uneven=1)
    assert representative_cores(uneven) == [0, 1]  # one slow, three alike
    waves = launch("queue_add", blocks=50, tiles=1, tile=1024)
    (first, later) = waves.timeline().cores
    assert (first.core, first.alike, later.alike) == (0, 2, 46)
    assert len(first.lanes["V"]) == 2 * len(later.lanes["V"])
    assert (np.diff(first.lanes["V"].starts) > 0).all()


# ----------------------------------------------------------------------------- bars
def spans(starts, ends):
    return Spans("V", np.array(starts), np.array(ends), np.arange(len(starts)))


def test_merged():
    starts, ends = merged(np.array([5, 0, 1, 9]), np.array([6, 3, 2, 10]))
    assert (starts.tolist(), ends.tolist()) == ([0, 5, 9], [3, 6, 10])


def test_busy_share_is_exact():
    starts, ends = np.array([0, 10, 15]), np.array([5, 20, 18])
    assert busy_share(starts, ends, [0, 10, 20, 40]).tolist() == [0.5, 1.0, 0.0]


def test_few_bars_are_drawn_as_they_are():
    shown = bars(spans([0, 10], [5, 30]), 2, 20)
    assert not shown.dense
    assert (shown.left.tolist(), shown.right.tolist()) == ([2, 10], [5, 20])


def test_merged_bars_hide_no_idle_time():
    count = MOST_BARS * 20
    starts = np.arange(count) * 100
    shown = bars(spans(starts, starts + 25), 0, count * 100)
    assert shown.dense
    assert len(shown.left) == BINS
    share = (shown.height * (shown.right - shown.left)).sum() / (count * 100)
    assert share == pytest.approx(0.25)
    assert shown.height.max() < 0.35
