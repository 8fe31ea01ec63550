"""The checkers of P1 and P2 against slow oracles: labels as the simulator's own bound,
bytes by counting lines one byte at a time, plans against a map of UB."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npugrade.checkers.diagnosis import bound, floor_of_overlap, profile_diagnosis
from npugrade.checkers.memory_plan import moved_nbytes, ub_plan
from npugrade.outcome import Refused
from npusim.timing.result import bound_of

_BUSY = st.integers(0, 10_000)


@given(
    launch=st.integers(1, 5000),
    core=st.integers(1, 10_000),
    busy=st.tuples(*[_BUSY] * 4),
)
def test_the_label_is_the_bound_of_the_simulator(launch, core, busy):
    names = ("s", "v", "mte2", "mte3")
    pipes = dict(zip(names, (min(b, core) for b in busy), strict=True))
    upper = {name.upper(): float(cycles) for name, cycles in pipes.items()}
    due = bound_of(launch + core, launch, (core,), upper)
    assert bound(launch + core, launch, **pipes) == due
    assert launch <= floor_of_overlap(launch + core, launch, **pipes) <= launch + core


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (["MTE2", 9], ""),
        (("MTE2", 9), ""),
        (["V", 9], "diagnosis.label"),
        (["MTE2", 10], "diagnosis.least"),
        (["mte2", 9], "diagnosis.form"),
        (["MTE2", 9.0], "diagnosis.form"),
        ([["MTE2"], 9], "diagnosis.form"),
        (None, "diagnosis.form"),
    ],
)
def test_a_diagnosis_of_any_form_is_borne(answer, code):
    profile = {"cycles": 10, "launch": 1, "s": 1, "v": 2, "mte2": 8, "mte3": 3}
    assert refusal(lambda: profile_diagnosis(profile, answer)) == code


def refusal(call) -> str:
    """The code of the refusal of `call`, or "" where it lets pass."""
    try:
        call()
    except Refused as error:
        return error.code
    return ""


@given(
    start=st.integers(0, 1500),
    row=st.integers(1, 1300),
    pitch=st.integers(1, 2000),
    rows=st.integers(1, 4),
)
def test_moved_bytes_are_the_lines_of_every_byte(start, row, pitch, rows):
    lines = [
        {(start + r * pitch + byte) // 512 for byte in range(row)} for r in range(rows)
    ]
    assert moved_nbytes(start, row, pitch, rows) == 512 * sum(map(len, lines))


PLAN = {"ub_nbytes": 4096, "tensors": 2, "itemsize": 4}
GOOD = [0, 896, 1792, 2688]  # 28 blocks each: groups 0, 12, 8, 4


@pytest.mark.parametrize(
    ("tile", "starts", "code"),
    [
        (224, GOOD, "plan.unused"),  # 3,584 of 4,096 B: 87.5 %
        (256, [0, 1024, 2048, 3072], "plan.group"),
        (256, [0, 1024, 2048, 3104], "plan.outside"),
        (224, [0, 864, 1792, 2688], "plan.overlap"),
        (224, [0, 896, 1792, 2689], "plan.aligned"),
        (225, GOOD, "plan.aligned"),
        (0, GOOD, "plan.aligned"),
        (224, GOOD[:3], "plan.form"),
        (True, GOOD, "plan.form"),
        (224, "0123", "plan.form"),
        (2**60, GOOD, "plan.form"),
    ],
)
def test_each_rule_of_a_plan_has_its_mistake(tile, starts, code):
    assert refusal(lambda: ub_plan(PLAN, {"tile": tile, "starts": starts})) == code


@given(tensors=st.integers(1, 7), ub=st.sampled_from([196608]))
def test_four_blocks_beyond_eights_always_fit(tensors, ub):
    blocks = ub // 32 // (2 * tensors)
    blocks -= (blocks - 4) % 8
    starts = [n * blocks * 32 for n in range(2 * tensors)]
    arguments = {"ub_nbytes": ub, "tensors": tensors, "itemsize": 4}
    plan = {"tile": blocks * 8, "starts": starts}
    assert refusal(lambda: ub_plan(arguments, plan)) == ""
