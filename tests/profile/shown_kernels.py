"""Kernels whose runs are shown: one for each bound that the skeleton knows.

The tests read this file as text and compile it (`Kernel.from_text`).
"""

from npusim import asc


@asc.jit
def queue_add(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    n: int,
    tile: asc.constexpr,
    depth: asc.constexpr,
):
    share = n // asc.get_block_num()
    base = asc.get_block_idx() * share
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + base, share)
    y_gm.set_global_buffer(y + base, share)
    z_gm.set_global_buffer(z + base, share)
    pipe = asc.TPipe()
    x_queue = asc.TQue(asc.TPosition.VECIN, depth)
    y_queue = asc.TQue(asc.TPosition.VECIN, depth)
    z_queue = asc.TQue(asc.TPosition.VECOUT, depth)
    pipe.init_buffer(x_queue, depth, tile * 2)
    pipe.init_buffer(y_queue, depth, tile * 2)
    pipe.init_buffer(z_queue, depth, tile * 2)
    for i in range(share // tile):
        x_in = x_queue.alloc_tensor(asc.half)
        y_in = y_queue.alloc_tensor(asc.half)
        asc.data_copy(x_in, x_gm[i * tile :], tile)
        asc.data_copy(y_in, y_gm[i * tile :], tile)
        x_queue.enque(x_in)
        y_queue.enque(y_in)
        x_local = x_queue.deque(asc.half)
        y_local = y_queue.deque(asc.half)
        z_local = z_queue.alloc_tensor(asc.half)
        asc.add(z_local, x_local, y_local, tile)
        z_queue.enque(z_local)
        x_queue.free_tensor(x_local)
        y_queue.free_tensor(y_local)
        z_out = z_queue.deque(asc.half)
        asc.data_copy(z_gm[i * tile :], z_out, tile)
        z_queue.free_tensor(z_out)


@asc.jit
def in_turns(
    x: asc.GlobalAddress,
    z: asc.GlobalAddress,
    tiles: int,
    tile: asc.constexpr,
    loads: asc.constexpr,
):
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + asc.get_block_idx() * tiles * tile, tiles * tile)
    z_gm.set_global_buffer(z + asc.get_block_idx() * tiles * tile, tiles * tile)
    x_local = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, tile)
    z_local = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, 65536, tile)
    for i in range(tiles):
        for _ in asc.static_range(loads):
            asc.data_copy(x_local, x_gm[i * tile :], tile)
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.exp(z_local, x_local, tile)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(z_gm[i * tile :], z_local, tile)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


@asc.jit
def repeated_exp(
    x: asc.GlobalAddress, z: asc.GlobalAddress, tile: asc.constexpr, times: int
):
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + asc.get_block_idx() * tile, tile)
    z_gm.set_global_buffer(z + asc.get_block_idx() * tile, tile)
    x_local = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, tile)
    z_local = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, 65536, tile)
    asc.data_copy(x_local, x_gm, tile)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    for _ in range(times):
        asc.exp(z_local, x_local, tile)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(z_gm, z_local, tile)


@asc.jit
def scalar_add(
    x: asc.GlobalAddress, z: asc.GlobalAddress, count: asc.constexpr, uneven: int
):
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + asc.get_block_idx() * count, count)
    z_gm.set_global_buffer(z + asc.get_block_idx() * count, count)
    size = count
    if asc.get_block_idx() >= uneven:
        size = count // 16
    for i in range(size):
        z_gm.set_value(i, x_gm.get_value(i) + 1.0)


@asc.jit
def flag_exp(x: asc.GlobalAddress, z: asc.GlobalAddress, tile: asc.constexpr):
    """One tile a block, ordered by flags alone."""
    base = asc.get_block_idx() * tile
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + base, tile)
    z_gm.set_global_buffer(z + base, tile)
    x_local = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, tile)
    z_local = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, 65536, tile)
    asc.data_copy(x_local, x_gm, tile)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.exp(z_local, x_local, tile)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(z_gm, z_local, tile)
    asc.set_flag(asc.HardEvent.MTE3_S, 0)
    asc.wait_flag(asc.HardEvent.MTE3_S, 0)
