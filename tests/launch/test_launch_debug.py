"""dump_tensor and set_l2_cache_hint: seen, recorded, and free."""

from __future__ import annotations

import numpy as np
import pytest

from npusim import asc
from npusim.diagnostic import KernelError
from npusim.launch import Kernel

HEAD = """
@asc.jit
def kernel(x: asc.GlobalAddress, n: int):
    g = asc.GlobalTensor()
    g.set_global_buffer(x, n)
    t = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, 128)
    asc.duplicate(t, asc.get_block_idx() + 0.5, 128)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
"""


def launch(body: str, x: np.ndarray, blocks: int = 2):
    text = HEAD + "".join(f"    {line}\n" for line in body.split("\n"))
    return Kernel.from_text(text, "k.py", "kernel", {"asc": asc})[blocks](x, x.size)


def test_a_dump_is_a_line_of_each_block():
    x = np.arange(80, dtype=np.int32)
    run = launch('asc.dump_tensor(t, "half", 3)\nasc.dump_tensor(g[n - 2:], n, 2)', x)
    assert run.prints == (
        "[core 0] dump half: t half[3] 0.5 0.5 0.5",
        "[core 0] dump 80: g int32[2] 78 79",
        "[core 1] dump half: t half[3] 1.5 1.5 1.5",
        "[core 1] dump 80: g int32[2] 78 79",
    )


def test_a_long_dump_is_cut_and_an_empty_one_is_empty():
    x = np.arange(80, dtype=np.int32)
    run = launch("asc.dump_tensor(g, 1, 70)\nasc.dump_tensor(g, 2, 0)", x, 1)
    assert run.prints[0].endswith(" 62 63 … +6")
    assert run.prints[1] == "[core 0] dump 2: g int32[0]"


def test_it_costs_no_time_and_is_no_hazard():
    x = np.arange(128, dtype=np.float16)
    copy = "asc.data_copy(t, g, 128)\n"
    plain, dumped = launch(copy, x), launch(copy + 'asc.dump_tensor(t, "t", 4)', x)
    assert plain.cycles == dumped.cycles
    assert plain.diagnostics == dumped.diagnostics == ()
    assert dumped.prints[0].endswith("0 1 2 3")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("asc.dump_tensor(t, 1, 129)", "ASC-UB-10"),
        ("asc.dump_tensor(g, 1, n + 1)", "ASC-GM-05"),
        ("asc.dump_tensor(g, 1, 0 - n)", "ASC-RUN-07"),
    ],
)
def test_a_dump_beyond_the_tensor_is_a_fault(body, code):
    with pytest.raises(KernelError) as info:
        launch(body, np.zeros(16, np.float32))
    assert info.value.diagnostics[-1].code == code


def test_cache_hints_are_recorded_by_buffer():
    x = np.zeros(16, np.float32)
    body = "g[8:].set_l2_cache_hint(asc.CacheMode.CACHE_MODE_DISABLE)"
    run = launch(body, x)
    assert run.execution.cache_hints == {1: "CACHE_MODE_DISABLE"}
    assert launch("pass", x).execution.cache_hints == {}
