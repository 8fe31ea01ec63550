"""Slips on the host side end in a message with its cure, not in a Python error."""

import numpy as np
import pytest

from npusim import asc
from npusim.launch import parameters
from tests.launch import kernels

ADD = kernels.flag_add
ARRAYS = tuple(np.ones(2048, np.float16) for _ in range(3))

FIXED = np.broadcast_to(np.float16(1), 2048).copy()
FIXED.setflags(write=False)
SLIPS = {
    "read-only": (
        lambda: ADD[1](*ARRAYS[:2], FIXED, 2048, 1024),
        "ASC-ARG-10",
        ".copy()",
    ),
    "kernel(…)": (lambda: ADD(*ARRAYS, 2048, 1024), "ASC-ARG-05", "like a function"),
    "no blocks": (lambda: ADD.launch(*ARRAYS, 2048, 1024), "ASC-ARG-05", "flag_add[8]"),
    "list": (lambda: asc.device.tensor([1, 2]), "ASC-ARG-09", "np.array("),
    "float": (lambda: asc.device.empty(4, float), "ASC-ARG-02", "asc.float32)"),
    "shape": (lambda: asc.device.empty(2.5, asc.half), "ASC-ARG-08", "whole numbers"),
    "text": (lambda: asc.device.empty("ab", asc.half), "ASC-ARG-08", "whole numbers"),
    "huge": (lambda: asc.device.empty(10**13, asc.half), "ASC-ARG-08", "at most"),
    "class": (lambda: asc.jit(int), "ASC-JIT-02", "above a def"),
    "lambda": (lambda: asc.jit(lambda x: x), "ASC-JIT-02", "above a def"),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_slip(slip):
    call, code, cure = SLIPS[slip]
    with pytest.raises(asc.KernelError) as caught:
        call()
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert cure in found.render("en")
    assert "?" not in found.render("zh")


def test_views_are_offered_by_tab_completion():
    run = ADD[1](*ARRAYS, 2048, 1024)
    assert {"profile", "timeline", "step", "save", "cycles"} <= set(dir(run))


def test_read_only_inputs_are_fine():
    out = np.zeros(2048, np.float16)
    ADD[1](FIXED, FIXED, out, 2048, 1024)
    assert (out == 2).all()


def test_a_numpy_type_is_a_dtype_constant():
    found = parameters.bind(
        "k", [parameters.Parameter("t", "constexpr")], [np.float32], {}
    )
    assert found == {"t": asc.float32}
