"""The checker of splits: what it lets pass covers every element once, in balance."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npugrade.checkers.splitting import LINE_NBYTES, Split, vector_split
from npugrade.outcome import Refused

LIMITS = {"cores": 48, "ub_nbytes": 196608, "itemsize": 2}
GOOD = {"blocks": 4, "head": 4, "long": 256, "short": 0, "tile": 256}


def verdict(n: int, **changes: object) -> str:
    """The code of the refusal, or "" for a legal plan of `n` half numbers."""
    try:
        vector_split({"n": n, **LIMITS}, {**GOOD, **changes})
    except Refused as error:
        return error.code
    return ""


@given(
    n=st.integers(1, 5000),
    blocks=st.integers(1, 48),
    head=st.integers(0, 48),
    long=st.integers(0, 900),
    short=st.integers(0, 900),
)
def test_shares_are_those_of_a_walk_over_the_elements(n, blocks, head, long, short):
    split = Split(n, 2, blocks, min(head, blocks), long, short, 16)
    owner, start = [-1] * n, 0
    for block in range(blocks):
        length = long if block < split.head else short
        for place in range(start, min(n, start + length)):
            assert owner[place] == -1
            owner[place] = block
        start += length
    counted = [owner.count(block) for block in range(blocks)]
    assert counted == [split.share(block) for block in range(blocks)]


@given(
    n=st.integers(1, 2_000_000), cores=st.integers(1, 48), size=st.sampled_from([2, 4])
)
def test_an_even_split_of_lines_is_balanced(n, cores, size):
    line = LINE_NBYTES // size
    lines = -(-n // line)
    blocks = min(cores, lines)
    each, rest = divmod(lines, blocks)
    split = Split(n, size, blocks, rest, (each + 1) * line, each * line, line)
    shares = [split.share(block) for block in range(blocks)]
    assert sum(shares) == n and min(shares) >= 1
    assert max(shares) - min(shares) < 2 * line


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({}, ""),
        ({"blocks": 2, "head": 0, "short": 500}, ""),
        ({"tile": "256"}, "split.form"),
        ({"tile": True}, "split.form"),
        ({"long": -1}, "split.form"),
        ({"long": 2**60}, "split.form"),
        ({"blocks": 0, "head": 0}, "tiling.blocks"),
        ({"blocks": 49}, "tiling.blocks"),
        ({"head": 5}, "split.head"),
        ({"blocks": 5}, "split.few"),
        ({"tile": 0}, "tiling.aligned"),
        ({"tile": 24}, "tiling.aligned"),
        ({"tile": 16400}, "tiling.ub"),
        ({"long": 240}, "split.missing"),
        ({"long": 500}, "split.idle"),
        ({"blocks": 2, "head": 1, "long": 900, "short": 100}, "split.balance"),
    ],
)
def test_each_rule_refuses_its_own_mistake(changes, code):
    assert verdict(1000, **changes) == code


def test_too_many_tiles_are_not_simulated():
    plan = {"blocks": 1, "head": 1, "long": 32_016, "tile": 16}
    assert verdict(32_016, **plan) == "split.tiles"
    assert verdict(32_000, **{**plan, "long": 32_000}) == ""


def test_more_cores_cost_less_until_their_start_costs_more():
    arguments = {"n": 65536, **LIMITS}

    def cost(blocks: int) -> int:
        share = 65536 // blocks
        plan = {"blocks": blocks, "head": 0, "long": 0, "short": share, "tile": 4096}
        return vector_split(arguments, plan).cost

    assert cost(8) < cost(1) and cost(16) < cost(32)
