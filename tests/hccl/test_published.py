"""The page of published and predicted numbers: up to date, and honest."""

from __future__ import annotations

from pathlib import Path

from npusim.hccl.published import median_error, page, rows

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_up_to_date():
    assert (ROOT / "docs/links.md").read_text(encoding="utf-8") == page() + "\n"


def test_every_row_is_predicted_or_said_to_be_not_modelled():
    for row in rows():
        assert (row.predicted() is None) == (row.kind == "not modelled")
        assert row.value > 0 and len(row.source) > 10


def test_copies_and_collectives_in_a_server_are_near():
    assert median_error(("write", "read")) < 0.02
    assert median_error(("all_gather", "all_reduce")) < 0.05
