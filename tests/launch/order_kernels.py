"""Kernels whose cores meet, accumulate and take the time, for several tests."""

from npusim import asc


@asc.tiling
class Tiling:
    """How the work is split."""

    tile: int
    rounds: int = 1
    scale: float = 1.0
    wide: bool = False


@asc.jit
def accumulate(
    x: asc.GlobalAddress,
    z: asc.GlobalAddress,
    t: Tiling,
    kind: asc.constexpr = "add",
):
    """z = z + (or max, min) the shares of x, each `rounds` times."""
    share = asc.GlobalTensor()
    share.set_global_buffer(x + asc.get_block_idx() * t.tile, t.tile)
    total = asc.GlobalTensor()
    total.set_global_buffer(z, t.tile)
    allocator = asc.LocalMemAllocator()
    local = allocator.alloc(asc.TPosition.VECIN, share.dtype, t.tile)
    asc.data_copy(local, share, t.tile)
    asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
    if kind == "add":
        asc.set_atomic_add(share.dtype)
    elif kind == "max":
        asc.set_atomic_max(share.dtype)
    else:
        asc.set_atomic_min(share.dtype)
    for _ in range(t.rounds):
        asc.data_copy(total, local, t.tile)
    asc.set_atomic_none()


@asc.jit
def rotate(x: asc.GlobalAddress, z: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    """y = x read by way of z, each share copied by the next core."""
    share = n // asc.get_block_num()
    begin = asc.get_block_idx() * share
    source, middle, target = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    source.set_global_buffer(x, n)
    middle.set_global_buffer(z, n)
    target.set_global_buffer(y, n)
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, share)
    asc.data_copy(local, source[begin:], share)
    asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.data_copy(middle[begin:], local, share)
    asc.sync_all()
    after = (begin + share) % n
    asc.data_copy(local, middle[after:], share)
    asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.data_copy(target[after:], local, share)


@asc.jit
def clocked(x: asc.GlobalAddress, times: asc.GlobalAddress, n: int):
    """How long a copy of n elements takes; one core waits a tile longer."""
    source = asc.GlobalTensor()
    source.set_global_buffer(x, n)
    stamps = asc.GlobalTensor()
    stamps.set_global_buffer(times + 8 * asc.get_block_idx(), 8)
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, n)
    begin = asc.get_system_cycle()
    asc.data_copy(local, source, n)
    if asc.get_block_idx() == 1:
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(local, source, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    end = asc.get_system_cycle()
    taken = end - begin
    asc.printf(f"{taken} of {end:6d}")
    stamps.set_value(0, taken)
    stamps.set_value(1, end - taken)
