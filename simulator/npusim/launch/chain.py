"""The one place that strings bind → execute → check → time together.

Nothing is written back to the host unless the launch succeeds: written buffers are
copies until then. Diagnostics of severity E raise `KernelError` with the run so far.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from npusim.check import check_execution, mark_written
from npusim.core import Execution, execute
from npusim.core.stamps import store_stamps
from npusim.diagnostic import Diagnostic, KernelError
from npusim.lang.collector import collector_paused
from npusim.lang.program import Program
from npusim.launch.buffers import Buffers
from npusim.launch.l2 import L2State
from npusim.launch.replay import Recorder, replay
from npusim.launch.run import Run
from npusim.launch.settings import LENIENT, Options, chip_of
from npusim.timing import bypassing, time_execution

MAX_DIAGNOSTICS = 20
_l2 = L2State()


def run_program(
    program: Program,
    values: Mapping[str, Any],
    blocks: int,
    options: Options,
    lockstep: bool = True,
) -> Run:
    """Run a compiled program on host values and return its `Run`.

    Raises KernelError with all diagnostics and the run up to the fault.
    """
    with collector_paused():
        return _run(program, values, blocks, options, lockstep)


def _run(
    program: Program,
    values: Mapping[str, Any],
    blocks: int,
    options: Options,
    lockstep: bool,
) -> Run:
    chip = chip_of(options)
    buffers = Buffers(program, values)
    recorder = Recorder(program, buffers.values) if options.mode == LENIENT else None
    execution = execute(
        program, buffers.values, blocks, chip,
        budget=options.budget, overflow=options.overflow,
        lockstep=lockstep and recorder is None, watcher=recorder,
    )  # fmt: skip
    run = _observe(execution, options, buffers)
    if _stopped(run):
        raise KernelError(run.found, run)
    if recorder is not None:
        run = _replayed(run, recorder)
    mark_written(execution)
    store_stamps(execution.stamps, execution.buffers, run.cycle_of)
    buffers.write_back()
    return run


def _stopped(run: Run) -> bool:
    """Whether the launch failed: at any error, in lenient mode at one that ended it."""
    if run.mode == LENIENT:
        return bool(run.execution.faults)
    return any(d.severity == "E" for d in run.found)


def _replayed(run: Run, recorder: Recorder) -> Run:
    """The run with data, lines and notes of its replay; times stay."""
    replayed = replay(run, recorder)
    for buffer_id, contents in replayed.contents.items():
        run.execution.buffers[buffer_id].data[...] = contents
    execution = replace(run.execution, lines=replayed.lines)
    found = _limited((*run.found, *replayed.notes), ())
    return replace(run, execution=execution, found=found)


def _observe(execution: Execution, options: Options, buffers: Buffers) -> Run:
    found = (*execution.findings, *check_execution(execution))
    cache, room = options.cache, execution.chip.l2_nbytes
    timing = time_execution(
        execution, cache=cache, code=options.code,
        resident=buffers.resident(cache, _l2), older=buffers.older(cache, _l2, room),
    )  # fmt: skip
    used = buffers.used(cache, timing.moved_nbytes, bypassing(execution))
    _l2.after(cache, used, room)
    diagnostics = _limited(
        _placed(execution, found), _placed(execution, execution.faults)
    )
    return Run(execution.program.name, options, execution, timing, diagnostics)


def _placed(
    execution: Execution, found: tuple[Diagnostic, ...]
) -> tuple[Diagnostic, ...]:
    """Where blocks run in waves a block's number is not its core's: say both."""
    cores = execution.chip.vector_cores
    if execution.blocks <= cores:
        return found
    return tuple(replace(d, facts={**d.facts, "cores_of_chip": cores}) for d in found)


def _limited(
    found: tuple[Diagnostic, ...], faults: tuple[Diagnostic, ...]
) -> tuple[Diagnostic, ...]:
    """At most 20, one per code and line pair, the fault that stopped the run last."""
    unique: dict[object, Diagnostic] = {}
    for d in found:
        unique.setdefault((d.code, d.where, d.related), d)
    ordered = sorted(unique.values(), key=lambda d: d.severity != "E")
    return (*ordered[: MAX_DIAGNOSTICS - len(faults[:1])], *faults[:1])
