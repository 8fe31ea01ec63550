"""Append-only files of the state folder: one JSON object a line.

A line is written by one call and brought to the disk, so that a crash loses at most the
line it interrupts, and two sessions do not mix their lines. A line cut short by a
crash or a full disk is closed before the next one is added: it spoils only itself.
Readers pass over what they cannot read, and it stays.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

Row = TypeVar("Row")


def append(path: Path, data: Mapping[str, Any]) -> bool:
    """Add `data` as a line; False where it cannot be written (whole)."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"
    line = text.encode("utf-8", errors="replace")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            line = line if _ends_whole(handle) else b"\n" + line
            whole = os.write(handle, line) == len(line)
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError:
        return False
    return whole


def _ends_whole(handle: int) -> bool:
    """Whether the file is empty or its last line is closed."""
    nbytes = os.fstat(handle).st_size
    return nbytes == 0 or os.pread(handle, 1, nbytes - 1) == b"\n"


def rows(path: Path, read: Callable[[Any], Row]) -> list[Row]:
    """What `read` makes of each line, oldest first; [] where there is no file.

    A line is passed over if it is no JSON or `read` raises KeyError, TypeError,
    ValueError or AttributeError."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return []
    made = (parsed(line, read) for line in lines)
    return [row for row in made if row is not None]


def parsed(line: str, read: Callable[[Any], Row]) -> Row | None:
    """What `read` makes of one line; None if it cannot."""
    try:
        return read(json.loads(line))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        return None
