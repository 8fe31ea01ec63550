"""Where things lie: the clone, the learner's workspace, the learner's own state.

`NPUCAMP_HOME` moves the state (attempts, progress); `WORK` and `--work` move the
workspace. Nothing here creates a folder.
"""

from __future__ import annotations

import os
from pathlib import Path

_MARKS = ("requirements.lock", "course", "simulator")


def find_repository() -> Path | None:
    """The clone that this package runs from, or that the current folder is in."""
    starts = (Path(__file__).resolve(), Path.cwd() / "here")
    for start in starts:
        for folder in start.parents:
            if all((folder / mark).exists() for mark in _MARKS):
                return folder
    return None


def repository() -> Path:
    """The clone; FileNotFoundError where this runs outside one."""
    found = find_repository()
    if found is None:
        raise FileNotFoundError(
            "this command needs a clone of NPU Camp: run it inside one "
            "(a folder with requirements.lock, course/ and simulator/)"
        )
    return found


def course_root() -> Path:
    """Where the built notebooks lie: the clone, else the installed package."""
    return find_repository() or Path(__file__).resolve().parent


def default_workspace() -> Path:
    """The folder in which a learner works, unless `WORK` or `--work` names another."""
    return Path(os.environ.get("WORK") or Path.home() / "npucamp").expanduser()


def state_home() -> Path:
    """The folder of attempts and progress: `$NPUCAMP_HOME`, else the platform's."""
    home = os.environ.get("NPUCAMP_HOME")
    if home:
        return Path(home).expanduser()
    import platformdirs

    return Path(platformdirs.user_data_dir("npucamp", appauthor=False))
