"""Every function of the inputs that a result might be, as guesses that can be computed.

A guess has a formula to show and a function of named inputs, so that the faults of
inputs (swapped, transposed, …) can be tried on the right function as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations, permutations

import numpy as np

from npusim.check.wrong import elementwise, rowwise
from npusim.check.wrong.compare import Case

_AFFINE_INPUTS = 4  # inputs up to which scales and offsets of rows are tried


@dataclass(frozen=True)
class Guess:
    """`formula` as shown; `function` of the inputs `names`, in this order."""

    formula: str
    names: tuple[str, ...]
    function: Callable[..., np.ndarray]

    def values(self, case: Case) -> np.ndarray | None:
        """The result this guess predicts; None where the shapes do not fit."""
        arrays = [case.inputs[name] for name in self.names]
        return evaluate(self.function, arrays, case.got.shape)


def evaluate(
    function: Callable[..., np.ndarray], arrays: list[np.ndarray], shape: tuple
) -> np.ndarray | None:
    """`function(*arrays)` in `shape`; None where the shapes do not fit."""
    with np.errstate(all="ignore"):
        try:
            result = np.asarray(function(*arrays), np.float64)
        except (ValueError, IndexError, TypeError, ZeroDivisionError):
            return None
    if result.size == int(np.prod(shape)):
        return result.reshape(shape)
    try:
        return np.broadcast_to(result, shape)
    except ValueError:
        return None


def guesses_of(case: Case) -> Iterator[Guess]:
    """All guesses for the inputs of `case`, the plainest first."""
    names = tuple(case.inputs)
    yield from _elementwise(names)
    for name in names:
        yield from _along(case, name)
    yield from _products(names)


def _elementwise(names: tuple[str, ...]) -> Iterator[Guess]:
    tables = (elementwise.UNARY, elementwise.BINARY, elementwise.TERNARY)
    for number, table in enumerate(tables, 1):
        for chosen in combinations(names, number):
            letters = dict(zip("abc", chosen, strict=False))
            for formula, function in table.items():
                yield Guess(formula.format(**letters), chosen, function)


def _axes(case: Case, array: np.ndarray) -> list[int | None]:
    """The axes to try, the last first; None: the flattened array."""
    first = 1 if case.rows_only else 0
    axes: list[int | None] = list(range(array.ndim - 1, first - 1, -1))
    return axes if case.rows_only or array.ndim < 2 else [*axes, None]


def _along(case: Case, name: str) -> Iterator[Guess]:
    array = case.inputs[name]
    for axis in _axes(case, array):
        label = _axis_label(axis, array.ndim)
        for table in (rowwise.SOFTMAXES, rowwise.REDUCTIONS, rowwise.RUNNING):
            for formula, along in table.items():
                text = formula.format(x=name) + label
                yield Guess(text, (name,), partial(_on_axis, along, axis))
        yield from _norms(case, name, axis, label)


def _axis_label(axis: int | None, ndim: int) -> str:
    if axis is None:
        return ", over all elements"
    return "" if axis == ndim - 1 else f", over axis {axis}"


def _on_axis(along: rowwise.Along, axis: int | None, x: np.ndarray) -> np.ndarray:
    if axis is None:
        return along(x.reshape(-1), 0)
    return along(x, axis)


def _norms(case: Case, name: str, axis: int | None, label: str) -> Iterator[Guess]:
    others = [other for other in case.inputs if other != name][:_AFFINE_INPUTS]
    for formula, norm in rowwise.NORMS.items():
        for eps in rowwise.EPSILONS:
            text = f"{formula.format(x=name)}{label}, eps = {eps:g}"
            base = partial(_normed, norm, axis, eps)
            yield Guess(text, (name,), base)
            for other in others:
                yield Guess(f"{text}, * {other}", (name, other), partial(_scaled, base))
                yield Guess(f"{text}, + {other}", (name, other), partial(_moved, base))
            for pair in permutations(others, 2):
                affine = f"{text}, * {pair[0]} + {pair[1]}"
                yield Guess(affine, (name, *pair), partial(_affine, base))


def _normed(
    norm: rowwise.Norm, axis: int | None, eps: float, x: np.ndarray
) -> np.ndarray:
    if axis is None:
        return norm(x.reshape(-1), 0, eps).reshape(x.shape)
    return norm(x, axis, eps)


def _scaled(base: Callable, x: np.ndarray, scale: np.ndarray) -> np.ndarray:
    return base(x) * scale


def _moved(base: Callable, x: np.ndarray, offset: np.ndarray) -> np.ndarray:
    return base(x) + offset


def _affine(
    base: Callable, x: np.ndarray, scale: np.ndarray, offset: np.ndarray
) -> np.ndarray:
    return base(x) * scale + offset


def _turned(x: np.ndarray) -> np.ndarray:
    """The memory of `x` read with rows and columns exchanged."""
    return x.reshape(*x.shape[:-2], x.shape[-1], x.shape[-2])


_PRODUCTS: dict[str, Callable[..., np.ndarray]] = {
    "{a} @ {b}": lambda x, y: x @ y,
    "{b} @ {a}": lambda x, y: y @ x,
    "transpose({a}) @ {b}": lambda x, y: np.swapaxes(x, -1, -2) @ y,
    "{a} @ transpose({b})": lambda x, y: x @ np.swapaxes(y, -1, -2),
    "transpose({a}) @ transpose({b})": lambda x, y: (
        np.swapaxes(x, -1, -2) @ np.swapaxes(y, -1, -2)
    ),
    "{a} (rows and columns exchanged) @ {b}": lambda x, y: _turned(x) @ y,
    "{a} @ {b} (rows and columns exchanged)": lambda x, y: x @ _turned(y),
}


def _products(names: tuple[str, ...]) -> Iterator[Guess]:
    for a, b in combinations(names, 2):
        for formula, product in _PRODUCTS.items():
            yield Guess(formula.format(a=a, b=b), (a, b), product)
