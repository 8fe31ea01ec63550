"""Micro-benchmarks: one small experiment for each mechanism of the timing model.

    from npusim.fidelity import micro
    micro.run("bank_conflicts")          # a table: the chip, and the chip without it
    micro.run("l2")                      # all whose name has the word
    micro.run()                          # all
    micro.bank_conflicts(chip="910B2")   # one experiment on another chip, alone

An experiment with the name of a switch of `chip/mechanisms.toml` shows that mechanism:
`run` switches it off beside. `chip` is a name or a Chip (`asc.chip("910B1")`,
`Chip.from_file`). `python -m npusim.fidelity.micro [NAME …]` prints the same tables.
Reading order: `table`, `kernels`, `vector`, `copies`, `launches`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from npusim.chip import Chip, load_chip
from npusim.fidelity.micro.copies import (
    bandwidth,
    bandwidth_sharing,
    burst_overhead,
    copy_latency,
    l2_bypass,
    l2_residency,
    l2_write_absorption,
    latency_under_load,
    line_alignment,
    rows_per_core,
    same_address,
    serial_steps,
    small_copies,
)
from npusim.fidelity.micro.launches import (
    code_state,
    core_synchronisation,
    launch_head,
    waves,
)
from npusim.fidelity.micro.measuring import CHIP, Where
from npusim.fidelity.micro.table import (
    Table,
    Tables,
    UnknownExperiment,
    about,
    switch_of,
)
from npusim.fidelity.micro.vector import (
    bank_conflicts,
    instruction_cache,
    masked_rows,
    queue_cost,
    round_trip,
    scalar_cost,
    tpipe_setup,
    vector_dependency,
    vector_startup,
)

__all__ = ["EXPERIMENTS", "Table", "Tables", "about", "names", "run"]

EXPERIMENTS: dict[str, Callable[..., Table]] = {
    function.__name__: function
    for function in (
        vector_startup, vector_dependency, masked_rows, bank_conflicts, copy_latency,
        latency_under_load, bandwidth_sharing, small_copies, burst_overhead,
        line_alignment, l2_residency, l2_write_absorption, l2_bypass, same_address,
        scalar_cost, queue_cost, tpipe_setup, instruction_cache, core_synchronisation,
        launch_head, code_state, waves, bandwidth, round_trip, rows_per_core,
        serial_steps,
    )
}  # fmt: skip


def names(word: str = "") -> tuple[str, ...]:
    """The experiments whose name is, or else has, `word` (default: all), in order of
    the switches; UnknownExperiment, a ValueError, where there is none."""
    if word in EXPERIMENTS:
        return (word,)
    found = tuple(name for name in EXPERIMENTS if str(word) in name)
    if not found:
        raise UnknownExperiment(word, EXPERIMENTS)
    return found


def run(name: str = "", chip: Where = CHIP) -> Tables:
    """Tables of the experiments that `names(name)` gives, each with its switch on and
    off. UnknownExperiment for a name that no experiment has."""
    on = chip if isinstance(chip, Chip) else load_chip(chip)
    found = []
    for one in names(name):
        experiment, off = EXPERIMENTS[one], on.without(switch_of(one))
        found.append(replace(experiment(on), without=experiment(off).rows))
    return Tables(tuple(found))
