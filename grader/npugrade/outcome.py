"""What a trusted checker or world finds out about an answer, and how it refuses one."""

from __future__ import annotations

from dataclasses import dataclass

from npugrade.messages import say


@dataclass(frozen=True)
class Outcome:
    """A right answer's `cost` (whole number, less is better) and the `floor` that no
    answer can go below, in the unit of the checker."""

    cost: int
    floor: int


class Refused(Exception):
    """An answer or a request that is wrong. `code` names the message, `text` says it;
    of a hidden case only `kind` is said, which holds no number."""

    def __init__(self, key: str, **facts: object):
        self.code, self.text = key, say(key, **facts)
        self.kind = say(f"{key}.kind")
        super().__init__(self.text["en"])
