"""The bank of the hang clinic: each program stops as said, and its cure finishes."""

from __future__ import annotations

import difflib
from pathlib import Path

import numpy as np
import pytest

from npucamp.build.clinic import Program, programs
from npugrade.banks import bank, bank_groups
from npugrade.draw import Ticket, drawn
from npusim import hccl

ROOT = Path(__file__).parents[2]
PROGRAMS = programs(ROOT)
MOST_LINES = 5
each = pytest.mark.parametrize("one", PROGRAMS, ids=lambda one: one.id)


def run(one: Program, code: str) -> hccl.Outcome:
    space = {"np": np}
    exec(code, space)
    memory = None if one.server_gib is None else one.server_gib << 30
    program = space["rank_program"]
    return hccl.run(program, one.variant.ranks, server_nbytes=memory)


@each
def test_it_stops_for_the_cause_and_at_the_rank_that_it_says(one):
    with pytest.raises(hccl.HcclError) as caught:
        run(one, one.code)
    report = caught.value.report
    assert report.cause == one.cause
    if one.kind == "crossed":
        assert one.variant.r in report.ranks and len(report.ranks) == 2
    elif report.ranks:
        assert report.ranks[0] == one.variant.r
    else:
        assert one.kind == "ring" or report.facts["rank"] == one.variant.r
    if one.cause == "size":
        assert report.facts["differs"] == one.kind


@each
def test_its_cure_is_short_and_finishes(one):
    before, after = one.code.splitlines(), one.cured.splitlines()
    changes = [d for d in difflib.ndiff(before, after) if d[0] in "+-"]
    assert max(sum(d[0] == sign for d in changes) for sign in "+-") <= MOST_LINES
    run(one, one.cured)


def test_the_bank_holds_every_program_with_five_different_options():
    items = bank("d5")["items"]
    assert {one.id: one.code for one in PROGRAMS} == {
        id_: item["code"] for id_, item in items.items()
    }
    assert len(items) >= 18
    for item in items.values():
        for language in ("en", "zh"):
            assert len({option[language] for option in item["options"]}) == 5


def test_six_are_drawn_of_six_kinds_and_learners_differ():
    groups = bank_groups("d5")
    draws = [drawn(groups, 6, "d5-hang-clinic", Ticket("k", str(n))) for n in range(30)]
    assert all(len({id_.rsplit("-", 1)[0] for id_ in one}) == 6 for one in draws)
    assert len(set(draws)) == 30
