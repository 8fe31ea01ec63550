"""Say a number before it is measured: the guess stands beside what the notebook found.

A prediction is remembered for `progress()` and never graded. `None` means "no guess
yet" and shows nothing of the answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from npucamp.journal import note
from npucamp.speech import say

CLOSE_RATIO = 1.25
_KEPT = 80  # characters of a guess that are remembered


@dataclass(frozen=True)
class Prediction:
    """What came of a guess: outcome is "waiting", "right", "close" or "wrong"; a guess
    of another kind than the answer is "number-wanted" or "word-wanted", and is no guess
    yet."""

    id: str
    guess: Any
    actual: Any
    outcome: str

    def __repr__(self) -> str:
        return say(
            f"predict-{self.outcome}",
            id=self.id,
            guess=_shown(self.guess),
            actual=_shown(self.actual),
            ratio=_ratio(self.guess, self.actual),
        )


def predict(
    id: str, guess: Any, actual: Any | Callable[[], Any], *, within: float = 0.0
) -> Prediction:
    """Compare `guess` with `actual` (a value, or a function that measures it).

    A number is right if it is at most `within` away (in the unit of `actual`; with a
    measured fraction also if it agrees in three digits), close if within a factor of
    1.25. A number in quotes counts as a number, and a word in any case of letters. With
    guess None nothing is measured. Never raises because of a wrong guess."""
    if guess is None:
        return Prediction(id, None, None, "waiting")
    value = actual() if callable(actual) else actual
    if missing := _wanted(guess, value):
        return Prediction(id, guess, None, missing)
    outcome = _outcome(_meant(guess, value), value, within)
    note("predict", id, outcome, _shown(guess)[:_KEPT])
    return Prediction(id, guess, value, outcome)


def _wanted(guess: Any, actual: Any) -> str | None:
    """The outcome of a guess whose kind cannot be compared with the answer's."""
    if isinstance(actual, str):
        return None if isinstance(guess, str) else "word-wanted"
    if isinstance(guess, str) and isinstance(_meant(guess, actual), str):
        return "number-wanted" if _is_number(actual) else None
    return None


def _meant(guess: Any, actual: Any) -> Any:
    """The guess as the answer's kind: "32" beside 32 is a number, "GeLU" is "gelu"."""
    if not isinstance(guess, str):
        return guess
    text = guess.strip()
    if isinstance(actual, bool):
        return {"true": True, "false": False}.get(text.casefold(), guess)
    if isinstance(actual, str):
        return actual if text.casefold() == actual.casefold() else guess
    try:
        return float(text.replace(",", "")) if _is_number(actual) else guess
    except ValueError:
        return guess


def _outcome(guess: Any, actual: Any, within: float) -> str:
    if not (_is_number(guess) and _is_number(actual)):
        return "right" if guess == actual else "wrong"
    digits = 0.0 if isinstance(actual, Integral) else 1e-3
    if abs(guess - actual) <= within or math.isclose(guess, actual, rel_tol=digits):
        return "right"
    ratio = _ratio(guess, actual)
    close = 1 / CLOSE_RATIO <= ratio <= CLOSE_RATIO
    return "close" if close else "wrong"


def _ratio(guess: Any, actual: Any) -> float:
    if not (_is_number(guess) and _is_number(actual)) or not guess:
        return 0.0
    return float(actual) / float(guess)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else repr(value)
