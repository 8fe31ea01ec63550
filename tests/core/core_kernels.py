"""Hand-built kernels that several tests run."""

from __future__ import annotations

from typing import Any

from core_builder import BLOCK, Builder, expr, gm, op

from npusim.lang.program import Program, Record
from npusim.lang.types import DType, HardEvent, TPosition


def static_add(dtype: DType, share: int, tile: int) -> Program:
    """x + y with tensors by address and flags; `share` elements a block."""
    b = Builder()
    x, y, z = (b.param(n, "buffer", dtype) for n in "xyz")
    nbytes = tile * dtype.itemsize
    base = b.assign(op("*", BLOCK, share))
    local = [
        b.tensor(dtype, i * nbytes, tile, n) for i, n in enumerate(("a", "b", "c"))
    ]
    for tensor in local:
        b.issue("local_tensor", tensor=tensor)
    with b.loop(0, share // tile) as i:
        at = b.assign(op("+", base, op("*", i, tile)))
        for source, target in ((x, local[0]), (y, local[1])):
            g = gm(dtype, source, at, tile, "g")
            b.issue("data_copy", dst=target, src=g, count=tile)
        flag(b, HardEvent.MTE2_V)
        b.issue("add", dst=local[2], src0=local[0], src1=local[1], count=tile)
        flag(b, HardEvent.V_MTE3)
        out = gm(dtype, z, at, tile, "z")
        b.issue("data_copy", dst=out, src=local[2], count=tile)
        flag(b, HardEvent.MTE3_MTE2)
    return b.program()


def flag(b: Builder, event: Any, number: Any = 0) -> None:
    b.issue("set_flag", event=event, event_id=number)
    b.issue("wait_flag", event=event, event_id=number)


def queue_add(dtype: DType, share: int, tile: int, depth: int = 2) -> Program:
    """x + y with queues, any length `n`, tails by data_copy_pad."""
    b = Builder()
    x, y, z = (b.param(n, "buffer", dtype) for n in "xyz")
    n = b.param("n")
    pipe = b.resource("TPipe", "pipe")
    names = ("in_x", "in_y", "out_z")
    places = (TPosition.VECIN, TPosition.VECIN, TPosition.VECOUT)
    queues = [
        b.resource("TQue", name, place, depth)
        for name, place in zip(names, places, strict=True)
    ]
    for queue in queues:
        nbytes = tile * dtype.itemsize
        b.issue("init_buffer", pipe=pipe, buffer=queue, num=depth, nbytes=nbytes)
    start = b.assign(op("*", BLOCK, share))
    end = b.assign(op("min", op("+", start, share), n))
    at = b.assign(start)
    head = b.branch(op("<", at, end, "bool"))
    count = b.assign(op("min", tile, op("-", end, at)))
    params = copy_params(op("*", count, dtype.itemsize))
    for source, queue in ((x, queues[0]), (y, queues[1])):
        t = b.alloc(queue, dtype)
        g = gm(dtype, source, at, count, "g")
        b.issue("data_copy_pad", dst=t, src=g, params=params)
        b.issue("enque", queue=queue, tensor=t)
    a, c = (b.alloc(queue, dtype, "deque") for queue in queues[:2])
    out = b.alloc(queues[2], dtype)
    b.issue("add", dst=out, src0=a, src1=c, count=count)
    b.issue("enque", queue=queues[2], tensor=out)
    for queue, tensor in ((queues[0], a), (queues[1], c)):
        b.issue("free_tensor", queue=queue, tensor=tensor)
    out = b.alloc(queues[2], dtype, "deque")
    g = gm(dtype, z, at, count, "z")
    b.issue("data_copy_pad", dst=g, src=out, params=params)
    b.issue("free_tensor", queue=queues[2], tensor=out)
    b.assign(op("+", at, tile), at)
    b.jump(head)
    b.land(head)
    return b.program()


def copy_params(
    nbytes: Any, count: Any = 1, source: Any = 0, target: Any = 0
) -> Record:
    """DataCopyExtParams."""
    fields = {"block_count": count, "block_len": nbytes}
    fields |= {"src_stride": source, "dst_stride": target}
    return Record("DataCopyExtParams", {k: expr(v) for k, v in fields.items()})


def pad_params(is_pad: bool, left: int, right: int, value: float = 0.0) -> Record:
    """DataCopyPadExtParams."""
    fields = {"is_pad": is_pad, "left_padding": left, "right_padding": right}
    fields["padding_value"] = value
    return Record("DataCopyPadExtParams", {k: expr(v) for k, v in fields.items()})
