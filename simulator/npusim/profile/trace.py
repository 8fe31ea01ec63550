"""A run in the Trace Event format, for Perfetto or chrome://tracing.

One process a core, one thread a pipe, one complete event ("X") an instruction, one
pair of flow events ("s", "f") for each hand-over by a flag or a queue. Times are
microseconds from the start of the cores' work; the launch itself is not drawn.
Blocks of one class that start at the same time differ in core and block only, so their
text is made once. Format: "Trace Event Format", public document of the Chromium
project.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from npusim.core.stream import Step
from npusim.launch import Run
from npusim.launch.run import step_nbytes
from npusim.profile.blockfacts import block_ids
from npusim.profile.flows import flows
from npusim.profile.spans import PIPES
from npusim.timing import TICKS_PER_CYCLE, ClassTiming

THREADS = {pipe: index for index, pipe in enumerate(PIPES)}
_CORE, _BLOCK = "\x01", "\x02"  # stand for the numbers; no JSON text holds them
_TINY = 1 / TICKS_PER_CYCLE  # cycles: an arrow starts just inside its producer


def trace(run: Run) -> dict[str, Any]:
    """The whole trace as one JSON object."""
    return json.loads(trace_json(run))


def trace_json(run: Run) -> str:
    """The trace as compact JSON text."""
    head = _text({
        "kernel": run.kernel, "chip": run.chip, "blocks": run.blocks,
        "cache": run.cache, "code": run.code,
        "cycles": run.cycles, "launch_cycles": run.timing.launch_cycles,
    })  # fmt: skip
    events = ",".join((*map(_text, _names(run)), *_blocks(run)))
    return f'{{"displayTimeUnit":"ns","otherData":{head},"traceEvents":[{events}]}}'


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# -------------------------------------------------------------------------- metadata
def _names(run: Run) -> Iterator[dict[str, Any]]:
    """What the viewer calls each core and pipe, and their order."""
    cores = run.execution.chip.vector_cores
    used: dict[int, set[str]] = defaultdict(set)
    for part in run.timing.classes:
        pipes = {step.pipe for step in part.stream.steps()}
        for block in block_ids(part):
            used[block % cores] |= pipes
    for core, pipes in sorted(used.items()):
        yield _metadata("process_name", core, 0, {"name": f"core {core}"})
        yield _metadata("process_sort_index", core, 0, {"sort_index": core})
        for thread in sorted(THREADS[pipe] for pipe in pipes):
            yield _metadata("thread_name", core, thread, {"name": PIPES[thread]})
            yield _metadata("thread_sort_index", core, thread, {"sort_index": thread})


def _metadata(
    name: str, core: int, thread: int, arguments: dict[str, Any]
) -> dict[str, Any]:
    return {"ph": "M", "name": name, "pid": core, "tid": thread, "args": arguments}


# ---------------------------------------------------------------------------- events
def _blocks(run: Run) -> Iterator[str]:
    """The events of every block as text, class by class."""
    cores = run.execution.chip.vector_cores
    for part in run.timing.classes:
        steps = list(part.stream.steps())
        made: dict[int, str] = {}
        for block in block_ids(part) if steps else ():
            begin = run.timing.block_start_ticks[block]
            if begin not in made:
                made[begin] = ",".join(_class_events(run, part, steps, begin))
            text = made[begin].replace(_CORE, str(block % cores))
            yield text.replace(_BLOCK, str(block))


def _class_events(
    run: Run, part: ClassTiming, steps: list[Step], begin: int
) -> Iterator[str]:
    """Events of one block whose core and block numbers are still to be filled in."""
    per_us = run.execution.chip.clock_ghz * 1e3
    starts = [(begin + t) / TICKS_PER_CYCLE for t in part.start_ticks]
    ends = [(begin + t) / TICKS_PER_CYCLE for t in part.end_ticks]
    known: dict[int, tuple[str, str]] = {}
    for i, step in enumerate(steps):
        if id(step) not in known:
            known[id(step)] = _step_text(run, step)
        head, arguments = known[id(step)]
        start, end = starts[i], ends[i]
        yield (
            f'{head}"ts":{round(start / per_us, 6)},'
            f'"dur":{round((end - start) / per_us, 6)},"args":{{"block":{_BLOCK},'
            f'{arguments}"wait":"{part.waits[i]}",'
            f'"start_cycle":{start},"end_cycle":{end}}}}}'
        )
    for number, flow in enumerate(flows(steps)):
        name = f'"cat":"{flow.kind}","name":"{flow.kind}","id":"{_BLOCK}.{number}"'
        leave = max(starts[flow.producer], ends[flow.producer] - _TINY)
        for phase, index, cycle in (
            ('"s"', flow.producer, leave),
            ('"f","bp":"e"', flow.consumer, starts[flow.consumer]),
        ):
            yield (
                f'{{"ph":{phase},{name},"pid":{_CORE},'
                f'"tid":{THREADS[steps[index].pipe]},"ts":{round(cycle / per_us, 6)}}}'
            )


def _step_text(run: Run, step: Step) -> tuple[str, str]:
    """The parts of an event that do not depend on time."""
    where = run.execution.program.locations[step.where]
    head = (
        f'{{"ph":"X","name":{_text(step.name)},"cat":"{step.pipe}","pid":{_CORE},'
        f'"tid":{THREADS[step.pipe]},'
    )
    arguments = (
        f'"line":{where.line},"source":{_text(where.text.strip())},'
        f'"nbytes":{step_nbytes(step)},'
    )
    return head, arguments
