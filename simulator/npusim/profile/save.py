"""`run.save(folder)`: the run as files that other tools read."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from npusim.launch import Run
from npusim.profile.corefiles import core_files
from npusim.profile.csvfiles import csv_text, op_basic_info
from npusim.profile.tables import tables
from npusim.profile.trace import trace_json


def save(run: Run, folder: str | PathLike[str]) -> Path:
    """Write the profiler's CSV tables, trace.json and a folder a core; the path.

    Tables: OpBasicInfo and those of `tables.TABLES`, one row a block. A core's folder,
    as `core0.veccore0`, holds its time by source line and by instruction. The folder
    is made where it is missing; files of the same names are replaced.
    """
    path = Path(folder)
    contents = {
        "trace.json": trace_json(run),
        "OpBasicInfo.csv": csv_text("OpBasicInfo", op_basic_info(run)),
        **{f"{name}.csv": csv_text(name, rows) for name, rows in tables(run).items()},
        **core_files(run),
    }
    for name, text in contents.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text, encoding="utf-8", newline="\n")
    return path
