"""Is a split of a vector over cores and tiles legal, balanced, and how fast is it?

The answer {"blocks", "head", "long", "short", "tile"} says: the first `head` of
`blocks` cores take `long` elements each, the others `short`; each walks through its
share in tiles of `tile` elements. Operator: two inputs, one output, two buffers for
each tensor. A kernel of ours runs with the plan in the simulator: its cycles are the
cost. Left out: other depths of buffers; plans with more than `MOST_TILES` tiles.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from npugrade.checkers.tiling import ALIGNMENT_NBYTES
from npugrade.outcome import Outcome, Refused
from npusim import asc
from npusim.chip import load_chip
from npusim.timing import floor_cycles

BUFFERS, LINE_NBYTES, MOST_TILES = 6, 512, 2000
_FIELDS = ("blocks", "head", "long", "short", "tile")
_DTYPES = {2: np.float16, 4: np.float32}


@dataclass(frozen=True)
class Split:
    """The plan for `n` elements of `itemsize` bytes; every field in elements, but
    `blocks` and `head`, which count cores."""

    n: int
    itemsize: int
    blocks: int
    head: int
    long: int
    short: int
    tile: int

    def share(self, block: int) -> int:
        """How many elements block `block` really has."""
        start = min(block, self.head) * self.long
        start += max(0, block - self.head) * self.short
        length = self.long if block < self.head else self.short
        return max(0, min(self.n, start + length) - start)

    @property
    def line(self) -> int:
        """Elements in 512 B."""
        return LINE_NBYTES // self.itemsize


@asc.jit
def add_shares_kernel(
    x: asc.GlobalAddress,
    z: asc.GlobalAddress,
    n: int,
    head: int,
    long: int,
    short: int,
    tile: asc.constexpr,
):
    """z = (a + b)², x is a then b: each core takes its share, tile by tile."""
    index, width = asc.get_block_idx(), tile * x.dtype.sizeof()
    first = min(index, head) * long + max(0, index - head) * short
    last = min(n, first + (long if index < head else short))
    source, sink = asc.GlobalTensor(), asc.GlobalTensor()
    source.set_global_buffer(x, 2 * n)
    sink.set_global_buffer(z, n)
    pipe = asc.TPipe()
    inputs = asc.TQue(asc.TPosition.VECIN, 2)
    outputs = asc.TQue(asc.TPosition.VECOUT, 2)
    pipe.init_buffer(inputs, 2, 2 * width)
    pipe.init_buffer(outputs, 2, width)
    for place in range(first, last, tile):
        count = min(tile, last - place)
        exact = asc.DataCopyExtParams(1, count * x.dtype.sizeof(), 0, 0)
        plain = asc.DataCopyPadExtParams(False, 0, 0, 0)
        pair = inputs.alloc_tensor(x.dtype)
        asc.data_copy_pad(pair, source[place:], exact, plain)
        asc.data_copy_pad(pair[tile:], source[n + place :], exact, plain)
        inputs.enque(pair)
        ready, total = inputs.deque(x.dtype), outputs.alloc_tensor(x.dtype)
        asc.add(total, ready, ready[tile:], count)
        asc.mul(total, total, total, count)
        inputs.free_tensor(ready)
        outputs.enque(total)
        done = outputs.deque(x.dtype)
        asc.data_copy_pad(sink[place:], done, exact)
        outputs.free_tensor(done)


def vector_split(arguments: Mapping[str, Any], answer: Any) -> Outcome:
    """Cycles of the plan `answer` for `n` elements of `itemsize` bytes on at most
    `cores` cores with `ub_nbytes` of UB; Refused if it is not legal."""
    itemsize = int(arguments["itemsize"])
    split = Split(int(arguments["n"]), itemsize, *_fields(answer))
    _cores(split, int(arguments["cores"]))
    _tile(split, int(arguments["ub_nbytes"]))
    _shares(split)
    pair = np.ones(2 * split.n, _DTYPES[itemsize])
    out = np.zeros(split.n, pair.dtype)
    plan = (split.head, split.long, split.short, split.tile)
    run = add_shares_kernel[split.blocks](pair, out, split.n, *plan)
    floor = floor_cycles(load_chip("910B1"), pair.nbytes, out.nbytes)
    return Outcome(run.cycles, floor)


def _fields(answer: Any) -> list[int]:
    if not isinstance(answer, dict) or set(answer) != set(_FIELDS):
        raise Refused("split.form", fields=", ".join(_FIELDS))
    values = [answer[name] for name in _FIELDS]
    if any(type(value) is not int or not 0 <= value < 2**40 for value in values):
        raise Refused("split.form", fields=", ".join(_FIELDS))
    return values


def _cores(split: Split, cores: int) -> None:
    """Legal numbers of cores, and a 512 B line at least for each."""
    if not 1 <= split.blocks <= cores:
        raise Refused("tiling.blocks", blocks=split.blocks, cores=cores)
    if split.head > split.blocks:
        raise Refused("split.head", head=split.head, blocks=split.blocks)
    most = -(-split.n // split.line)
    if split.blocks > most:
        raise Refused("split.few", n=split.n, blocks=split.blocks, most=most)


def _tile(split: Split, ub_nbytes: int) -> None:
    nbytes = split.tile * split.itemsize
    if nbytes < 1 or nbytes % ALIGNMENT_NBYTES:
        raise Refused("tiling.aligned", nbytes=nbytes, unit=ALIGNMENT_NBYTES)
    if BUFFERS * nbytes > ub_nbytes:
        raise Refused("tiling.ub", nbytes=BUFFERS * nbytes, ub_nbytes=ub_nbytes)
    tiles = -(-max(split.long, split.short) // split.tile)
    if min(tiles, -(-split.n // split.tile)) > MOST_TILES:
        raise Refused("split.tiles", tiles=tiles, most=MOST_TILES)


def _shares(split: Split) -> None:
    """Every element has a core, every core an element, and no core much more."""
    shares = [split.share(block) for block in range(split.blocks)]
    missing = split.n - sum(shares)
    if missing:
        raise Refused("split.missing", missing=missing, n=split.n)
    if not min(shares):
        raise Refused("split.idle", block=shares.index(0))
    most = 2 * split.line
    if max(shares) - min(shares) > most:
        longest, shortest = max(shares), min(shares)
        raise Refused("split.balance", longest=longest, shortest=shortest, most=most)
