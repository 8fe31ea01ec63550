"""The result is the expected one but for a number: a factor, a term, a rounding."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

import ml_dtypes
import numpy as np

from npusim.check.wrong.compare import Case
from npusim.check.wrong.suspect import Suspect, Trial, function

_NEAR = 64  # times the absolute tolerance, and
_NEAR_SHARE = 0.02  # of the value: up to there a result is called inexact, not wrong
_ROWS = 3  # elements of a row, and rows, that have to agree
_VALUES = 16  # values that have to be of a shorter type
RELATIONS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "sqrt(expected)": np.sqrt,
    "expected^2": np.square,
    "1 / expected": lambda x: 1 / x,
    "abs(expected)": np.abs,
    "max(expected, 0)": lambda x: np.maximum(x, 0),
    "exp(expected)": np.exp,
    "ln(expected)": np.log,
    "1 - expected": lambda x: 1 - x,
    "trunc(expected)": np.trunc,
    "floor(expected)": np.floor,
    "rint(expected)": np.rint,
    "expected limited to ±65504": lambda x: np.clip(x, -65504, 65504),
    "expected with Inf beyond 65504": lambda x: np.where(
        np.abs(x) > 65504, np.copysign(np.inf, x), x
    ),
}


def find(trial: Trial) -> Iterator[Suspect]:
    """The first kind of number that explains the result."""
    rules = (
        _overflow, _factor, _term, _relation, _missing, _of_input, _row_factor,
        _row_term, _rounded,
    )  # fmt: skip
    for rule in rules:
        found = list(rule(trial.part))
        if found:
            yield found[0]
            return


def _usable(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Finite pairs (got, expected) at wrong elements."""
    got, expected = case.got[case.judged], case.expected[case.judged]
    fine = np.isfinite(got) & np.isfinite(expected)
    return got[fine], expected[fine]


def _overflow(case: Case) -> Iterator[Suspect]:
    """Inf or NaN where the expected numbers are the largest, right elsewhere."""
    got, expected = case.got[case.judged], np.abs(case.expected[case.judged])
    right = np.abs(case.expected[~case.wrong])
    largest = right[np.isfinite(right)].max(initial=0.0)
    lost = not np.isfinite(got).any() and np.isinf(got).any()
    if len(got) and lost and np.isfinite(expected).all() and expected.min() > largest:
        yield function("overflow", count=len(got), least=f"{expected.min():.6g}")


def _of_input(case: Case) -> Iterator[Suspect]:
    """The result is an input times a number, plus a number."""
    for name, array in case.inputs.items():
        if array.shape != case.got.shape or not case.has_evidence(2):
            continue
        x, y = array[case.judged], case.got[case.judged]
        low, high = int(np.argmin(x)), int(np.argmax(x))
        if not x[high] > x[low]:
            continue
        factor = (y[high] - y[low]) / (x[high] - x[low])
        term = y[low] - factor * x[low]
        if factor and case.explains(factor * array + term):
            sign = "+" if term >= 0 else "-"
            more = f" {sign} {abs(term):.6g}" if abs(term) > case.atol else ""
            yield function("sibling", found=f"{factor:.6g} * {name}{more}")


def _factor(case: Case) -> Iterator[Suspect]:
    got, expected = _usable(case)
    if not len(expected) or not np.abs(expected).max():
        return
    at = int(np.argmax(np.abs(expected)))
    factor = float(got[at] / expected[at])
    if factor and case.explains(case.expected * factor):
        shown, known = f"{factor:.6g}", factor_name(factor, case)
        if known is None and not case.has_evidence(1):
            return
        yield function("factor", factor=shown, known=known if known != shown else None)


def factor_name(factor: float, case: Case) -> str | None:
    """What a factor is known as, for the sizes of this case."""
    named = {
        "-1": -1.0, "2": 2.0, "1/2": 0.5, "log2(e)": 1 / math.log(2),
        "log10(e)": 1 / math.log(10), "ln(2)": math.log(2), "ln(10)": math.log(10),
        "sqrt(2)": math.sqrt(2), "1/sqrt(2)": math.sqrt(0.5),
    }  # fmt: skip
    shapes = [case.got.shape, *(array.shape for array in case.inputs.values())]
    for n in sorted({n for shape in shapes for n in (*shape, math.prod(shape))}):
        if n > 1:
            named |= {
                f"{n}": n, f"1/{n}": 1 / n, f"{n}/{n - 1}": n / (n - 1),
                f"{n - 1}/{n}": (n - 1) / n, f"sqrt({n})": math.sqrt(n),
                f"1/sqrt({n})": 1 / math.sqrt(n),
                f"sqrt({n}/{n - 1})": math.sqrt(n / (n - 1)),
                f"sqrt({n - 1}/{n})": math.sqrt((n - 1) / n),
            }  # fmt: skip
    near = max(case.rtol, 1e-5)
    for name, value in named.items():
        if abs(factor - value) <= near * abs(value):
            return name
    return None


def _term(case: Case) -> Iterator[Suspect]:
    got, expected = _usable(case)
    if len(got):
        term = float(np.median(got - expected))
        fits = case.has_evidence(1) and case.explains(case.expected + term)
        if term and fits:
            yield function("term", term=f"{term:.6g}")


def _relation(case: Case) -> Iterator[Suspect]:
    for name, relation in RELATIONS.items():
        if case.explains(relation(case.expected)):
            yield function("relation", relation=name)


def _missing(case: Case) -> Iterator[Suspect]:
    """An input that was left out, or came in twice."""
    for name, array in case.inputs.items():
        try:
            array = np.broadcast_to(array, case.got.shape)
        except ValueError:
            continue
        trials = {
            f"expected - {name}": case.expected - array,
            f"expected + {name}": case.expected + array,
            f"expected / {name}": case.expected / array,
            f"expected * {name}": case.expected * array,
        }
        for formula, guess in trials.items():
            if case.explains(guess):
                yield function("relation", relation=formula)


def _by_row(case: Case, values: np.ndarray) -> bool:
    """Whether `values` are constant in every row, and not the same in all."""
    if case.got.ndim < 2 or case.got.shape[-1] < _ROWS or not case.written.all():
        return False
    table = values.reshape(-1, case.got.shape[-1])
    if len(table) < _ROWS or not np.isfinite(table).all():
        return False
    first = np.median(table, axis=1, keepdims=True)
    return bool(case.close(table, first).all())


def _row_factor(case: Case) -> Iterator[Suspect]:
    if (np.abs(case.expected) > case.atol).all() and np.isfinite(case.got).all():
        ratio = case.got / case.expected
        factors = ratio.reshape(-1, ratio.shape[-1])[:, 0] if ratio.ndim else ratio
        if _by_row(case, ratio) and factors.all():
            yield function("row_factor", factor=f"{float(factors.flat[0]):.6g}")


def _row_term(case: Case) -> Iterator[Suspect]:
    if _by_row(case, case.got - case.expected):
        first = float((case.got - case.expected).flat[0])
        yield function("row_term", term=f"{first:.6g}")


def _rounded(case: Case) -> Iterator[Suspect]:
    """Float results that are all values of a shorter type, near the expected ones."""
    got, expected = _usable(case)
    if case.dtype.name != "float32" or len(np.unique(got)) < _VALUES:
        return
    for name, kind in (("half", np.float16), ("bfloat16", ml_dtypes.bfloat16)):
        short = got.astype(kind).astype(np.float64)
        room = 8 * float(ml_dtypes.finfo(kind).eps)
        near = np.abs(got - expected) <= room * np.abs(expected) + case.atol
        if (short == got).all() and near.mean() > 0.9:
            yield function("rounded", dtype=name)


def find_near(trial: Trial) -> Iterator[Suspect]:
    """Nothing else fits, but no element is far off: lost precision."""
    case = trial.case
    got, expected = _usable(case)
    if len(got) < case.judged.sum() or not case.rtol:
        return
    error = np.abs(got - expected)
    times = error / (case.atol + case.rtol * np.abs(expected))
    if (error <= _NEAR * case.atol + _NEAR_SHARE * np.abs(expected)).all():
        error = error / np.maximum(np.abs(expected), case.atol)
        yield function(
            "precision", times=f"{times.max():.2g}", error=f"{error.max():.2g}"
        )
