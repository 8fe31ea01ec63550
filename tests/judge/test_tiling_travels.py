"""A tiling record that host code fills reaches the kernel; a forged one is refused."""

from __future__ import annotations

import pytest

from npugrade.host import HostFailure
from npugrade.kernels import decode
from npusim.diagnostic import KernelError
from npusim.lang.tiling import fields_of
from tests.judge.judge_samples import KERNEL, judged_here
from tests.judge.judge_samples import host as submission

PLAN = """
@asc.tiling
class Plan:
    n: int
    tile: int = 4096
    wide: bool = True


"""
TILED = (
    KERNEL.replace("TILE = 4096\n", PLAN)
    .replace("    n: int,\n", "    plan: Plan,\n")
    .replace("    part = (n + asc", "    n = plan.n\n    part = (n + asc")
)


def tiled(tile: str) -> str:
    """The kernel with a record; buffers are sized by `tile`, known when compiling."""
    return TILED.replace("min(TILE,", "min(plan.tile,").replace("TILE", tile)


@pytest.mark.parametrize("plan", ["Plan(x.size)", "Plan(n=x.size, tile=4096)"])
def test_a_record_reaches_the_kernel(plan):
    launch = f"kernel[48](x, y, z, {plan}, x.dtype, x.dtype.itemsize)"
    verdict = judged_here(submission(launch, kernel=tiled("4096")), cases=4)
    assert verdict.score == 100.0, verdict.text("en")


def test_its_values_count():
    """Half the length: the rest of the output was never written."""
    launch = "kernel[48](x, y, z, Plan(x.size // 2), x.dtype, x.dtype.itemsize)"
    assert judged_here(submission(launch, kernel=tiled("4096"))).score == 20.0


@pytest.mark.parametrize("plan", ["Plan()", "Plan(1, 2, True, 4)", "Plan(1, other=2)"])
def test_wrong_fields_are_the_host_codes_fault(plan):
    verdict = judged_here(submission(plan, kernel=tiled("4096")))
    assert verdict.score == 0.0 and "takes the fields" in verdict.text("en")


def test_decoded_as_sent():
    found = decode({"record": ["P", [["n", "int"], ["f", "float"]], [3, 0.5]]})
    assert fields_of(found) == {"n": 3, "f": 0.5}


FORGED = [
    [],
    {},
    "P",
    ["P"],
    ["P", [], []],
    ["__class__", [["n", "int"]], [1]],
    ["P", [["__init__", "int"]], [1]],
    ["P", [["n", "list"]], [1]],
    ["P", [["n", []]], [1]],
    ["P", [["n", "int"]], [[1]]],
    ["P", [["n", "int"]], [1, 2]],
    ["P", [["n", "int"]], []],
    ["P", [["n", "int"]], [10**40]],
    ["P", [["n", "int"]], ["x"]],
    ["P", [["n", "int"], ["n", "int"]], [1, 2]],
    ["P", [["n", "float"]], [10**400]],
]


@pytest.mark.parametrize("content", FORGED, ids=str)
def test_forged_records_are_refused(content):
    with pytest.raises((HostFailure, KernelError)):
        decode({"record": content})
