"""Some programs of a driven task once more, alone, on what they were told before.

A program whose requests follow from its own arguments and answers alone asks the same
again. One that had read what another program left in memory does not, where that other
program does not run. Left out: programs that draw random numbers without a seed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from npugrade.outcome import Outcome, Refused


@dataclass
class Story:
    """What one program was given, asked, was told, and answered, in order."""

    arguments: tuple[Any, ...]
    requests: list[tuple[str, Any]] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    end: Any = None

    def asked(self, name: str, arguments: Any) -> None:
        self.requests.append((name, arguments))

    def told(self, value: Any) -> None:
        self.answers.append(value)

    def ended(self, answer: Any) -> None:
        self.end = answer


class Repeat:
    """A world that repeats `stories`; Refused with `key` where a program differs."""

    def __init__(self, stories: Sequence[Story], proxy: str, key: str):
        self._stories, self.proxy, self._key = stories, proxy, key
        self.programs = len(stories)
        self._at = [0] * self.programs
        self._ready: deque[tuple[int, Any]] = deque()

    def arguments(self, program: int) -> tuple[Any, ...]:
        return self._stories[program].arguments

    def request(self, program: int, name: str, arguments: list[Any]) -> None:
        story, at = self._stories[program], self._at[program]
        if at >= len(story.answers) or not same(story.requests[at], (name, arguments)):
            raise self.differs()
        self._ready.append((program, story.answers[at]))
        self._at[program] += 1

    def finished(self, program: int, answer: Any) -> None:
        story = self._stories[program]
        if self._at[program] != len(story.answers) or not same(story.end, answer):
            raise self.differs()

    def differs(self) -> Refused:
        """What is said of a program that does not do the same again."""
        return Refused(self._key)

    def next(self) -> tuple[int, Any] | None:
        return self._ready.popleft() if self._ready else None

    also = next

    def outcome(self) -> Outcome:
        return Outcome(0, 0)

    def repeats(self) -> list[Repeat]:
        return []


def same(one: Any, other: Any) -> bool:
    """Equal in type and value; arrays to the bit."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        alike = (one.dtype, one.shape) == (other.dtype, other.shape)
        return alike and one.tobytes() == other.tobytes()
    if type(one) is not type(other):
        return False
    if isinstance(one, list | tuple):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(same(a, b) for a, b in pairs)
    return bool(one == other or (one != one and other != other))
