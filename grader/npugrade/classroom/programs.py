"""Programs that nbgrader calls by name are those of the environment that runs it."""

from __future__ import annotations

import os
import sysconfig


def scripts_first_on_path() -> None:
    """nbgrader calls `alembic` from PATH: find the one of this environment first."""
    scripts = sysconfig.get_path("scripts")
    parts = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if parts[0] != scripts:
        os.environ["PATH"] = os.pathsep.join([scripts, *parts])
