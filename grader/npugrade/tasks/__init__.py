"""Task files: `<task>.toml`, and `<task>.base.json` made from it by the build.

`load_task` reads one; a mistake in a file is a `TaskError` that names file, key and
what is wrong, one line for each mistake.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from npugrade.messages import Text
from npugrade.taskcross import mistakes
from npugrade.taskmodel import Task
from npugrade.taskwords import TaskError, found_by_pydantic, phrase

__all__ = ["FOLDER", "TaskError", "load_base", "load_task", "task_names"]

FOLDER = Path(__file__).parent


def task_names(folder: Path = FOLDER) -> tuple[str, ...]:
    """Ids of all tasks, sorted."""
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


def load_task(name: str, folder: Path = FOLDER) -> Task:
    """The task `name`; TaskError for an unknown name or a mistake in its file."""
    if name not in task_names(folder):
        known = ", ".join(task_names(folder)) or "none"
        raise TaskError(phrase("no-task", name=name, known=known))
    path = folder / f"{name}.toml"
    try:
        task = Task.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TaskError(phrase("file", file=path.name, why=error)) from None
    except ValidationError as error:
        raise TaskError(*_located(path.name, error)) from None
    found = mistakes(task, name)
    if found:
        raise TaskError(*(_placed(path.name, at, what) for at, what in found))
    return task


def _located(file: str, error: ValidationError) -> list[Text]:
    return [
        _placed(
            file, ".".join(map(str, e["loc"])) or "file", found_by_pydantic(dict(e))
        )
        for e in error.errors()
    ]


def _placed(file: str, at: str, what: Text) -> Text:
    return phrase("place", file=file, at=at, what=what)


def load_base(name: str, folder: Path = FOLDER) -> Mapping[str, Any]:
    """What the build measured: `cycles` by visible case, `starter` (a fingerprint).

    Empty before the first build. TaskError for a file that is not of this form.
    """
    path = folder / f"{name}.base.json"
    if not path.exists():
        return {"cycles": {}, "starter": ""}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return {"cycles": dict(data["cycles"]), "starter": str(data["starter"])}
    except (ValueError, KeyError, TypeError) as error:
        raise TaskError(phrase("base-file", file=path.name, why=repr(error))) from None
