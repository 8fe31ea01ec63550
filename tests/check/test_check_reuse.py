"""Bytes read after something else took them: told where it cannot be meant."""

import numpy as np
import pytest

from npusim import asc
from npusim.diagnostic import KernelError
from npusim.launch.kernel import Kernel

SOURCE = """
from npusim import asc

@asc.jit
def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x, n)
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z, n)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 256)
    c = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 2048, 256)
    s = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 512, 256)
    w = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 8192, 256)
    asc.duplicate(w, 1.0, 256)
    asc.data_copy(a, gx, 256)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    {body}
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(gz, c, 256)
"""


def found(body):
    text = SOURCE.format(body=body.strip().replace("\n", "\n    "))
    kernel = Kernel.from_text(text, "k.py", "kernel", {"asc": asc})
    x, z = np.ones(256, np.float32), np.zeros(256, np.float32)
    try:
        run = kernel.launch(x, z, 256, blocks=1)
    except KernelError as error:
        return [d.code for d in error.diagnostics]
    return [d.code for d in run.diagnostics]


MISTAKES = [
    ("asc.duplicate(s, 2.0, 64)\nasc.adds(c, a, 1.0, 256)", "ASC-ALIAS-12"),
    ("asc.reduce_sum(c, a, a[128:], 200)\nasc.adds(c, a, 1.0, 256)", "ASC-REDUCE-13"),
    ("asc.reduce_sum(c, w, s, 200)\nasc.adds(c, a, 1.0, 256)", "ASC-REDUCE-13"),
    ("asc.reduce_min(a, a, w, 256)\nasc.adds(c, a, 1.0, 256)", "ASC-REDUCE-13"),
]


@pytest.mark.parametrize("body, code", MISTAKES)
def test_a_live_buffer_used_as_scratch_is_told(body, code):
    assert found(body) == [code]


SILENT = {
    "another part": "asc.duplicate(s, 2.0, 64)\nasc.adds(c, a, 1.0, 128)\n"
    "asc.adds(c[128:], w, 1.0, 128)",
    "dead by then": "asc.adds(c, a, 1.0, 256)\nasc.duplicate(s, 2.0, 64)",
    "written again": "asc.duplicate(s, 2.0, 64)\nasc.duplicate(a, 2.0, 256)\n"
    "asc.adds(c, a, 1.0, 256)",
    "in place": "asc.adds(a, a, 1.0, 64)\nasc.muls(a[64:], a[64:], 3.0, 64)\n"
    "asc.adds(c, a, 1.0, 256)",
    "one memory, two types": "b = a.reinterpret_cast(asc.half)\n"
    "asc.duplicate(b, 1.0, 64)\n"
    "asc.adds(c, a, 1.0, 256)",
    "result read": "asc.reduce_sum(a, a, w, 256)\nasc.duplicate(c, 1.0, 256)\n"
    "asc.muls(a, a, 2.0, 1)",
    "work area used again": "asc.reduce_sum(c, a, w, 256)\n"
    "asc.reduce_max(c, a, w, 256)\n"
    "asc.duplicate(w, 0.0, 256)\nasc.adds(c, w, 1.0, 256)",
    "ping-pong": """
for i in range(4):
    u = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 16384 + i % 2 * 1024, 256)
    at = 16384 + (i + 1) % 2 * 1024
    v = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, at, 256)
    if i == 0:
        asc.duplicate(u, 1.0, 256)
    asc.adds(v, u, 1.0, 256)
asc.adds(c, a, 1.0, 256)""",
    "unrolled ping-pong": """
for i in asc.static_range(4):
    u = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 16384 + i % 2 * 1024, 256)
    at = 16384 + (i + 1) % 2 * 1024
    v = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, at, 256)
    if i == 0:
        asc.duplicate(u, 1.0, 256)
    asc.adds(v, u, 1.0, 256)
asc.adds(c, a, 1.0, 256)""",
}


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_reuse_that_is_meant_is_silent(body):
    assert found(body) == []


def test_a_gather_may_leave_part_of_its_source_unwritten():
    body = """
few = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 16384, 256)
at = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 20480, 64)
asc.duplicate(few, 1.0, 16)
asc.duplicate(at, 8, 64)
asc.gather(c, few, at.reinterpret_cast(asc.uint32), 0, 64)
asc.adds(c[64:], a, 1.0, 192)"""
    assert found(body) == []


def test_masked_elements_are_not_read():
    body = """
few = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 16384, 256)
asc.duplicate(few, 1.0, 8, 4, 1, 8)
asc.adds(few, few, 1.0, 8, 4, asc.UnaryRepeatParams(1, 1, 8, 8))
asc.adds(c, a, 1.0, 256)"""
    assert found(body) == []
    assert found(body.replace("few, few, 1.0, 8,", "few, few, 1.0, 9,")) == [
        "ASC-INIT-11"
    ]
