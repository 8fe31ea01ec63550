"""Launches as attacks: keywords, names, forged values, warm caches, unearned points."""

from __future__ import annotations

import pytest

from npugrade.cases import make_case
from npugrade.cells import Cell
from npugrade.device import Device
from npugrade.extract import extract
from npugrade.judging import judge
from npugrade.kernels import Kernels
from npugrade.tasks import load_task
from tests.judge.judge_samples import GOOD, KERNEL, LAUNCH, edited, host, judged_here

TASK = load_task("z1-add")
OPTIONS = {
    "cache": "'l2'",
    "chip": "'910B9'",
    "mode": "'compile_only'",
    "budget": "3",
    "overflow": "'saturate'",
    "code": "'cold'",
    "blocks": "5",
    "self": "1",
}


@pytest.mark.parametrize("name", ["self", "arguments", "cache", ""])
def test_a_keyword_that_the_kernel_has_not_is_the_host_codes_fault(name):
    text = host(LAUNCH[:-1] + f", **{{{name!r}: 1}})")
    verdict = judged_here(text)
    assert verdict.score == 0.0 and "ASC-ARG-03b" in verdict.text("en")


@pytest.mark.parametrize("name", OPTIONS)
def test_a_parameter_named_as_an_option_changes_nothing(name):
    text = edited(
        ("nbytes: asc.constexpr,", f"nbytes: asc.constexpr, {name}: asc.constexpr,"),
        ("x.dtype.itemsize)", f"x.dtype.itemsize, {OPTIONS[name]})"),
    )
    long_cycles = [
        judged_here(t, cases=4).facts["long"]["cycles"] for t in (text, GOOD)
    ]
    assert long_cycles[0] == long_cycles[1]


@pytest.mark.parametrize("shape", ["(2**39,) * 7 + (0,)", "(2**39, 0)", "(0, 2**35)"])
def test_an_empty_tensor_of_impossible_shape_is_refused(shape):
    verdict = judged_here(host(f"asc.device.empty({shape}, asc.half)\n{LAUNCH}"))
    assert verdict.score == 0.0 and "workspace" in verdict.text("en")


FORGED = [
    {"kernel": []},
    {"kernel": {"a": 1}},
    {"name": {"a": []}},
    {"dtype": []},
    {"v": []},
    {"opaque": [[[]]]},
]


@pytest.mark.parametrize("value", FORGED, ids=str)
def test_forged_captured_values_are_refused_not_tripped_over(value):
    request = {
        "op": "launch",
        "kernel": "kernel",
        "captured": {"kernel": {"asc": value}},
        "args": [],
        "named": {},
        "blocks": {"v": 1},
    }
    find = "[o for o in gc.get_objects() if type(o).__name__ == 'Channel'][0]"
    verdict = judged_here(host(f"import gc\n{find}.ask({request!r})"))
    assert verdict.score == 0.0 and verdict.items[0].status == "fail"


def test_helpers_that_double_and_double_are_refused_at_once():
    rows = ["@asc.jit\ndef h22{s}(v: int):\n    pass\n"]
    rows += [
        f"@asc.jit\ndef h{i}{{s}}(v: int):\n    h{i + 1}a(v)\n    h{i + 1}b(v)\n"
        for i in range(22)
    ]
    helpers = "".join(row.format(s=s) for row in rows for s in "ab")
    call = "asc.add(c, a, b, m)\n        h0a(m)"
    text = helpers.join(
        ("from npusim import asc\n", edited(("asc.add(c, a, b, m)", call)))
    )
    verdict = judged_here(text)
    assert verdict.score == 0.0 and "1000 ways" in verdict.text("en")


# ------------------------------------------------------------ points for nothing
@pytest.mark.parametrize("blocks", ["0", "'48'", "None", "10**4000"])
def test_a_kernel_that_was_never_compiled_does_not_build(blocks):
    broken = KERNEL.replace("asc.add(c, a, b, m)", "asc.nothing(c)")
    text = host(LAUNCH.replace("48", blocks), kernel=broken)
    assert judged_here(text).score == 0.0


def test_a_host_fault_after_a_good_launch_still_builds():
    verdict = judged_here(host(LAUNCH + "\nraise ValueError"))
    assert verdict.score == TASK.weights.builds


SWEEP = """import numpy as np
a = asc.device.tensor(np.ones(1003, np.float16))
b = asc.device.empty(a.size, a.dtype)
for BLOCKS in (1, 8, 48):
    add(a, a, b)
"""


def test_a_sweep_over_a_needed_name_costs_an_honest_answer_nothing():
    """The loop rebinds BLOCKS, so it runs; its launches are no part of the answer."""
    answer = edited(("[48]", "[BLOCKS]"), ("TILE = 4096", "TILE = 4096\nBLOCKS = 1"))
    task = TASK.model_copy(update={"hidden": []})
    found = judge(task, [Cell("a", answer), Cell("b", SWEEP)]).facts["long"]
    assert found["cycles"] == long_cycles(GOOD)


@pytest.mark.parametrize("top", ["kept = asc.device.empty(9, asc.half)", "kept = 3"])
def test_what_a_rehearsal_made_cannot_be_launched_on(top):
    verdict = judged_here(host("kernel[1](kept, kept, z, 9, asc.half, 2)", top))
    assert verdict.score == 0.0 and verdict.items[0].status == "fail"


# ----------------------------------------------------------------------- a warmed cache
WARM = """

@asc.jit
def warm(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress,
         dtype: asc.constexpr):
    {body}
"""
ONE_VALUE = """g = asc.GlobalTensor()
    g.set_global_buffer(x, 1)
    v = g.get_value(0)"""


def long_cycles(text: str) -> int:
    verdict = judged_here(text, cases=4)
    return verdict.facts["long"]["cycles"]


@pytest.mark.parametrize("body", ["pass", ONE_VALUE], ids=["named", "touched"])
def test_a_cheap_launch_warms_no_cache(body):
    top = WARM.format(body=body)
    warmed = long_cycles(host("warm[1](x, y, z, x.dtype)\n" + LAUNCH, top))
    alone = long_cycles(host("warm[1](x, y, z, x.dtype)\n" * 2 + LAUNCH, top))
    launch = alone - warmed  # what the cheap kernel costs
    assert launch > 0 and warmed == long_cycles(GOOD) + launch


def test_a_launch_that_moved_everything_leaves_it_in_the_cache():
    once = long_cycles(GOOD)
    assert once < long_cycles(host(f"{LAUNCH}\n{LAUNCH}")) < 2 * once


def test_moved_all_counts_distinct_bytes():
    """The same half read twice is not the whole."""
    from npugrade.residency import moved_all

    half = KERNEL.replace(
        "last = min(first + part, n)", "last = min(first + part, n // 2)"
    )
    for text, due in ((KERNEL, True), (half, False)):
        device = Device(
            TASK, make_case(TASK, TASK.visible[0], False, ""), _kernels(text)
        )
        device.outputs[0]._written[:] = True  # a hole is no fault of this test
        device.launch(_request(blocks=8))
        assert moved_all(device.runs[0]) is due


def _kernels(text: str) -> Kernels:
    return Kernels(extract([Cell("a", text)], ["kernel"]))


def _request(blocks: int) -> dict:
    captured = {"kernel": {"asc": {"asc": True}, "TILE": {"v": 4096}}}
    values = [{"tensor": 1}, {"tensor": 2}, {"tensor": 3}, {"v": 16384}]
    values += [{"dtype": "half"}, {"v": 2}]
    return {
        "kernel": "kernel",
        "captured": captured,
        "args": values,
        "named": {},
        "blocks": {"v": blocks},
    }


def test_a_tiny_tile_ends_by_the_budget_not_by_the_clock():
    """A verdict must not depend on how fast the grading machine is."""
    tiny = edited(("TILE = 4096", "TILE = 16"), ("[48]", "[1]"))
    task = TASK.model_copy(
        update={"visible": TASK.visible[:1], "hidden": TASK.hidden[:1]}
    )
    verdict = judge(task, [Cell("a", tiny)], seed="ab" * 32)
    assert verdict.facts["large-half"]["code"] == "ASC-RUN-04"
    assert verdict.score > TASK.weights.builds
