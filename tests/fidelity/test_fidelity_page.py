"""The committed page is what the simulator predicts today, and targets are met.

Cheap groups are predicted in full. Of the operators a fixed sample of rows is compared;
`make fidelity CHECK=--check` compares everything.
"""

from pathlib import Path

import pytest

from npusim.fidelity import ladders, library
from npusim.fidelity.page import number, page, section_text
from npusim.fidelity.report import CHEAP, overall, predict, verdicts
from npusim.fidelity.rows import kernels_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "fidelity.md"
SAMPLE = ("sigmoid", "gelu", "exp", "add_network", "cast_a3")
SMALL_NBYTES = 8 << 20


@pytest.fixture(scope="module")
def committed():
    return PAGE.read_text("utf-8")


@pytest.fixture(scope="module")
def cheap():
    return {name: predict(name) for name in CHEAP}


def test_the_page_says_what_cheap_groups_give(committed, cheap):
    for name, section in cheap.items():
        assert section_text(section) in committed, f"{name}: run `make fidelity`"


@pytest.mark.parametrize("group", SAMPLE)
def test_the_page_says_what_small_rows_of_an_operator_give(committed, group):
    rows = [r for r in kernels_of(group) if library.footprint(r) <= SMALL_NBYTES]
    predictor = library.in_network if group in library.IN_NETWORK else library.flushed
    for row in (rows[0], rows[len(rows) // 2]):
        found = predictor(row)
        start = f"| {row.id} | {row.condition} | {number(found.predicted)} us "
        assert start in committed, "run `make fidelity`"


def test_targets_of_cheap_groups_are_met(cheap):
    for name in ("two_source", "bank", "add_ladder"):
        assert cheap[name].summary.misses == (), name
    assert all(met for _, _, met in verdicts([cheap["add_ladder"]]))


@pytest.mark.parametrize("step", ["s2", "s3"])
def test_a_step_of_the_copy_ladder_is_met_and_on_the_page(committed, step):
    row = next(r for r in kernels_of("copy_ladder") if f" {step} " in f" {r.case} ")
    time_us = ladders.copy_run(row).time_us
    assert abs(time_us / row.measured_us - 1) <= 0.12
    assert f"| {row.id} | {row.condition} | {number(time_us)} us " in committed


def test_the_order_of_the_ladder_is_looked_at(cheap):
    results = list(cheap["add_ladder"].results)
    assert ladders.order_kept(results)
    assert not ladders.order_kept(results[::-1])


def test_the_page_names_every_section(committed, cheap):
    text = page(list(cheap.values()))
    assert text.startswith("# How true") and "## Not modelled" in text
    assert all(f"## {s.group.title}" in committed for s in cheap.values())


def test_rows_named_apart_count_in_the_overall_figure():
    section = predict_small("exp")
    assert overall([section]).count == len(section.results)
    assert section.summary is None


def predict_small(group):
    from npusim.fidelity.report import Section
    from npusim.fidelity.rows import groups

    rows = kernels_of(group)[:1]
    return Section(groups()[group], tuple(map(library.flushed, rows)), None)
