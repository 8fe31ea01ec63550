"""Micro-benchmarks: one small experiment for each mechanism of the timing model.

    from npusim.fidelity import micro
    micro.bank_conflicts()                                  # a table and what it shows
    micro.bank_conflicts(chip=asc.chip("910B1").without("bank_conflicts"))   # flat

Each returns a Table. `chip` is a name or a Chip. `EXPERIMENTS` has them all by name;
what they show and which switches flatten them is in `micro.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from npusim.chip import Chip
from npusim.diagnostic import language
from npusim.fidelity import micro_kernels as kernels
from npusim.launch import Run

Where = str | Chip
CHIP = "910B1"
CALLS = 64
HALVES = 1 << 23
CORES = (1, 8, 24, 48)


@dataclass(frozen=True)
class Table:
    """Numbers of an experiment: `columns` with units, `rows`, and what they show."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]

    @property
    def shows(self) -> str:
        """The sentence in the language of messages (both: English first)."""
        words, chosen = about(self.name), language.current()
        names = ("en", "zh") if chosen == "both" else (chosen,)
        return "\n".join(words[name] for name in names)

    def column(self, number: int) -> list[float]:
        """The numbers of one column, from 0."""
        return [row[number] for row in self.rows]

    def __repr__(self) -> str:
        cells = [self.columns, *(tuple(f"{v:.4g}" for v in row) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True))
            for row in cells
        ]
        return "\n".join([self.name, *lines, self.shows])


@cache
def _all_words() -> dict[str, Any]:
    text = (resources.files(__package__) / "micro.toml").read_text("utf-8")
    return tomllib.loads(text)


def about(name: str) -> dict[str, Any]:
    """`en`, `zh` and `mechanisms` of an experiment."""
    return _all_words()[name]


def _core(run: Run) -> float:
    return float(max(run.core_cycles))


def _per_call(launch: Callable[[int], Run], calls: int = CALLS) -> float:
    """Cycles of one of many calls: the difference of two launches."""
    return (_core(launch(2 * calls)) - _core(launch(calls))) / calls


def _bytes(count: int) -> np.ndarray:
    return np.zeros(count, np.int8)


def _vector(chip: Where, count: int, gap: int, step: int) -> float:
    x = np.zeros(8, np.float32)
    return _per_call(
        lambda calls: kernels.vector_calls.launch(
            x, count, gap, step, calls, blocks=1, chip=chip
        )
    )


def startup(chip: Where = CHIP) -> Table:
    """Dependent and independent adds of 1, 8 and 64 repeats."""
    rows = []
    for repeats in (1, 8, 64):
        count = repeats * 64
        x = np.zeros(8, np.float32)
        once = (
            kernels.vector_calls.launch(x, count, 16640, 1, 0, blocks=1, chip=chip),
            kernels.vector_calls.launch(x, count, 16640, 1, 1, blocks=1, chip=chip),
        )
        first = once[1].pipe_cycles["V"] - once[0].pipe_cycles["V"]
        dependent = _vector(chip, count, 16640, 0)
        rows.append((repeats, first, dependent, _vector(chip, count, 16640, 1)))
    names = "repeats", "first, cycles", "dependent, cycles", "independent, cycles"
    return Table("startup", names, tuple(map(tuple, rows)))


def masked_rows(chip: Where = CHIP) -> Table:
    """Adds that fill their repeats, and adds that miss it by 16 elements."""
    rows = [
        (n, _vector(chip, n, 16640, 1), _vector(chip, n - 16, 16640, 1))
        for n in (256, 1024, 4096)
    ]
    names = "elements", "whole repeats, cycles", "16 fewer, cycles"
    return Table("masked_rows", names, tuple(rows))


def bank_conflicts(chip: Where = CHIP) -> Table:
    """Sources 16384 B apart and up to 512 B further."""
    rows = [
        (shift, _vector(chip, 4096, 16384 + shift, 1))
        for shift in (0, 32, 128, 256, 384, 512)
    ]
    return Table("bank_conflicts", ("shift, B", "64 repeats, cycles"), tuple(rows))


def copy_size(chip: Where = CHIP) -> Table:
    """One copy of 32 B to 128 KiB on an idle pipe, from HBM and from L2."""
    rows = []
    for nbytes in (32, 512, 4096, 16384, 65536, 131072):
        x = _bytes(nbytes)
        found = [
            _core(kernels.one_copy.launch(x, nbytes, 0, blocks=1, chip=chip, cache=c))
            for c in ("cold", "l2")
        ]
        rows.append((nbytes, *found))
    names = "bytes", "HBM, cycles", "L2, cycles"
    return Table("copy_size", names, tuple(rows))


def small_copies(chip: Where = CHIP) -> Table:
    """Back-to-back copies of 32 to 2048 B."""
    rows = []
    for nbytes in (32, 64, 128, 512, 2048):
        x = _bytes(64 * nbytes)
        few, many = (
            kernels.many_copies.launch(x, nbytes, n, blocks=1, chip=chip)
            for n in (32, 64)
        )
        busy = (many.pipe_cycles["MTE2"] - few.pipe_cycles["MTE2"]) / 32
        rows.append((nbytes, busy))
    return Table("small_copies", ("bytes", "one copy, cycles"), tuple(rows))


def bursts(chip: Where = CHIP) -> Table:
    """64 bursts of 32 to 512 B: without gap, and with gaps that break lines."""
    rows = []
    for nbytes in (32, 128, 256, 512):
        found = []
        for gap in (0, 32, 1024):
            x = _bytes(64 * (nbytes + gap))
            run = kernels.bursts.launch(x, 64, nbytes, gap, blocks=1, chip=chip)
            found.append(run.pipe_cycles["MTE2"])
        rows.append((nbytes, *found))
    names = "bytes", "gap 0, cycles", "gap 32 B, cycles", "gap 1 KiB, cycles"
    return Table("bursts", names, tuple(rows))


def _stream(chip: Where, blocks: int, share: int, **how: int) -> Run:
    x = np.zeros(blocks * share, np.float16)
    form = {"slots": 2, "read": 1, "write": 1, "bypass": 0, "tile": 8192, **how}
    return kernels.stream.launch(
        x, np.zeros_like(x), share, form["tile"], form["slots"], form["read"],
        form["write"], form["bypass"], blocks=blocks, chip=chip,
    )  # fmt: skip


def load_on_latency(chip: Where = CHIP) -> Table:
    """16 copies of 16 KiB, each core its own, while more and more cores stream."""
    rows = [
        (cores, _core(_stream(chip, cores, 16 * 8192, write=0, slots=1)))
        for cores in CORES
    ]
    return Table("load_on_latency", ("cores", "16 copies, cycles"), tuple(rows))


def bandwidth(chip: Where = CHIP) -> Table:
    """GB/s of 48 cores that read, write, copy, and copy with inputs past L2."""
    rows = []
    for mib in (32, 128):
        share = mib * (1 << 19) // 48
        found = []
        for read, write, bypass in ((1, 0, 0), (0, 1, 0), (1, 1, 0), (1, 1, 1)):
            run = _stream(
                chip, 48, share, read=read, write=write, bypass=bypass, slots=4
            )
            moved = run.nbytes_read + run.nbytes_written
            found.append(moved / run.time_us / 1e3)
        rows.append((mib, *found))
    names = "MiB", "read, GB/s", "write, GB/s", "copy, GB/s", "copy past L2, GB/s"
    return Table("bandwidth", names, tuple(rows))


def launch(chip: Where = CHIP) -> Table:
    """An empty kernel on 1 to 48 cores, its code in the instruction caches or not."""
    x = _bytes(32)
    rows = []
    for cores in CORES:
        found = [
            kernels.empty.launch(x, blocks=cores, chip=chip, code=code).time_us
            for code in ("warm", "cold")
        ]
        rows.append((cores, *found))
    return Table("launch", ("cores", "warm, us", "cold, us"), tuple(rows))


def round_trip(chip: Where = CHIP) -> Table:
    """Reduce, get_value, muls: cycles of one turn."""
    x = np.zeros(8, np.float32)

    def go(calls: int) -> Run:
        return kernels.round_trips.launch(x, calls, blocks=1, chip=chip)

    rows = [(calls, _per_call(go, calls)) for calls in (8, 64)]
    return Table("round_trip", ("turns", "one turn, cycles"), tuple(rows))


def queue_calls(chip: Where = CHIP) -> Table:
    """Four queue calls a turn without work."""
    x = _bytes(32)

    def go(turns: int) -> Run:
        return kernels.queue_calls.launch(x, turns, blocks=1, chip=chip)

    rows = [(turns, _per_call(go, turns)) for turns in (8, 64)]
    return Table("queue_calls", ("turns", "one turn, cycles"), tuple(rows))


def rows_per_core(chip: Where = CHIP) -> Table:
    """1 to 48 rows of 4096 half a core, copied with one buffer and with two."""
    rows = []
    for count in (1, 4, 16, 48):
        one, two = (
            _core(_stream(chip, 1, count * 4096, tile=4096, slots=slots))
            for slots in (1, 2)
        )
        rows.append((count, one, two))
    names = "rows", "one buffer, cycles", "two buffers, cycles"
    return Table("rows_per_core", names, tuple(rows))


def serial_steps(chip: Where = CHIP) -> Table:
    """Copies of 48 cores in two tiles: each waits for the one before, or not."""
    rows = []
    for tile in (4096, 16384):
        one, two = (
            _stream(chip, 48, 8 * 16384, tile=tile, slots=slots).time_us
            for slots in (1, 2)
        )
        rows.append((tile, one, two))
    names = "tile, elements", "serial, us", "overlapping, us"
    return Table("serial_steps", names, tuple(rows))


EXPERIMENTS: dict[str, Callable[..., Table]] = {
    function.__name__: function
    for function in (
        startup, masked_rows, bank_conflicts, copy_size, small_copies, bursts,
        load_on_latency, bandwidth, launch, round_trip, queue_calls, rows_per_core,
        serial_steps,
    )
}  # fmt: skip


def names() -> Sequence[str]:
    """The experiments in the order of the timing model's rules."""
    return tuple(EXPERIMENTS)
