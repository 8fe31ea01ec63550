"""What a trusted checker or world finds out about an answer, and how it refuses one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from npugrade.messages import Text, say


@dataclass(frozen=True)
class Outcome:
    """A right answer's `cost` (whole number, less is better) and the `floor` that no
    answer can go below, in the unit of the checker."""

    cost: int
    floor: int


class Refused(Exception):
    """An answer or a request that is wrong. `code` names the message, `text` says it;
    of a hidden case only `kind` is said, which holds no value of the case; it is the
    sentence `key`.kind if not given."""

    def __init__(self, key: str, /, **facts: Any):
        kind: Text | None = facts.pop("kind", None)
        self.code, self.text = key, say(key, **facts)
        self.kind = say(f"{key}.kind") if kind is None else kind
        super().__init__(self.text["en"])
