"""Banks that learners' draws are taken from: `<bank>.json` in this folder.

A bank is built from the sources of its assignment, which learners do not have. It maps
groups to items by id; what an item holds is the matter of the checker that reads it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def bank(name: str) -> Mapping[str, Any]:
    """The bank `name`: `groups` (ids by group) and `items` (by id).

    ValueError names the known banks where there is none of that name.
    """
    folder = files(__package__)
    known = sorted(
        entry.name.removesuffix(".json")
        for entry in folder.iterdir()
        if entry.name.endswith(".json")
    )
    if name not in known:
        raise ValueError(f"no bank {name!r}; known: {', '.join(known) or 'none'}")
    return json.loads((folder / f"{name}.json").read_text("utf-8"))


def bank_groups(name: str) -> Mapping[str, tuple[str, ...]]:
    """Ids of a bank by group, in order."""
    return {group: tuple(ids) for group, ids in bank(name)["groups"].items()}
