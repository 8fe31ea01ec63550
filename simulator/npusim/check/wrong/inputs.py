"""The right function of wrong inputs: transposed, shifted, swapped, ignored, cut.

Needs the function: the caller's own, or the known one that gives the expected result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations

import numpy as np

from npusim.check.wrong.compare import Case
from npusim.check.wrong.guesses import Guess, evaluate
from npusim.check.wrong.siblings import wanted_of
from npusim.check.wrong.suspect import Suspect, Trial, function, layout
from npusim.check.wrong.writers import Writers

_STEPS = (1, -1, 2, -2, 8, -8, 16, -16)
_UNITS = (8, 16, 32, 64, 128, 256)
Change = Callable[[np.ndarray], np.ndarray]


def find(trial: Trial) -> Iterator[Suspect]:
    """Faults of one input, or of two, that give the result."""
    case = trial.part
    golden = trial.golden
    if golden is not None and not case.rows_only:
        wanted: Guess | None = Guess("", golden.names, golden.function)
    else:
        wanted = wanted_of(case)
    if wanted is None:
        return
    for rule in (_swapped, _repeated, _changed, _cut):
        found = list(rule(case, wanted, trial.writers))
        if found:
            yield found[0]
            return


def _values(case: Case, wanted: Guess, arrays: list[np.ndarray]) -> np.ndarray | None:
    return evaluate(wanted.function, arrays, case.got.shape)


def _arrays(case: Case, wanted: Guess) -> list[np.ndarray]:
    return [case.inputs[name] for name in wanted.names]


def _is_result(case: Case, guess: np.ndarray | None, all_of_it: bool = True) -> bool:
    if guess is None:
        return False
    return case.explains(guess) if all_of_it else case.explains_faults(guess)


def _swapped(case: Case, wanted: Guess, writers: Writers) -> Iterator[Suspect]:
    arrays = _arrays(case, wanted)
    for i, j in combinations(range(len(arrays)), 2):
        if arrays[i].size == arrays[j].size:
            changed = list(arrays)
            changed[i] = arrays[j].reshape(arrays[i].shape)
            changed[j] = arrays[i].reshape(arrays[j].shape)
            if _is_result(case, _values(case, wanted, changed)):
                names = wanted.names[i], wanted.names[j]
                yield function("exchanged", first=names[0], second=names[1])


def _repeated(case: Case, wanted: Guess, writers: Writers) -> Iterator[Suspect]:
    arrays = _arrays(case, wanted)
    for i, array in enumerate(arrays):
        for j, other in enumerate(arrays):
            if i == j or array.size != other.size:
                continue
            changed = [*arrays[:i], other.reshape(array.shape), *arrays[i + 1 :]]
            if _is_result(case, _values(case, wanted, changed)):
                yield function("repeated", name=wanted.names[j], lost=wanted.names[i])


def _changed(case: Case, wanted: Guess, writers: Writers) -> Iterator[Suspect]:
    arrays = _arrays(case, wanted)
    for i, array in enumerate(arrays):
        for suspect, change, whole in _changes(wanted.names[i], array, case, writers):
            changed = [*arrays[:i], change(array), *arrays[i + 1 :]]
            if _is_result(case, _values(case, wanted, changed), whole):
                yield suspect


def _changes(
    name: str, array: np.ndarray, case: Case, writers: Writers
) -> Iterator[tuple[Suspect, Change, bool]]:
    """(suspect, what it does to the input, whether it concerns all elements)."""
    if array.ndim >= 2:
        yield layout("input_transpose", name=name), _transposed, True
    if array.size > 1:
        first = function("first_only", name=name, part="[0]")
        yield first, lambda x: np.broadcast_to(x.ravel()[0], x.shape), True
    if array.ndim >= 2:
        row = function("first_only", name=name, part="[0, :]")
        yield row, lambda x: np.broadcast_to(x[:1], x.shape), True
    yield function("ignored", name=name, value=0), np.zeros_like, True
    yield function("ignored", name=name, value=1), np.ones_like, True
    for step in _steps(array, case, writers):
        shift = layout("input_shifted", name=name, offset=step)
        yield shift, partial(_rolled, step=step), False


def _transposed(x: np.ndarray) -> np.ndarray:
    """What a kernel sees that reads `x` as if rows and columns were exchanged."""
    return np.swapaxes(x, -1, -2).reshape(x.shape)


def _rolled(x: np.ndarray, step: int) -> np.ndarray:
    """`x` read `step` elements further; what lies outside is unknown (NaN)."""
    flat = np.full(x.size, np.nan)
    if step >= 0:
        flat[: max(0, x.size - step)] = x.ravel()[step:]
    else:
        flat[-step:] = x.ravel()[:step]
    return flat.reshape(x.shape)


def _steps(array: np.ndarray, case: Case, writers: Writers) -> list[int]:
    """Ways to shift by: a few elements, a row, a tile."""
    if array.size != case.got.size or case.rows_only:
        return []
    lengths = {array.shape[-1]} if array.ndim > 1 else set()
    tiles = np.flatnonzero(np.diff(writers.tiles())) + 1
    lengths |= {int(tiles[0])} if len(tiles) else set()
    wide = [sign * length for length in sorted(lengths) for sign in (-1, 1)]
    return [step for step in (*_STEPS, *wide) if abs(step) < array.size]


def _cut(case: Case, wanted: Guess, writers: Writers) -> Iterator[Suspect]:
    """Only a whole number of units of every row was used, or zeros besides."""
    arrays = _arrays(case, wanted)
    for i, array in enumerate(arrays):
        width = array.shape[-1] if array.ndim else 0
        for unit in _UNITS if width % 8 or width % 256 else ():
            name = wanted.names[i]
            kept, filled = width // unit * unit, -(-width // unit) * unit
            if 0 < kept < width:
                part = [*arrays[:i], array[..., :kept], *arrays[i + 1 :]]
                if _is_result(case, _values(case, wanted, part)):
                    yield function("cut", name=name, count=kept, width=width)
            if filled > width:
                more = np.zeros((*array.shape[:-1], filled - width))
                whole = np.concatenate([array, more], axis=-1)
                padded = [*arrays[:i], whole, *arrays[i + 1 :]]
                if _is_padded(case, _values(case, wanted, padded)):
                    yield function("padded", name=name, count=filled, width=width)


def _is_padded(case: Case, guess: np.ndarray | None) -> bool:
    """As `_is_result`, also for results that are all one number: a maximum of 0."""
    if guess is None or _is_result(case, guess):
        return guess is not None
    differs = not case.close(guess, case.expected)[case.judged].any()
    return differs and bool(case.close(case.got, guess)[case.written].all())
