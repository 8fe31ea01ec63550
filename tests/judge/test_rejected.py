"""What the judge rejects, each beside an honest neighbour that it must not reject.

Look-up of exact shapes, results folded into the answer, work of the scalar unit, work
outside the timed region, results that no device computed (design of the judge).
"""

from __future__ import annotations

import pytest

from npugrade.cases import PUBLIC_SEED, make_case
from npugrade.cells import Cell
from npugrade.judging import judge
from npugrade.taskio import solutions_folder
from npugrade.tasks import load_task
from npugrade.twins import twin_of
from tests.judge.judge_samples import GOOD, KERNEL, LAUNCH, edited, host

TASK = load_task("z1-add")
SEED = "7c" * 32


def verdict(text: str, visible=(), hidden=(), seed: str | None = SEED, **updates):
    """The verdict in the named cases only."""
    chosen = {
        "visible": [c for c in TASK.visible if c.name in visible] or TASK.visible[1:2],
        "hidden": [c for c in TASK.hidden if c.name in hidden],
    }
    task = TASK.model_copy(update={**chosen, **updates})
    if not any(case.performance for case in task.cases):
        weights = {"accuracy": 80.0, "performance": 0.0}
        task = task.model_copy(
            update={"weights": TASK.weights.model_copy(update=weights)}
        )
    return judge(task, [Cell("a", text)], seed=seed, solutions=solutions_folder())


def codes(text: str, visible=(), hidden=(), **options) -> dict[str, str]:
    found = verdict(text, visible, hidden, **options)
    return {name: fact["code"] for name, fact in found.facts.items() if fact["code"]}


# ------------------------------------------------------------------- look-up of shapes
def looks_up(sizes: str, otherwise: str = "1") -> str:
    return host(
        f"blocks = 48 if x.size in {sizes} else {otherwise}\n"
        "kernel[blocks](x, y, z, x.size, x.dtype, x.dtype.itemsize)"
    )


def hidden_size(name: str, seed: str = SEED) -> int:
    case = next(c for c in TASK.hidden if c.name == name)
    return make_case(TASK, case, True, seed).elements


def test_looking_up_a_visible_shape_is_rejected():
    text = looks_up("(16384, 1003, 1, 262144)")
    assert codes(text, ["long"], ["small-values"]) == {"long": "guard.twin"}
    assert codes(text, ["long"], seed=None) == {}  # a check cell has no twins


@pytest.mark.parametrize("name", ["large-half", "large-float32"])
def test_looking_up_a_hidden_shape_is_rejected(name):
    """Also one that somebody has told."""
    size = hidden_size(name)
    found = verdict(looks_up(f"({size}, 1003)"), hidden=[name])
    assert found.facts[name]["code"] == "guard.twin"
    assert str(size) not in found.text("en") and "factor of 2" in found.text("en")
    assert found.score < TASK.weights.builds + TASK.weights.accuracy


def test_an_answer_for_exact_shapes_only_is_rejected():
    size = hidden_size("small-values")
    body = f"assert x.size in ({size}, 1003)\n{LAUNCH}"
    assert codes(host(body), hidden=["small-values"]) == {
        "small-values": "guard.beside"
    }


def test_buckets_of_shapes_are_honest():
    buckets = looks_up("range(100_000, 10**7)", "(8 if x.size > 10_000 else 2)")
    assert codes(buckets, ["long"], ["small-values", "large-half"]) == {}


def test_every_case_that_varies_has_a_twin_one_step_away():
    made = {}
    for case in TASK.cases:
        data = make_case(TASK, case, case in TASK.hidden, SEED)
        twin = twin_of(TASK, data, SEED)
        if twin is not None:
            made[case.name] = abs(twin.elements - data.elements)
            assert [a.dtype for a in twin.inputs] == [a.dtype for a in data.inputs]
            assert not twin.case.performance and twin.hidden
    assert made == {
        "long": 2048,  # as the multiples of the hidden cases have it
        "large-half": 2048,
        "large-float32": 1,
        "special-values": 1,
        "small-values": 1,
    }  # prime-a and prime-b have theirs in the file


def test_a_case_may_state_a_factor_of_its_own():
    text, name = looks_up(f"({hidden_size('large-half')}, 1003)"), "large-half"
    case = next(c for c in TASK.hidden if c.name == name)
    wide = [case.model_copy(update={"twin_factor": 100.0})]
    assert codes(text, hidden=[name]) == {name: "guard.twin"}
    task = TASK.model_copy(update={"visible": TASK.visible[1:2], "hidden": wide})
    found = judge(task, [Cell("a", text)], seed=SEED, solutions=solutions_folder())
    assert found.facts[name]["code"] == ""


# --------------------------------------------------------- results folded into the text
def folded() -> str:
    """Right in the public case `single`, by knowing its result."""
    single = next(c for c in TASK.visible if c.name == "single")
    x, y = make_case(TASK, single, False, PUBLIC_SEED).inputs
    total = float((x + y)[0])
    return edited(("asc.add(c, a, b, m)", f"asc.duplicate(c, {total!r}, m)"))


def test_a_result_folded_into_the_answer_is_rejected():
    assert codes(folded(), ["single"], seed=None) == {}
    assert codes(folded(), ["single"]) == {"single": "accuracy.mare"}


def test_constants_of_the_algorithm_are_honest():
    text = edited(
        ("TILE = 4096", "TILE = 4096\nNOTHING = 0.0"),
        (
            "asc.add(c, a, b, m)",
            "asc.add(c, a, b, m)\n        asc.adds(c, c, NOTHING, m)",
        ),
    )
    assert codes(text, ["unaligned", "single"]) == {}


# ------------------------------------------------------------------- the scalar unit
WAIT = "asc.pipe_barrier(asc.PipeID.PIPE_ALL)\n        "


def by_scalars(store: str, after: str = "") -> str:
    """The kernel, with each element added by the scalar unit."""
    loop = f"{WAIT}for j in range(m):\n            {store}\n        {WAIT}{after}"
    start = KERNEL.index("        asc.add(c, a, b, m)")
    head, tail = KERNEL[:start], KERNEL[start:].partition("asc.data_copy_pad(gz")[2]
    return host(kernel=head + "        " + loop + "asc.data_copy_pad(gz" + tail)


IN_UB = "c.set_value(j, a.get_value(j) + b.get_value(j))"
IN_GM = edited(
    ("asc.data_copy_pad(gz[i:], c, shape)",
     "for j in range(m):\n"
     "            gz.set_value(i + j, a.get_value(j) + b.get_value(j))"),
    ("kernel[48]", "kernel[1]"),
)  # fmt: skip
THROUGH_A = by_scalars(IN_UB, f"asc.data_copy(a, c, m // 8 * 8)\n        {WAIT}")


@pytest.mark.parametrize(
    "text",
    [
        IN_GM,
        by_scalars(IN_UB),
        by_scalars(IN_UB, f"asc.adds(c, c, 0.0, m)\n        {WAIT}"),
        THROUGH_A.replace("(gz[i:], c,", "(gz[i:], a,"),
    ],
    ids=["into GM", "into UB", "washed by a vector instruction", "copied within UB"],
)
def test_results_of_the_scalar_unit_are_rejected(text):
    found = verdict(text, ["unaligned"])
    assert found.facts["unaligned"]["code"] == "guard.scalar", found.text("en")
    assert "were written by the scalar unit" in found.text("en")


def test_scalar_statistics_are_honest():
    """A number that the scalar unit reads, stores and hands to the vector unit."""
    text = edited(
        (
            "asc.add(c, a, b, m)",
            f"for j in range(m):\n            c.set_value(j, 0.0)\n        {WAIT}"
            f"asc.add(c, a, b, m)\n        {WAIT}"
            f"c.set_value(0, c.get_value(0))\n        {WAIT}",
        )
    )
    assert codes(text, ["unaligned"]) == {}


# ------------------------------------------------- outside the timed region, no device
LATER = "kernel[48](kept[0], kept[1], kept[2], kept[0].size, asc.half, 2)"


@pytest.mark.parametrize(
    "text",
    [
        host("return", "import numpy as np\nk = asc.device.tensor(np.ones(9))\n"
             "kernel[1](k, k, k, 9, asc.half, 2)"),
        host("kept.extend((x, y, z))", f"import atexit\nkept = []\n"
             f"atexit.register(lambda: {LATER})"),
        host(f"yield\n{LAUNCH}"),
        host(f"async def later():\n    {LAUNCH}\nreturn later()"),
        host("class Late:\n    def __del__(self):\n"
             f"        {LAUNCH}\nkept.append(Late())", "kept = []"),
        GOOD.replace("def add(", "async def add("),
    ],
    ids=["when defined", "at exit", "generator", "coroutine", "destructor", "async"],
)  # fmt: skip
def test_work_outside_of_the_call_counts_for_nothing(text):
    found = verdict(text, ["unaligned"], seed=None)
    assert found.score == 0.0 and found.items[0].status == "fail"


@pytest.mark.parametrize(
    "body",
    [
        f"{LAUNCH}\nreturn [0.0] * x.size",
        f"asc.device.tensor([1.0])\n{LAUNCH}",
        f"z[:] = 0\n{LAUNCH}",
        f"z.shape = (0,)\n{LAUNCH}\nreturn z",
    ],
)
def test_results_of_the_host_are_refused(body):
    assert verdict(host(body), ["unaligned"], seed=None).score <= TASK.weights.builds


def test_every_launch_of_the_call_is_timed():
    once = verdict(GOOD, ["long"], seed=None).facts["long"]["cycles"]
    helper = "def run(x, y, z):\n    " + LAUNCH
    inside = verdict(host("run(x, y, z)", helper), ["long"], seed=None)
    twice = verdict(host("run(x, y, z)\nrun(x, y, z)", helper), ["long"], seed=None)
    assert inside.facts["long"]["cycles"] == once
    assert twice.facts["long"]["cycles"] > 1.3 * once
