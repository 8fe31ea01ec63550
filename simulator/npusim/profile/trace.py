"""A run in the Trace Event format, for Perfetto or chrome://tracing.

One process a core, one thread a pipe, one complete event ("X") an instruction. Times
are microseconds from the start of the cores' work; the launch itself is not drawn.
Format: "Trace Event Format", public document of the Chromium project.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from npusim.launch import Event, Run
from npusim.profile.spans import PIPES

THREADS = {pipe: index for index, pipe in enumerate(PIPES)}


def trace(run: Run) -> dict[str, Any]:
    """The whole trace as one JSON object."""
    events = run.events()
    us_per_cycle = 1 / (run.execution.chip.clock_ghz * 1e3)
    rows = sorted({(e.core, THREADS[e.pipe]) for e in events})
    sources = [w.text.strip() for w in run.execution.program.locations]
    return {
        "displayTimeUnit": "ns",
        "otherData": {
            "kernel": run.kernel, "chip": run.chip, "blocks": run.blocks,
            "cache": run.cache, "code": run.code,
            "cycles": run.cycles, "launch_cycles": run.timing.launch_cycles,
        },
        "traceEvents": [
            *_names(rows), *(_complete(e, us_per_cycle, sources) for e in events),
        ],
    }  # fmt: skip


def _names(rows: Iterable[tuple[int, int]]) -> list[dict[str, Any]]:
    """Metadata: what the viewer calls each core and pipe, and their order."""
    named = []
    for core in sorted({core for core, _ in rows}):
        named.append(_metadata("process_name", core, 0, {"name": f"core {core}"}))
        named.append(_metadata("process_sort_index", core, 0, {"sort_index": core}))
    for core, thread in rows:
        label, order = {"name": PIPES[thread]}, {"sort_index": thread}
        named.append(_metadata("thread_name", core, thread, label))
        named.append(_metadata("thread_sort_index", core, thread, order))
    return named


def _metadata(
    name: str, core: int, thread: int, arguments: dict[str, Any]
) -> dict[str, Any]:
    return {"ph": "M", "name": name, "pid": core, "tid": thread, "args": arguments}


def _complete(event: Event, us_per_cycle: float, sources: list[str]) -> dict[str, Any]:
    return {
        "ph": "X",
        "name": event.name,
        "cat": event.pipe,
        "pid": event.core,
        "tid": THREADS[event.pipe],
        "ts": round(event.start_cycle * us_per_cycle, 6),
        "dur": round((event.end_cycle - event.start_cycle) * us_per_cycle, 6),
        "args": {
            "block": event.block,
            "line": event.line,
            "source": sources[event.where],
            "nbytes": event.nbytes,
            "wait": event.wait,
            "start_cycle": event.start_cycle,
            "end_cycle": event.end_cycle,
        },
    }


def trace_json(run: Run) -> str:
    """The trace as compact JSON text."""
    return json.dumps(trace(run), ensure_ascii=False, separators=(",", ":"))
