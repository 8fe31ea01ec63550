"""Submissions of z1-add that the judge's tests start from (none is the solution)."""

from __future__ import annotations

from npugrade.cells import Cell
from npugrade.judging import judge
from npugrade.tasks import load_task
from npugrade.verdict import Verdict

KERNEL = """from npusim import asc

TILE = 4096


@asc.jit
def kernel(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    n: int,
    dtype: asc.constexpr,
    nbytes: asc.constexpr,
):
    part = (n + asc.get_block_num() - 1) // asc.get_block_num()
    first = asc.get_block_idx() * part
    last = min(first + part, n)
    gx = asc.GlobalTensor()
    gy = asc.GlobalTensor()
    gz = asc.GlobalTensor()
    gx.set_global_buffer(x, n)
    gy.set_global_buffer(y, n)
    gz.set_global_buffer(z, n)
    a = asc.LocalTensor(dtype, asc.TPosition.VECIN, 0, TILE)
    b = asc.LocalTensor(dtype, asc.TPosition.VECIN, TILE * nbytes, TILE)
    c = asc.LocalTensor(dtype, asc.TPosition.VECOUT, 2 * TILE * nbytes, TILE)
    for i in range(first, last, TILE):
        m = min(TILE, last - i)
        shape = asc.DataCopyExtParams(1, m * nbytes, 0, 0)
        fill = asc.DataCopyPadExtParams(False, 0, 0, 0)
        asc.data_copy_pad(a, gx[i:], shape, fill)
        asc.data_copy_pad(b, gy[i:], shape, fill)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.add(c, a, b, m)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy_pad(gz[i:], c, shape)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
"""
LAUNCH = "kernel[48](x, y, z, x.size, x.dtype, x.dtype.itemsize)"


def host(body: str = LAUNCH, top: str = "", kernel: str = KERNEL) -> str:
    """A submission: the kernel, further top-level lines, the host function's body."""
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return f"{kernel}\n{top}\n\ndef add(x, y, z):\n{lines}"


GOOD = host()
SLOW = host(LAUNCH.replace("[48]", "[1]"))
WRONG = host(kernel=KERNEL.replace("asc.add(c, a, b, m)", "asc.sub(c, a, b, m)"))


def judged_here(text: str, cases: int = 1, **options) -> Verdict:
    """The verdict on the first visible cases, without a judge process of its own (the
    host code still runs in its limited process). Quick, for tables of wrong answers."""
    task = load_task("z1-add")
    task = task.model_copy(update={"visible": task.visible[:cases]})
    return judge(task, [Cell("submission", text)], **options)


def edited(*pairs: tuple[str, str]) -> str:
    """GOOD with replacements, each of which must occur."""
    text = GOOD
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text
