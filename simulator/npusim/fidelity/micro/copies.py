"""Micro-benchmarks of copies: one core, many cores, and what L2 makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from npusim.fidelity.micro import kernels
from npusim.fidelity.micro.measuring import (
    CHIP,
    CORES,
    MIB,
    Where,
    core_cycles,
    zeros,
)
from npusim.fidelity.micro.table import Table
from npusim.launch import Run

HALVES = MIB // 2  # half elements of 1 MiB
BURSTS = 64
ALL = CORES[-1]


# --------------------------------------------------------------------------- one core
def copy_latency(chip: Where = CHIP) -> Table:
    """One copy of 32 B to 128 KiB on an idle pipe, from HBM and from L2."""
    rows = []
    for nbytes in (32, 512, 4096, 16384, 65536, 131072):
        found = [
            core_cycles(
                kernels.one_copy.launch(
                    zeros(nbytes), nbytes, 0, blocks=1, chip=chip, cache=cache
                )
            )
            for cache in ("cold", "l2")
        ]
        rows.append((nbytes, *found))
    return Table("copy_latency", tuple(rows))


def small_copies(chip: Where = CHIP) -> Table:
    """Back-to-back copies of 32 to 2048 B."""
    rows = []
    for nbytes in (32, 64, 128, 512, 2048):
        x = zeros(64 * nbytes)
        few, many = (
            kernels.many_copies.launch(x, nbytes, n, blocks=1, chip=chip)
            for n in (32, 64)
        )
        busy = (many.pipe_cycles["MTE2"] - few.pipe_cycles["MTE2"]) / 32
        rows.append((nbytes, busy))
    return Table("small_copies", tuple(rows))


def _bursts(chip: Where, nbytes: int, gap: int) -> float:
    x = zeros(BURSTS * (nbytes + gap))
    run = kernels.bursts.launch(x, BURSTS, nbytes, gap, blocks=1, chip=chip)
    return run.pipe_cycles["MTE2"]


def burst_overhead(chip: Where = CHIP) -> Table:
    """64 bursts of 32 to 512 B that follow one another."""
    rows = [(nbytes, _bursts(chip, nbytes, 0)) for nbytes in (32, 64, 128, 512)]
    return Table("burst_overhead", tuple(rows))


def line_alignment(chip: Where = CHIP) -> Table:
    """64 bursts of whole lines: without gap, and each 32 B later in its line."""
    rows = [
        (nbytes, _bursts(chip, nbytes, 0), _bursts(chip, nbytes, 32))
        for nbytes in (512, 1024, 2048)
    ]
    return Table("line_alignment", tuple(rows))


def rows_per_core(chip: Where = CHIP) -> Table:
    """1 to 48 rows of 4096 half a core, copied with one buffer and with two."""
    rows = []
    for count in (1, 4, 16, 48):
        one, two = (
            core_cycles(_stream(chip, 1, count * 4096, tile=4096, slots=slots))
            for slots in (1, 2)
        )
        rows.append((count, one, two))
    return Table("rows_per_core", tuple(rows))


# ------------------------------------------------------------------------- many cores
def _stream(
    chip: Where, blocks: int, share: int, cache: str = "cold", **how: int
) -> Run:
    """Every block reads, writes or copies `share` half in tiles."""
    x = np.zeros(blocks * share, np.float16)
    form = {"slots": 2, "read": 1, "write": 1, "bypass": 0, "tile": 8192, **how}
    return kernels.stream.launch(
        x, np.zeros_like(x), share, form["tile"], form["slots"], form["read"],
        form["write"], form["bypass"], blocks=blocks, chip=chip, cache=cache,
    )  # fmt: skip


def _whole(chip: Where, mib: int, **how: Any) -> Run:
    """`mib` MiB on all cores with four slots, so that latency is hidden."""
    return _stream(chip, ALL, mib * HALVES // ALL, slots=4, **how)


def _rate(run: Run) -> float:
    """GB/s of a whole launch."""
    return (run.nbytes_read + run.nbytes_written) / run.time_us / 1e3


def latency_under_load(chip: Where = CHIP) -> Table:
    """16 copies of 16 KiB, each core its own, while more and more cores stream."""
    rows = [
        (cores, core_cycles(_stream(chip, cores, 16 * 8192, write=0, slots=1)))
        for cores in CORES
    ]
    return Table("latency_under_load", tuple(rows))


def bandwidth_sharing(chip: Where = CHIP) -> Table:
    """GB/s of reading 1 MiB a core, from HBM and from L2."""
    rows = []
    for cores in CORES:
        found = [
            _rate(_stream(chip, cores, HALVES, cache, slots=4, write=0))
            for cache in ("cold", "l2")
        ]
        rows.append((cores, *found))
    return Table("bandwidth_sharing", tuple(rows))


def same_address(chip: Where = CHIP) -> Table:
    """Every core reads the same 256 KiB: in the same order, or from its own tile."""
    x = np.zeros(16 * 8192, np.float16)
    rows = []
    for cores in CORES:
        found = [
            kernels.one_array.launch(x, 16, 8192, own, blocks=cores, chip=chip)
            for own in (0, 1)
        ]
        rows.append((cores, *(run.time_us for run in found)))
    return Table("same_address", tuple(rows))


def serial_steps(chip: Where = CHIP) -> Table:
    """Copies of 48 cores in two tiles: each waits for the one before, or not."""
    rows = []
    for tile in (4096, 16384):
        one, two = (
            _stream(chip, ALL, 8 * 16384, tile=tile, slots=slots).time_us
            for slots in (1, 2)
        )
        rows.append((tile, one, two))
    return Table("serial_steps", tuple(rows))


# --------------------------------------------------------------------------------- L2
def l2_residency(chip: Where = CHIP) -> Table:
    """Two launches that read the same array."""
    rows = []
    for mib in (3, 24, 96):
        x = np.zeros(mib * HALVES, np.float16)
        found = [
            kernels.stream.launch(
                x, x, mib * HALVES // ALL, 8192, 4, 1, 0, 0, blocks=ALL, chip=chip,
                cache=cache,
            ).time_us
            for cache in ("cold", "keep")
        ]  # fmt: skip
        rows.append((mib, *found))
    return Table("l2_residency", tuple(rows))


def l2_write_absorption(chip: Where = CHIP) -> Table:
    """All cores write, and read nothing."""
    rows = [(mib, _whole(chip, mib, read=0).time_us) for mib in (12, 48, 96)]
    return Table("l2_write_absorption", tuple(rows))


def l2_bypass(chip: Where = CHIP) -> Table:
    """All cores copy; with inputs through L2 and past it."""
    rows = []
    for mib in (96, 192):
        found = [_whole(chip, mib, bypass=bypass).time_us for bypass in (0, 1)]
        rows.append((mib, *found))
    return Table("l2_bypass", tuple(rows))


def bandwidth(chip: Where = CHIP) -> Table:
    """GB/s of 48 cores that read, write, copy, and copy with inputs past L2."""
    rows = []
    for mib in (30, 126):
        found = [
            _rate(_whole(chip, mib, read=read, write=write, bypass=bypass))
            for read, write, bypass in ((1, 0, 0), (0, 1, 0), (1, 1, 0), (1, 1, 1))
        ]
        rows.append((mib, *found))
    return Table("bandwidth", tuple(rows))
