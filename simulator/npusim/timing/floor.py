"""The time no kernel can beat: launch, compulsory bytes, compulsory vector work.

One function for `Run.floor_us` and for the judge. For the best number of cores n,

    floor = launch(n) + max(machine time of all bytes,
                            latency + bytes / (n * a core's rate), for reads and writes,
                            vector cycles / n)

Bytes and vector cycles are those that the *task* needs, not those a kernel happens to
spend. Every term is a lower bound of the timing model itself, so that no stream is ever
timed below the floor of its own first-touch bytes and conflict-free repeats (tested).
"""

from __future__ import annotations

import math

from npusim.chip import Chip
from npusim.timing.traffic import absorbed_share

_HAND_OUT = {"warm": "warm_core", "cold": "cold_core"}


def launch_cycles(chip: Chip, cores: int, code: str) -> int:
    """Cycles from the launch until all cores run, and from their end to completion.

    `code`: "warm" or "cold" instruction caches.
    """
    time_ns = chip.constant("launch") + hand_out_ns(chip, code) * cores
    return math.ceil(chip.cycles_of_ns(time_ns))


def hand_out_ns(chip: Chip, code: str) -> float:
    """Nanoseconds to start one block on a core."""
    return chip.constant(_HAND_OUT[code])


def _machine_ns(
    chip: Chip, read: int, written: int, hit: int, cache: str, warm: bool
) -> float:
    """Nanoseconds that HBM and L2 need for the bytes, one after the other.

    The better of two policies: inputs through L2, or past it (`l2_bypass`), which
    leaves L2 to the writes.
    """
    if not chip.has("bandwidth_sharing"):
        return 0.0
    constant, room = chip.constant, chip.l2_nbytes
    reading = (read - hit) / constant("hbm_read") + hit / constant("l2_read")

    def leaving(footprint: int, through: float) -> float:
        absorbs = chip.has("l2_write_absorption")
        kept = absorbed_share(cache, footprint, room) if absorbs else 0.0
        back = 0.0 if warm else 1.0 - kept
        stays = through * written * (1.0 - back) / constant("l2_write")
        return written * back / constant("hbm_write_back") + stays

    through = reading + leaving(read + written, 1.0)
    if not chip.has("l2_bypass"):
        return through
    return min(through, read / constant("hbm_read") + leaving(written, 0.0))


def _core_cycles(chip: Chip, nbytes: int, rate: float, latency: str) -> float:
    """Cycles of a core with `nbytes` to move, by its copy pipe and by S beside it."""
    if not nbytes:
        return 0.0
    rate += chip.constant("scalar_word") / chip.constant("scalar_access")
    return chip.cycles_of_ns(chip.constant(latency)) + nbytes / rate


def floor_cycles(
    chip: Chip,
    nbytes_read: int,
    nbytes_written: int,
    vector_cycles: float = 0.0,
    *,
    cache: str = "cold",
    code: str = "warm",
    resident_nbytes: int | None = None,
) -> int:
    """Cycles below which no launch can end.

    `nbytes_read`, `nbytes_written`: distinct bytes of global memory; `vector_cycles`:
    conflict-free repeats x cycles, all cores together; `resident_nbytes`: how much of
    what is read lies in L2 (default: for "l2" and "keep" as much as L2 holds).
    """
    warm = cache in ("l2", "keep")
    if resident_nbytes is None:
        resident_nbytes = chip.l2_nbytes if warm else 0
    hit = min(nbytes_read, resident_nbytes)
    machine = _machine_ns(chip, nbytes_read, nbytes_written, hit, cache, warm)
    read_cap = chip.constant("l2_cap" if hit else "read_cap")
    write_cap = chip.constant("write_cap")

    def on(cores: int) -> float:
        return launch_cycles(chip, cores, code) + max(
            chip.cycles_of_ns(machine),
            _core_cycles(chip, -(-nbytes_read // cores), read_cap, "l2_latency"),
            _core_cycles(chip, -(-nbytes_written // cores), write_cap, "write_latency"),
            vector_cycles / cores,
        )

    if not chip.has("waves"):  # any number of cores: nothing is bound by one core
        return math.floor(launch_cycles(chip, 1, code) + chip.cycles_of_ns(machine))
    least = math.inf
    for cores in range(1, chip.vector_cores + 1):
        if launch_cycles(chip, cores, code) >= least:
            break  # to start more cores alone takes longer
        least = min(least, on(cores))
    return math.floor(least)
