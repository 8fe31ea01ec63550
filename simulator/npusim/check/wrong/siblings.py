"""The result is a known function of the inputs, only not the one that was wanted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from npusim.check.wrong.compare import Case
from npusim.check.wrong.guesses import Guess, evaluate, guesses_of
from npusim.check.wrong.suspect import Suspect, Trial, function, layout

_SHOWN = 2


def wanted_of(case: Case) -> Guess | None:
    """The plainest known function that gives the expected result."""
    for guess in guesses_of(case):
        values = guess.values(case)
        if values is not None and case.close(values, case.expected).all():
            return guess
    return None


def find(trial: Trial) -> Iterator[Suspect]:
    """Functions that give the result, the closest first."""
    case = trial.part
    fits = list(_fitting(case))
    if not fits:
        return
    wanted = wanted_of(case)
    fits.sort(key=lambda pair: pair[0])
    shown: list[str] = []
    for _, guess in fits:
        if len(shown) < _SHOWN and not _said(guess.formula, shown):
            shown.append(guess.formula)
            turned = None if wanted else _turned_input(case, guess)
            yield turned or _suspect(guess, wanted)


def _turned_input(case: Case, guess: Guess) -> Suspect | None:
    """Whether the function that was computed gives what was expected if one input is
    read with rows and columns exchanged."""
    arrays = [case.inputs[name] for name in guess.names]
    for i, array in enumerate(arrays):
        for turned in _exchanges(array):
            changed = [*arrays[:i], turned, *arrays[i + 1 :]]
            values = evaluate(guess.function, changed, case.got.shape)
            if values is not None and case.close(values, case.expected).all():
                return layout("input_transpose", name=guess.names[i])
    return None


def _exchanges(array: np.ndarray) -> list[np.ndarray]:
    if array.ndim < 2:
        return []
    flat = array.reshape(*array.shape[:-2], array.shape[-1], array.shape[-2])
    return [np.swapaxes(array, -1, -2).reshape(array.shape), np.swapaxes(flat, -1, -2)]


def _said(formula: str, shown: list[str]) -> bool:
    """The same function with another epsilon is no news."""
    return formula.split(", eps")[0] in [text.split(", eps")[0] for text in shown]


def _suspect(guess: Guess, wanted: Guess | None) -> Suspect:
    facts = {"found": guess.formula, "wanted": wanted.formula if wanted else None}
    turned = "transpose" in guess.formula or "exchanged" in guess.formula
    if turned:
        return layout("product", **facts)
    swapped = wanted is not None and _exchanged(guess, wanted)
    return function("swapped" if swapped else "sibling", **facts)


def _exchanged(guess: Guess, wanted: Guess) -> bool:
    """Whether the formulas are the same but for the order of two operands."""
    if len(guess.names) != 2 or guess.names != wanted.names:
        return False
    return sorted(guess.formula) == sorted(wanted.formula)


def _fitting(case: Case) -> Iterator[tuple[float, Guess]]:
    """(largest error, guess) of each guess that is the result."""
    for guess in guesses_of(case):
        values = guess.values(case)
        if values is not None and case.explains(values):
            error = np.abs(values - case.got)[case.written]
            yield float(np.nanmax(error, initial=0.0)), guess
