"""Correct kernels of many kinds: no message and the right result (false positives are
worse than misses)."""

from __future__ import annotations

import numpy as np
import pytest

from npusim import asc

MTE2_V, V_MTE2 = asc.HardEvent.MTE2_V, asc.HardEvent.V_MTE2
V_MTE3, MTE3_V = asc.HardEvent.V_MTE3, asc.HardEvent.MTE3_V


@asc.jit
def double_buffer_by_hand(
    x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, tile: asc.constexpr
):
    share = n // asc.get_block_num()
    begin = asc.get_block_idx() * share
    x_global = asc.GlobalTensor()
    x_global.set_global_buffer(x, n)
    z_global = asc.GlobalTensor()
    z_global.set_global_buffer(z, n)
    for half in range(2):
        asc.set_flag(asc.HardEvent.V_MTE2, half)
        asc.set_flag(asc.HardEvent.MTE3_V, half)
    for i in range(share // tile):
        turn = i % 2
        base = turn * tile * 8
        x_local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, base, tile)
        z_local = asc.LocalTensor(
            asc.float32, asc.TPosition.VECOUT, base + 4 * tile, tile
        )
        asc.wait_flag(asc.HardEvent.V_MTE2, turn)
        asc.data_copy(x_local, x_global[begin + i * tile :], tile)
        asc.set_flag(asc.HardEvent.MTE2_V, turn)
        asc.wait_flag(asc.HardEvent.MTE2_V, turn)
        asc.wait_flag(asc.HardEvent.MTE3_V, turn)
        asc.adds(z_local, x_local, 1.0, tile)
        asc.set_flag(asc.HardEvent.V_MTE2, turn)
        asc.set_flag(asc.HardEvent.V_MTE3, turn)
        asc.wait_flag(asc.HardEvent.V_MTE3, turn)
        asc.data_copy(z_global[begin + i * tile :], z_local, tile)
        asc.set_flag(asc.HardEvent.MTE3_V, turn)
    for half in range(2):
        asc.wait_flag(asc.HardEvent.V_MTE2, half)
        asc.wait_flag(asc.HardEvent.MTE3_V, half)


@asc.jit
def in_place_with_barriers(
    x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, tile: asc.constexpr
):
    share = n // asc.get_block_num()
    x_global = asc.GlobalTensor()
    x_global.set_global_buffer(x, n)
    z_global = asc.GlobalTensor()
    z_global.set_global_buffer(z, n)
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, tile)
    begin = asc.get_block_idx() * share
    for at in range(begin, begin + share, tile):
        asc.data_copy(local, x_global[at:], tile)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.adds(local, local, 1.0, tile)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(z_global[at:], local, tile)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


@asc.jit
def copy_in(queue, source, at, count):
    local = queue.alloc_tensor(asc.float32)
    pad = asc.DataCopyPadExtParams(True, 0, (8 - count % 8) % 8, 0)
    asc.data_copy_pad(
        local, source[at:], asc.DataCopyExtParams(1, count * 4, 0, 0), pad
    )
    queue.enque(local)


@asc.jit
def compute(queue, out, scratch, count):
    rounded = (count + 7) // 8 * 8
    local = queue.deque(asc.float32)
    result = out.alloc_tensor(asc.float32)
    ones = scratch.get(asc.float32)
    asc.duplicate(ones, 1.0, rounded)
    asc.add(result, local, ones, rounded)
    queue.free_tensor(local)
    out.enque(result)


@asc.jit
def copy_out(out, target, at, count):
    result = out.deque(asc.float32)
    params = asc.DataCopyExtParams(1, count * 4, 0, 0)
    asc.data_copy_pad(target[at:], result, params)
    out.free_tensor(result)


@asc.jit
def helpers_with_scratch(
    x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, tile: asc.constexpr
):
    share = (n + asc.get_block_num() - 1) // asc.get_block_num()
    begin = asc.get_block_idx() * share
    end = min(begin + share, n)
    x_global = asc.GlobalTensor()
    x_global.set_global_buffer(x, n)
    z_global = asc.GlobalTensor()
    z_global.set_global_buffer(z, n)
    pipe = asc.TPipe()
    in_x = asc.TQue(asc.TPosition.VECIN, 1)
    out_z = asc.TQue(asc.TPosition.VECOUT, 1)
    scratch = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(in_x, 1, tile * 4)
    pipe.init_buffer(out_z, 1, tile * 4)
    pipe.init_buffer(scratch, tile * 4)
    for at in range(begin, end, tile):
        count = min(tile, end - at)
        copy_in(in_x, x_global, at, count)
        compute(in_x, out_z, scratch, count)
        copy_out(out_z, z_global, at, count)


@asc.jit
def prefetching_queue(
    x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, tile: asc.constexpr
):
    share = n // asc.get_block_num()
    begin = asc.get_block_idx() * share
    x_global = asc.GlobalTensor()
    x_global.set_global_buffer(x, n)
    z_global = asc.GlobalTensor()
    z_global.set_global_buffer(z, n)
    pipe = asc.TPipe()
    in_x = asc.TQue(asc.TPosition.VECIN, 2)
    out_z = asc.TQue(asc.TPosition.VECOUT, 2)
    pipe.init_buffer(in_x, 2, tile * 4)
    pipe.init_buffer(out_z, 2, tile * 4)
    x_local = in_x.alloc_tensor(asc.float32)
    asc.data_copy(x_local, x_global[begin:], tile)
    in_x.enque(x_local)
    for at in range(begin, begin + share, tile):
        if at + tile < begin + share:
            x_local = in_x.alloc_tensor(asc.float32)
            asc.data_copy(x_local, x_global[at + tile :], tile)
            in_x.enque(x_local)
        x_local = in_x.deque(asc.float32)
        z_local = out_z.alloc_tensor(asc.float32)
        asc.adds(z_local, x_local, 1.0, tile)
        in_x.free_tensor(x_local)
        out_z.enque(z_local)
        z_local = out_z.deque(asc.float32)
        asc.data_copy(z_global[at:], z_local, tile)
        out_z.free_tensor(z_local)


@asc.jit
def rows_with_strides(
    x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, tile: asc.constexpr
):
    """Columns: every block takes each `blocks`-th element row of 8."""
    blocks = asc.get_block_num()
    rows = n // 8 // blocks
    x_global = asc.GlobalTensor()
    x_global.set_global_buffer(x, n)
    z_global = asc.GlobalTensor()
    z_global.set_global_buffer(z, n)
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 8 * rows)
    gap = (blocks - 1) * 32
    pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
    at = asc.get_block_idx() * 8
    asc.data_copy_pad(
        local, x_global[at:], asc.DataCopyExtParams(rows, 32, gap, 0), pad
    )
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.adds(local, local, 1.0, 8 * rows)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy_pad(z_global[at:], local, asc.DataCopyExtParams(rows, 32, 0, gap))


@asc.jit
def scalar_through_ub(
    x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, tile: asc.constexpr
):
    share = n // asc.get_block_num()
    x_global = asc.GlobalTensor()
    x_global.set_global_buffer(x, n)
    z_global = asc.GlobalTensor()
    z_global.set_global_buffer(z, n)
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, share)
    begin = asc.get_block_idx() * share
    asc.data_copy(local, x_global[begin:], share)
    asc.set_flag(asc.HardEvent.MTE2_S, 0)
    asc.wait_flag(asc.HardEvent.MTE2_S, 0)
    for i in range(share):
        local.set_value(i, local.get_value(i) + 1.0)
    asc.set_flag(asc.HardEvent.S_MTE3, 0)
    asc.wait_flag(asc.HardEvent.S_MTE3, 0)
    asc.data_copy(z_global[begin:], local, share)


@asc.jit
def only_the_first_block(
    x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, tile: asc.constexpr
):
    if asc.get_block_idx() > 0:
        return
    x_global = asc.GlobalTensor()
    x_global.set_global_buffer(x, n)
    z_global = asc.GlobalTensor()
    z_global.set_global_buffer(z, n)
    for i in range(n):
        z_global.set_value(i, x_global.get_value(i) + 1.0)


KERNELS = [
    double_buffer_by_hand,
    in_place_with_barriers,
    helpers_with_scratch,
    prefetching_queue,
    rows_with_strides,
    scalar_through_ub,
    only_the_first_block,
]


@pytest.mark.parametrize("empty", [False, True])
@pytest.mark.parametrize("blocks", [1, 3, 48])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_correct_kernels_are_silent(kernel, blocks, empty):
    x = np.arange(blocks * 96, dtype=np.float32)
    z = asc.device.empty(x.size, np.float32) if empty else np.zeros_like(x)
    run = kernel[blocks](x, z, x.size, 32)
    assert [d.render() for d in run.found] == []
    assert ((z.numpy() if empty else z) == x + 1).all()


@pytest.mark.parametrize(
    "kernel", [k for k in KERNELS if k is not only_the_first_block]
)
def test_the_same_array_as_input_and_output(kernel):
    x = np.arange(960, dtype=np.float32)
    expected = x + 1
    run = kernel[3](x, x, x.size, 32)
    assert [d.render() for d in run.found] == []
    assert (x == expected).all()


@pytest.mark.parametrize("lockstep", [True, False])
@pytest.mark.parametrize("blocks", [3, 48])
def test_findings_do_not_depend_on_how_blocks_are_grouped(blocks, lockstep):
    """A broken kernel gets the same messages as one group and as single blocks."""
    from npusim.check import check_execution
    from npusim.chip import load_chip
    from npusim.core import Buffer, execute
    from npusim.lang import BufferArgument, Constexpr, compile_source

    kernel = in_place_with_barriers.source
    text = kernel.text.replace("        asc.pipe_barrier(asc.PipeID.PIPE_ALL)\n", "")
    text = text.replace("at in range(begin", "at in range(max(begin - 8, 0)")
    assert text != kernel.text
    n = blocks * 64
    argument = BufferArgument(asc.float32)
    types = {"x": argument, "z": argument, "n": "int", "tile": Constexpr(32)}
    program = compile_source(text, "k.py", kernel.name, {"asc": asc}, types)
    x = np.arange(n, dtype=np.float32)
    values = {
        "x": Buffer(1, "x", asc.float32, x),
        "z": Buffer(2, "z", asc.float32, np.zeros_like(x)),
        "n": n,
    }
    execution = execute(program, values, blocks, load_chip("910B1"), lockstep=lockstep)
    found = check_execution(execution)
    assert {"ASC-RACE-15", "ASC-RACE-16", "ASC-GM-06"} <= {d.code for d in found}
    keys = [(d.code, d.core, d.where.line, dict(d.facts)) for d in found]
    expected = _first_findings.setdefault(blocks, keys)
    assert keys == expected


_first_findings: dict[int, list] = {}
