"""The profiler's tables as CSV text; columns are msprof's, in `msprof.toml`.

A quantity that the simulator does not have is `NA`, as msprof writes it; nothing is
invented to fill a column.
"""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

from npusim.launch import Run

COLUMNS: Mapping[str, list[str]] = {
    name: table["columns"]
    for name, table in tomllib.loads(
        files("npusim.profile").joinpath("msprof.toml").read_text(encoding="utf-8")
    ).items()
}


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


def csv_text(name: str, rows: Iterable[Mapping[str, Any]]) -> str:
    """`rows` under the columns of table `name`; what a row lacks is `NA`."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS[name], restval="NA", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
