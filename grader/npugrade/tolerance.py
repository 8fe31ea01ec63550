"""When is an output accurate enough: mean and maximum relative error by dtype.

The rule is that of the public benchmark specification hicann/cann-bench
(docs/spec/benchmark_spec.md; thresholds in `tolerance.toml`): relative error
|a − g| / (|g| + 1e-7) against a golden in double precision, MERE its mean, MARE its
maximum. Below a small-value bound, errors above an absolute unit are counted instead,
and twice as many as a same-precision reference makes are allowed (two where it makes
none). NaN and ±Inf must stand where the golden, rounded to the dtype, has them.
Dtypes without a row (integers) must be exact. A task may instead allow an absolute or
relative error a element (`Close`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np

from npugrade.taskparts import Close

RULES = ("mere-mare", "exact")


@dataclass(frozen=True)
class Finding:
    """Which region failed (`nan inf mere mare small exact close`), the first
    or worst flat index, what stands there and what should."""

    region: str
    index: int
    got: float
    expected: float
    measured: float
    allowed: float


@cache
def thresholds() -> Mapping[str, Mapping[str, float]]:
    """Rows of the specification by dtype name."""
    file = resources.files("npugrade").joinpath("tolerance.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def compare(
    rule: str | Close,
    dtype: str,
    actual: np.ndarray,
    golden: np.ndarray,
    reference: np.ndarray,
) -> Finding | None:
    """The first region of `actual` that fails, or None.

    `golden`: float64. `reference`: the same function computed in the actual's dtype.
    """
    flat = tuple(np.asarray(a).reshape(-1) for a in (actual, golden, reference))
    if rule == "exact" or dtype not in thresholds():
        a, _, r = flat
        return _exact(a, r)
    if isinstance(rule, Close):
        return _close(rule, *flat[:2])
    return _mere_mare(thresholds()[dtype], *flat)


def _exact(actual: np.ndarray, reference: np.ndarray) -> Finding | None:
    same = (actual == reference) | ((actual != actual) & (reference != reference))
    wrong = ~same
    return _first("exact", wrong, actual, reference, float(wrong.sum()), 0.0)


def _close(rule: Close, actual: np.ndarray, golden: np.ndarray) -> Finding | None:
    with np.errstate(all="ignore"):
        rounded = golden.astype(actual.dtype).astype(np.float64)
        a, finite = actual.astype(np.float64), np.isfinite(rounded)
        error = np.where(finite, np.abs(a - golden), 0.0)
        allowed = np.maximum(rule.absolute, rule.relative * np.abs(golden))
        wrong = finite & ~(error <= allowed)
        return (
            _first("nan", np.isnan(a) != np.isnan(rounded), a, rounded)
            or _first("inf", _inf_differs(a, rounded), a, rounded)
            or _first("close", wrong, a, golden, float(wrong.sum()))
        )


def _mere_mare(
    row: Mapping[str, float],
    actual: np.ndarray,
    golden: np.ndarray,
    reference: np.ndarray,
) -> Finding | None:
    with np.errstate(all="ignore"):
        rounded = golden.astype(actual.dtype).astype(np.float64)
        a = actual.astype(np.float64)
        r = reference.astype(np.float64)
        finite = np.isfinite(rounded)
        return (
            _first("nan", np.isnan(a) != np.isnan(rounded), a, rounded)
            or _first("inf", _inf_differs(a, rounded), a, rounded)
            or _normal(row, a, golden, finite & (np.abs(golden) >= row["small"]))
            or _small(row, a, golden, r, finite & (np.abs(golden) < row["small"]))
        )


def _inf_differs(a: np.ndarray, g: np.ndarray) -> np.ndarray:
    return (np.isinf(a) | np.isinf(g)) & (a != g)


def _normal(
    row: Mapping[str, float], a: np.ndarray, g: np.ndarray, where: np.ndarray
) -> Finding | None:
    if not where.any():
        return None
    relative = np.where(where, np.abs(a - g) / (np.abs(g) + row["epsilon"]), 0.0)
    worst = int(np.argmax(relative))
    mean = float(relative.sum() / where.sum())
    for region, measured in (("mare", float(relative[worst])), ("mere", mean)):
        if not measured < row[region]:
            return Finding(
                region, worst, float(a[worst]), float(g[worst]), measured, row[region]
            )
    return None


def _small(
    row: Mapping[str, float],
    a: np.ndarray,
    g: np.ndarray,
    r: np.ndarray,
    where: np.ndarray,
) -> Finding | None:
    wrong = where & (np.abs(a - g) > row["unit"])
    reference_wrong = int((where & (np.abs(r - g) > row["unit"])).sum())
    allowed = 2 * reference_wrong or 2
    if int(wrong.sum()) <= allowed:
        return None
    return _first("small", wrong, a, g, float(wrong.sum()), float(allowed))


def _first(
    region: str,
    wrong: np.ndarray,
    a: np.ndarray,
    g: np.ndarray,
    measured: float = 1.0,
    allowed: float = 0.0,
) -> Finding | None:
    if not wrong.any():
        return None
    index = int(np.argmax(wrong))
    return Finding(region, index, float(a[index]), float(g[index]), measured, allowed)
