"""cast: every pair, every mode, against exact rational arithmetic."""

import itertools
import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vector_oracle import AREA, codes, launch, numbers, result_of, same

from npusim.lang.types import DTYPES
from npusim.lang.vector_checks import CAST_PAIRS, cast_route, round_modes

CASES = [
    (src, dst, mode)
    for dst, src in sorted(CAST_PAIRS)
    for mode in round_modes(dst, src)
]
LARGEST = {"half": 65504.0, "bfloat16": float(ml_dtypes.finfo(ml_dtypes.bfloat16).max)}


def whole(exact, mode):
    """An exact number rounded to an integer."""
    low = math.floor(exact)
    if exact == low:
        return low
    half = exact - low
    choose = {
        "FLOOR": low, "CEIL": low + 1, "TRUNC": low if exact > 0 else low + 1,
        "ROUND": low + (half > Fraction(1, 2) or half == Fraction(1, 2) and exact > 0),
    }  # fmt: skip
    even = low + (half > Fraction(1, 2) or half == Fraction(1, 2) and low % 2)
    return choose.get(mode, int(even))


def to_integer(value, dst, mode):
    info = np.iinfo(dst.numpy)
    if value != value:
        return 0
    if value in (np.inf, -np.inf):
        return info.max if value > 0 else info.min
    exact = value if isinstance(value, int) else Fraction(float(value))
    return min(max(whole(exact, mode), info.min), info.max)


def finite_values(dst):
    """All finite numbers of a 16-bit type, sorted."""
    bits = np.arange(1 << 16, dtype=np.uint32).astype(np.uint16).view(dst.numpy)
    with np.errstate(invalid="ignore"):
        values = bits.astype(np.float64)
    return np.unique(values[np.isfinite(values)])


def neighbours(exact, dst):
    """(largest number ≤ exact, smallest ≥ exact) of a floating type."""
    kind = dst.numpy.type
    with np.errstate(over="ignore"):
        guess = kind(float(exact))
    if dst.name == "float32":
        below = (
            np.nextafter(guess, kind(-np.inf))
            if Fraction(float(guess)) > exact
            else guess
        )
        above = (
            np.nextafter(guess, kind(np.inf))
            if Fraction(float(guess)) < exact
            else guess
        )
        return Fraction(float(below)), Fraction(float(above))
    grid = GRIDS[dst.name]
    i = np.searchsorted(grid, float(exact), "right") - 1  # sources are exact in double
    below = Fraction(float(grid[i])) if i >= 0 else None
    if below == exact:
        return below, below
    above = Fraction(float(grid[i + 1])) if i + 1 < len(grid) else None
    return below, above


GRIDS = {name: finite_values(DTYPES[name]) for name in LARGEST}


def to_float(value, dst, mode):
    if isinstance(value, (float, np.floating)) and not np.isfinite(value):
        return dst.numpy.type(value)
    exact = Fraction(value)
    negative = exact < 0 or (value == 0 and math.copysign(1, value) < 0)
    below, above = neighbours(abs(exact), dst)
    step = 2 ** (16 if dst.name == "half" else 128)  # what would follow the largest
    top = above if above is not None else Fraction(step)
    if below == top or mode == "TRUNC":
        chosen = below
    elif mode in ("FLOOR", "CEIL"):
        chosen = top if (mode == "CEIL") != negative else below
    elif mode == "ROUND":
        chosen = top if abs(exact) - below >= top - abs(exact) else below
    elif mode == "ODD":
        chosen = below if is_odd(below, dst) else top
    else:
        nearer = abs(exact) - below - (top - abs(exact))
        chosen = top if nearer > 0 or nearer == 0 and is_odd(below, dst) else below
    size = math.inf if above is None and chosen == top else float(chosen)
    return dst.numpy.type(math.copysign(size, -1 if negative else 1))


def is_odd(value, dst):
    bits = np.array(float(value)).astype(dst.numpy).view(f"u{dst.itemsize}")
    return bool(bits & 1)


NEAR = [
    0.5, 1.5, 2.5, -0.5, -2.5, 126.5, 127.5, 255.5, 32767.5, 65520, 65519.9, 65536, 7e4,
    2049, 2051, 2.0**-25, 2.0**-26, 3.1e-8, 1e-8, 2147483520, 2.0**31, -(2.0**31),
    2.0**63, -(2.0**63), 3.4e38,
]  # fmt: skip


def values_of(src, seed):
    a = numbers(src, seed)
    if DTYPES[src].is_float:
        rng = np.random.default_rng(seed)
        near = np.array(NEAR)
        places = rng.integers(0, 200, len(near))
        with np.errstate(over="ignore"):
            a[places] = near.astype(a.dtype)
            ordinary = rng.normal(scale=100, size=60).astype(np.float32)
            a[200:260] = ordinary.astype(a.dtype)
    return a


@pytest.mark.parametrize("src, dst, mode", CASES, ids=["-".join(c) for c in CASES])
@settings(max_examples=2, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_cast_is_exactly_rounded(src, dst, mode, seed):
    a, target = values_of(src, seed), DTYPES[dst]
    count = 260
    d = np.zeros(AREA // target.itemsize, target.numpy)
    result = result_of(f"asc.cast(d, a, asc.RoundMode.CAST_{mode}, {count})", a, a, d)
    plain = [v.item() if a.dtype.kind in "iuf" else float(v) for v in a[:count]]
    if target.is_float and src == dst:
        expected = [
            math.copysign(whole(Fraction(v), mode), v) if np.isfinite(v) else v
            for v in plain
        ]
    else:
        convert = to_float if target.is_float else to_integer
        expected = [convert(v, target, mode) for v in plain]
    same(result[:count], np.array(expected, target.numpy))
    assert (result[count:] == 0).all()


@pytest.mark.parametrize("src, dst", [("half", "float32"), ("float32", "half")])
def test_cast_by_masks_fills_repeats_of_the_wider_type(src, dst):
    a = numbers(src, 5, scale=1)
    d = np.zeros(AREA // DTYPES[dst].itemsize, DTYPES[dst].numpy)
    mode = "CAST_NONE"
    dense = result_of(f"asc.cast(d, a, asc.RoundMode.{mode}, 192)", a, a, d)
    same(result_of(f"asc.cast(d, a, asc.RoundMode.{mode}, 64, 3)", a, a, d), dense)
    half, full = ("src", "dst") if src == "half" else ("dst", "src")
    params = f"asc.UnaryRepeatParams({half}_rep_stride=4, {full}_rep_stride=8)"
    same(
        result_of(f"asc.cast(d, a, asc.RoundMode.{mode}, 64, 3, {params})", a, a, d),
        dense,
    )


def test_saturating_mode_and_counts():
    a = np.full(AREA // 4, 1e6, np.float32)
    d = np.zeros(AREA // 2, np.float16)
    body = "asc.cast(d, a, asc.RoundMode.CAST_RINT, 10)"
    result, execution = launch(body, a, a, d)
    assert np.isinf(result[:10]).all() and codes(execution) == ["ASC-NUM-33"]
    result, execution = launch(body, a, a, d, overflow="saturate")
    assert (result[:10] == 65504).all() and codes(execution) == ["ASC-NUM-33"]
    integers = np.zeros(AREA // 2, np.int16)
    result, execution = launch(body, a, a, integers, blocks=1)
    assert (result[:10] == 32767).all()
    assert [d.facts["count"] for d in execution.findings] == [10]
    infinite = np.full(AREA // 4, np.inf, np.float32)
    assert codes(launch(body, infinite, infinite, d)[1]) == []


def test_routes_between_types():
    for src, dst in itertools.permutations(DTYPES, 2):
        route = cast_route(src, dst)
        assert all((b, a) in CAST_PAIRS for a, b in itertools.pairwise(route))
        assert not route or (route[0], route[-1]) == (src, dst)
    assert cast_route("int8", "int32") == ("int8", "half", "int32")
    assert cast_route("float32", "int8") == ("float32", "half", "int8")
    assert cast_route("uint32", "half") == ()
