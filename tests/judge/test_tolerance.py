"""The tolerance rule against its definition, computed here element by element."""

from __future__ import annotations

import math

import numpy as np
import pytest

from npugrade.tolerance import compare, thresholds

ROWS = {"half": np.float16, "float32": np.float32}


def plain(dtype, actual, golden, reference):
    """The rule of the specification in plain Python: the failing region or None."""
    row = thresholds()[dtype]
    errors, wrong, reference_wrong = [], 0, 0
    for a, g, r in zip(
        actual.tolist(), golden.tolist(), reference.tolist(), strict=True
    ):
        due = float(np.array(g).astype(actual.dtype))
        if math.isnan(a) != math.isnan(due):
            return "nan"
        if (math.isinf(a) or math.isinf(due)) and a != due:
            return "inf"
        if not math.isfinite(due):
            continue
        if abs(g) >= row["small"]:
            errors.append(abs(a - g) / (abs(g) + 1e-7))
        else:
            wrong += abs(a - g) > row["unit"]
            reference_wrong += abs(r - g) > row["unit"]
    if errors and not max(errors) < row["mare"]:
        return "mare"
    if errors and not sum(errors) / len(errors) < row["mere"]:
        return "mere"
    return "small" if wrong > (2 * reference_wrong or 2) else None


@pytest.mark.parametrize("dtype", ROWS)
@pytest.mark.parametrize("size", [1, 7, 300])
@pytest.mark.parametrize("spread", [0.0, 1e-4, 5e-4, 3e-3, 2e-2])
@pytest.mark.parametrize("scale", [1e-5, 1e-3, 1.0, 1e3])
def test_agrees_with_the_definition(dtype, size, spread, scale):
    generator = np.random.default_rng(size + int(1e5 * spread))
    golden = generator.normal(size=size) * scale
    noise = 1 + spread * generator.normal(size=size)
    actual = (golden * noise).astype(ROWS[dtype])
    reference = golden.astype(ROWS[dtype])
    found = compare("mere-mare", dtype, actual, golden, reference)
    due = plain(dtype, actual, golden, reference)
    assert (found.region if found else None) == due


@pytest.mark.parametrize(
    ("actual", "golden", "region"),
    [
        ([np.nan, 1], [np.nan, 1], None),
        ([np.nan, 1], [2, 1], "nan"),
        ([2, 1], [np.nan, 1], "nan"),
        ([np.inf, 1], [1e6, 1], None),  # 1e6 is Inf in half
        ([65504, 1], [1e6, 1], "inf"),
        ([-np.inf, 1], [np.inf, 1], "inf"),
        ([np.inf, 1], [3, 1], "inf"),
    ],
)
def test_special_values_must_stand_in_place(actual, golden, region):
    actual = np.array(actual, np.float16)
    golden = np.array(golden, np.float64)
    with np.errstate(over="ignore"):
        reference = golden.astype(np.float16)
    found = compare("mere-mare", "half", actual, golden, reference)
    assert (found.region if found else None) == region


def test_finding_names_the_worst_element():
    golden = np.ones(10)
    actual = golden.astype(np.float32)
    actual[7] = 2
    found = compare("mere-mare", "float32", actual, golden, actual)
    assert (found.region, found.index, found.got, found.expected) == ("mare", 7, 2, 1)


def test_exact_rule():
    a = np.array([1, 2, np.nan], np.float32)
    assert compare("exact", "float32", a, a, a) is None
    b = np.array([1, 3, np.nan], np.float32)
    assert compare("exact", "float32", b, a, a).index == 1


def test_thresholds_are_those_of_the_table():
    table = {"half": (10, 7, 11, 16), "bfloat16": (7, 4, 8, 16)}
    table["float32"] = (13, 10, 14, 30)
    for dtype, powers in table.items():
        row = thresholds()[dtype]
        values = (row["mere"], row["mare"], row["small"], row["unit"])
        assert values == tuple(2.0**-p for p in powers)
