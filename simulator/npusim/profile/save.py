"""`run.save(folder)`: the run as files that other tools read."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from npusim.launch import Run
from npusim.profile.csvfiles import csv_text, op_basic_info, pipe_utilization
from npusim.profile.trace import trace_json


def save(run: Run, folder: str | PathLike[str]) -> Path:
    """Write trace.json, OpBasicInfo.csv and PipeUtilization.csv; the folder's path.

    The folder is made where it is missing; files of the same names are replaced.
    """
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    contents = {
        "trace.json": trace_json(run),
        "OpBasicInfo.csv": csv_text("OpBasicInfo", op_basic_info(run)),
        "PipeUtilization.csv": csv_text("PipeUtilization", pipe_utilization(run)),
    }
    for name, text in contents.items():
        (path / name).write_text(text, encoding="utf-8", newline="\n")
    return path
