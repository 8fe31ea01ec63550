"""add and sub of int64, which the vector unit does not have, in words of 32 bits.

Words are added, the carry out of every word is found with bit operations, moved one
word up by a gather, kept in the upper words only, and added. Results wrap around.
"""

from __future__ import annotations

from npusim import asc
from npusim.ops.frames import load, store
from npusim.ops.tiling import Tiles

FIRST = 8  # words that the scalar unit writes: one data block
WORDS = 2  # of an element
SHORTS = 4
WORK_NBYTES = 32  # of an element: two words each of carries, moved ones, table, lanes
FIXED_NBYTES = 64


@asc.jit
def make_tables(table, upper, words):
    """table[j] = 4 j and upper[j] = j % 2, by doubling what is there."""
    for i in asc.static_range(FIRST):
        table.set_value(i, 4 * i)
        upper.set_value(i, i % 2)
    asc.set_flag(asc.HardEvent.S_V, 0)
    asc.wait_flag(asc.HardEvent.S_V, 0)
    done = FIRST
    while done < words:
        more = min(done, words - done)
        asc.adds(table[done:], table, 4 * done, more)
        asc.adds(upper[done:], upper, 0, more)
        done += more


@asc.jit
def carry_bits(into, a, b, total, room, count):
    """The sign of each word of `into` is the carry of a + b."""
    asc.bitwise_or(into, a, b, count)
    asc.bitwise_not(room, total, count)
    asc.bitwise_and(into, into, room, count)
    asc.bitwise_and(room, a, b, count)
    asc.bitwise_or(into, into, room, count)


@asc.jit
def borrow_bits(into, a, b, total, room, count):
    """The sign of each word of `into` is the borrow of a - b."""
    asc.bitwise_not(room, a, count)
    asc.bitwise_or(into, room, b, count)
    asc.bitwise_and(into, into, total, count)
    asc.bitwise_and(room, room, b, count)
    asc.bitwise_or(into, into, room, count)


@asc.jit
def one_tile(c, a, b, carries, room, table, upper, count, minus):
    """c = a + b, or a - b if `minus`; words of int32, `count` elements."""
    words = count * WORDS
    if minus:
        asc.sub(c, a, b, words)
    else:
        asc.add(c, a, b, words)
    own = carries[FIRST:]
    views = (
        own.reinterpret_cast(asc.uint16), a.reinterpret_cast(asc.uint16),
        b.reinterpret_cast(asc.uint16), c.reinterpret_cast(asc.uint16),
        room.reinterpret_cast(asc.uint16),
    )  # fmt: skip
    if minus:
        borrow_bits(views[0], views[1], views[2], views[3], views[4], count * SHORTS)
    else:
        carry_bits(views[0], views[1], views[2], views[3], views[4], count * SHORTS)
    bits = own.reinterpret_cast(asc.uint32)
    asc.shift_right(bits, bits, 31, words)
    offsets = table.reinterpret_cast(asc.uint32)
    asc.gather(room, carries, offsets, 4 * (FIRST - 1), words)
    asc.bitwise_and(
        views[4], views[4], upper.reinterpret_cast(asc.uint16), count * SHORTS
    )
    if minus:
        asc.sub(c, c, room, words)
    else:
        asc.add(c, c, room, words)


@asc.jit
def map_wide(x, y, z, t, minus):
    """z = x ± y of int64, tile by tile."""
    pipe = asc.TPipe()
    arrive_x = asc.TQue(asc.TPosition.VECIN, 2)
    arrive_y = asc.TQue(asc.TPosition.VECIN, 2)
    leave = asc.TQue(asc.TPosition.VECOUT, 2)
    work = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(arrive_x, 2, t.tile * 8)
    pipe.init_buffer(arrive_y, 2, t.tile * 8)
    pipe.init_buffer(leave, 2, t.tile * 8)
    pipe.init_buffer(work, t.work + FIXED_NBYTES)
    gx, gy, gz = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, t.n)
    gy.set_global_buffer(y, t.n)
    gz.set_global_buffer(z, t.n)
    words = t.tile * WORDS
    table = work.get(asc.int32)
    upper, room, carries = table[words:], table[2 * words :], table[3 * words :]
    make_tables(table, upper, words)
    asc.duplicate(carries, 0, FIRST)
    start = asc.get_block_idx() * t.share
    stop = min(start + t.share, t.n)
    for at in range(start, stop, t.tile):
        count = min(t.tile, stop - at)
        load(arrive_x, gx, at, count)
        load(arrive_y, gy, at, count)
        a, b = arrive_x.deque(x.dtype), arrive_y.deque(y.dtype)
        c = leave.alloc_tensor(z.dtype)
        one_tile(
            c.reinterpret_cast(asc.int32), a.reinterpret_cast(asc.int32),
            b.reinterpret_cast(asc.int32), carries, room, table, upper, count, minus,
        )  # fmt: skip
        arrive_x.free_tensor(a)
        arrive_y.free_tensor(b)
        leave.enque(c)
        store(leave, gz, at, count)


@asc.jit
def add_int64_kernel(
    x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, t: Tiles
):
    """z = x + y"""
    map_wide(x, y, z, t, False)


@asc.jit
def sub_int64_kernel(
    x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, t: Tiles
):
    """z = x - y"""
    map_wide(x, y, z, t, True)
