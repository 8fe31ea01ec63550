"""Verdicts that were given ahead of nbgrader, one file each, until it asks for them.

`npucamp grade` lets several judges work at once and keeps what they say below `judged/`
in the folder of the class. nbgrader then asks for one verdict after the other, finds it
here and stays the only one that writes the gradebook. The name of a file is a hash of
all that a verdict follows from: task, cells, seed, language and the grader's own files.
So a file is never mistaken, and what an interrupted grading left is used by the next.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import npugrade
import npusim
from npugrade.verdict import Verdict

FOLDER = "judged"
_SUFFIXES = (".py", ".toml", ".csv", ".json")


def key_of(
    task: str,
    texts: Sequence[tuple[str, str]],
    seed: str,
    language: str,
    student: str = "",
) -> str:
    """The name under which the verdict on these cells is kept."""
    whole = [
        task,
        [list(pair) for pair in texts],
        seed,
        language,
        student,
        _state_of_the_grader(),
    ]
    return hashlib.sha256(json.dumps(whole).encode()).hexdigest()


def has(folder: Path, key: str) -> bool:
    """Whether a verdict is kept in the class `folder`."""
    return _path(folder, key).is_file()


def keep(folder: Path, key: str, verdict: Verdict) -> None:
    """Keep a verdict; the file appears whole or not at all."""
    path = _path(folder, key)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    part = path.with_suffix(".part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        json.dump(verdict.to_json(), stream)
    part.replace(path)


def take(folder: Path, key: str) -> Verdict | None:
    """The kept verdict, which is then forgotten; None where there is none."""
    path = _path(folder, key)
    try:
        verdict = Verdict.from_json(json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        verdict = None  # half a file of another version: judged anew
    with suppress(OSError):
        path.unlink()
    return verdict


def _path(folder: Path, key: str) -> Path:
    return folder / FOLDER / f"{key}.json"


@cache
def _state_of_the_grader() -> list[Any]:
    """Names, sizes and times of the files that a verdict depends on."""
    return [
        [path.name, state.st_size, state.st_mtime_ns]
        for path in _files()
        for state in [path.stat()]
    ]


def _files() -> Iterable[Path]:
    for package in (npugrade, npusim):
        root = Path(str(package.__file__)).parent
        yield from (p for p in sorted(root.rglob("*")) if p.suffix in _SUFFIXES)
