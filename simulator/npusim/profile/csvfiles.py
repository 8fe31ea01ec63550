"""The profiler's tables: OpBasicInfo.csv and PipeUtilization.csv.

Columns are msprof's, in `msprof.toml`. A quantity that the simulator does not have is
`NA`, as msprof writes it; nothing is invented to fill a column. PipeUtilization has one
row a block: its pipes' busy time, over the time from the block's start to its end.
"""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

from npusim.launch import Run
from npusim.profile.counters import MSPROF_PIPES, gm_nbytes
from npusim.profile.spans import class_spans
from npusim.timing import TICKS_PER_CYCLE, ClassTiming

COLUMNS: Mapping[str, list[str]] = {
    name: table["columns"]
    for name, table in tomllib.loads(
        files("npusim.profile").joinpath("msprof.toml").read_text(encoding="utf-8")
    ).items()
}
_MOVERS = ("MTE2", "MTE3")


def op_basic_info(run: Run) -> list[dict[str, Any]]:
    """One row: the operator, its duration, its blocks, the clock in MHz."""
    megahertz = round(run.execution.chip.clock_ghz * 1000)
    return [{
        "Op Name": run.kernel,
        "Op Type": "vector",
        "Task Duration(us)": round(run.time_us, 6),
        "Block Dim": run.blocks,
        "Device Id": 0,
        "Current Freq": megahertz,
        "Rated Freq": megahertz,
    }]  # fmt: skip


def pipe_utilization(run: Run) -> list[dict[str, Any]]:
    """One row a block, in the order of blocks."""
    cycles_per_us = run.execution.chip.clock_ghz * 1e3
    table: list[dict[str, Any]] = []
    for part in run.timing.classes:
        row = _class_row(part, cycles_per_us)
        table += [{"block_id": int(block), **row} for block in part.blocks]
    return sorted(table, key=lambda row: row["block_id"])


def _class_row(part: ClassTiming, cycles_per_us: float) -> dict[str, Any]:
    spans = class_spans(part)
    total = max(part.end_ticks, default=0) / TICKS_PER_CYCLE
    moved = _moved(part)
    row: dict[str, Any] = {
        "sub_block_id": "vector0",
        "aiv_time(us)": round(total / cycles_per_us, 6),
        "aiv_total_cycles": round(total),
    }
    for pipe, name in MSPROF_PIPES.items():
        busy = spans[pipe].busy_cycles if pipe in spans else 0.0
        row[f"aiv_{name}_time(us)"] = round(busy / cycles_per_us, 6)
        row[f"aiv_{name}_ratio"] = round(busy / total, 6) if total else 0.0
        if pipe in _MOVERS and busy:
            rate = moved.get(pipe, 0) / (busy / cycles_per_us) / 1e3
            row[f"aiv_{name}_active_bw(GB/s)"] = round(rate, 6)
    return row


def _moved(part: ClassTiming) -> dict[str, int]:
    """GM bytes by pipe of one block."""
    total: dict[str, int] = {}
    for step in part.stream.steps():
        total[step.pipe] = total.get(step.pipe, 0) + gm_nbytes(step)
    return total


def csv_text(name: str, rows: Iterable[Mapping[str, Any]]) -> str:
    """`rows` under the columns of table `name`; what a row lacks is `NA`."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS[name], restval="NA", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
