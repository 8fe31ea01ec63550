"""Kernels from source text through the compiler: vector add in its styles, and more."""

import textwrap
from types import SimpleNamespace

import numpy as np
import pytest
from core_builder import CHIP, buffers

from npusim.core import execute
from npusim.lang import EXPORTS, BufferArgument, compile_source
from npusim.lang.types import dtype_of

ASC = SimpleNamespace(**EXPORTS, __asc_facade__=True)

SCALAR_LOOP = """
@asc.jit
def kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    xg = asc.GlobalTensor()
    yg = asc.GlobalTensor()
    zg = asc.GlobalTensor()
    xg.set_global_buffer(x, n)
    yg.set_global_buffer(y, n)
    zg.set_global_buffer(z, n)
    for i in range(asc.get_block_idx(), n, asc.get_block_num()):
        zg.set_value(i, xg.get_value(i) + yg.get_value(i))
"""

STATIC = """
@asc.jit
def kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    share = n // asc.get_block_num()
    tile = 64
    start = asc.get_block_idx() * share
    xg = asc.GlobalTensor()
    yg = asc.GlobalTensor()
    zg = asc.GlobalTensor()
    xg.set_global_buffer(x + start, share)
    yg.set_global_buffer(y + start, share)
    zg.set_global_buffer(z + start, share)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, tile)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 256, tile)
    c = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 512, tile)
    for i in range(share // tile):
        if i > 0:
            asc.wait_flag(asc.HardEvent.V_MTE2, 0)
            asc.wait_flag(asc.HardEvent.MTE3_V, 0)
        asc.data_copy(a, xg[i * tile:], tile)
        asc.data_copy(b, yg[i * tile:], tile)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.add(c, a, b, tile)
        asc.set_flag(asc.HardEvent.V_MTE2, 0)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(zg[i * tile:], c, tile)
        asc.set_flag(asc.HardEvent.MTE3_V, 0)
    asc.wait_flag(asc.HardEvent.V_MTE2, 0)
    asc.wait_flag(asc.HardEvent.MTE3_V, 0)
"""

QUEUES = """
@asc.jit
def kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    share = (n + asc.get_block_num() - 1) // asc.get_block_num()
    start = asc.get_block_idx() * share
    left = min(share, n - start)
    if left <= 0:
        return
    xg = asc.GlobalTensor()
    yg = asc.GlobalTensor()
    zg = asc.GlobalTensor()
    xg.set_global_buffer(x + start, left)
    yg.set_global_buffer(y + start, left)
    zg.set_global_buffer(z + start, left)
    pipe = asc.TPipe()
    in_x = asc.TQue(asc.TPosition.VECIN, DEPTH)
    in_y = asc.TQue(asc.TPosition.VECIN, DEPTH)
    out_z = asc.TQue(asc.TPosition.VECOUT, DEPTH)
    pipe.init_buffer(in_x, DEPTH, 64 * 4)
    pipe.init_buffer(in_y, DEPTH, 64 * 4)
    pipe.init_buffer(out_z, DEPTH, 64 * 4)
    for i in range((left + 63) // 64):
        count = min(64, left - i * 64)
        params = asc.DataCopyExtParams(1, count * 4, 0, 0)
        pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
        a = in_x.alloc_tensor(asc.float32)
        b = in_y.alloc_tensor(asc.float32)
        asc.data_copy_pad(a, xg[i * 64:], params, pad)
        asc.data_copy_pad(b, yg[i * 64:], params, pad)
        in_x.enque(a)
        in_y.enque(b)
        a = in_x.deque(asc.float32)
        b = in_y.deque(asc.float32)
        c = out_z.alloc_tensor(asc.float32)
        asc.add(c, a, b, count)
        out_z.enque(c)
        in_x.free_tensor(a)
        in_y.free_tensor(b)
        c = out_z.deque(asc.float32)
        asc.data_copy_pad(zg[i * 64:], c, params)
        out_z.free_tensor(c)
"""


def compiled(source, arrays, **captured):
    types = {k: BufferArgument(dtype_of(a.dtype)) for k, a in arrays.items()}
    names = {"asc": ASC, **captured}
    return compile_source(
        textwrap.dedent(source), "test", "kernel", names, types | {"n": "int"}
    )


def added(source, n, blocks, **captured):
    rng = np.random.default_rng(n)
    x, y = (rng.normal(size=n).astype(np.float32) for _ in "xy")
    arrays = {"x": x, "y": y, "z": np.zeros_like(x)}
    program = compiled(source, arrays, **captured)
    values = buffers(**arrays)
    done = execute(program, values | {"n": n}, blocks, CHIP)
    assert not done.faults and not done.findings, [f.code for f in done.faults]
    np.testing.assert_array_equal(values["z"].data, x + y)
    return done


@pytest.mark.parametrize("n", [1, 50, 100])
def test_scalar_loop(n):
    added(SCALAR_LOOP, n, 4)


def test_static_tensors_with_flags():
    done = added(STATIC, 4 * 256, 4)
    assert len(done.streams) == 1


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("n", [1, 63, 64, 1003])
def test_queues_of_any_length(n, depth):
    added(QUEUES, n, 4, DEPTH=depth)


def test_fault_is_located_in_the_source():
    source = """
    @asc.jit
    def kernel(x: asc.GlobalAddress, n: int):
        xg = asc.GlobalTensor()
        xg.set_global_buffer(x, n)
        v = xg.get_value(n)
        asc.printf(f"{v:.2f}")
    """
    arrays = {"x": np.zeros(8, np.float32)}
    program = compiled(source, arrays)
    done = execute(program, buffers(**arrays) | {"n": 8}, 2, CHIP)
    (fault,) = done.faults
    assert (fault.code, fault.core) == ("ASC-GM-05", 0)
    assert "xg.get_value(n)" in fault.where.text


def test_printf_and_assert():
    source = """
    @asc.jit
    def kernel(n: int):
        i = asc.get_block_idx()
        asc.printf(f"block {i:02d} of {n}")
        assert i < 2, f"too many: {i}"
    """
    done = execute(compiled(source, {}), {"n": 3}, 3, CHIP)
    assert done.prints[0] == "[core 0] block 00 of 3"
    (fault,) = done.faults
    assert (fault.code, fault.core) == ("ASC-RUN-05", 2)
    assert fault.facts == {"message": "too many: 2"}
