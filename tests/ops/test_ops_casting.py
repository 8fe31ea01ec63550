"""cast: every pair of dtypes, every round mode, against numpy."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from ops_oracle import CHIPS, equal, numbers, quiet

from npusim import asc, ops
from npusim.lang.types import DTYPES
from npusim.lang.vector_signatures import CAST_PAIRS
from npusim.ops.casting import CASTABLE, MODES, route

PAIRS = list(permutations(CASTABLE, 2))
ROUND = {
    "rint": np.rint, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc,
    "round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
}  # fmt: skip


def samples(name: str) -> np.ndarray:
    """Numbers of a dtype: random, its limits or, for floats, special values."""
    dtype = DTYPES[name].numpy
    random = numbers((301,), dtype, 100.0)
    if DTYPES[name].is_float:
        more = [0.5, 1.5, -2.5, 65504.0, -65504.0, 1e-7, np.inf, -np.inf, np.nan]
    else:
        more = [0, 1, np.iinfo(dtype).min, np.iinfo(dtype).max]
    return np.concatenate([random, np.array(more).astype(dtype)])


def to_integer(x: np.ndarray, dtype: np.dtype, mode: str) -> np.ndarray:
    """Rounded, then clamped in Python's integers; NaN gives 0."""
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    whole = x.astype(object) if x.dtype.kind in "iu" else ROUND[mode](x.astype(float))

    def clamp(value) -> int:
        return 0 if value != value else int(min(max(value, low), high))

    return np.array([clamp(v) for v in whole], dtype)


@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_every_pair(src, dst):
    x = samples(src)
    result = ops.cast(x, dst)
    if DTYPES[dst].is_float:
        with np.errstate(over="ignore"):
            golden = x.astype(np.float32).astype(DTYPES[dst].numpy)
    else:
        golden = to_integer(x, DTYPES[dst].numpy, "trunc")
    equal(result, golden)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("src", ["half", "bfloat16", "float32"])
@pytest.mark.parametrize("dst", ["int8", "uint8", "int16", "int32", "int64"])
def test_every_mode_towards_integers(src, dst, mode):
    x = samples(src)
    result = ops.cast(x, dst, mode)
    np.testing.assert_array_equal(result, to_integer(x, DTYPES[dst].numpy, mode))


@pytest.mark.parametrize("mode", ["floor", "ceil", "trunc"])
@pytest.mark.parametrize("src", ["float32", "int32", "int16", "int64"])
@pytest.mark.parametrize("dst", ["half", "bfloat16"])
def test_directed_modes_towards_floats_enclose_the_value(src, dst, mode):
    x = (samples(src) / 7 if src == "float32" else samples(src) // 7).astype(
        DTYPES[src].numpy
    )
    result = ops.cast(x, dst, mode).astype(np.float64)
    known = np.isfinite(result)
    found, exact = result[known], x[known].astype(np.float64)
    holds = {
        "floor": found <= exact,
        "ceil": found >= exact,
        "trunc": np.abs(found) <= np.abs(exact),
    }
    assert holds[mode].all()


@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_routes_are_chains_of_single_instructions(src, dst):
    path = route(src, dst)
    assert (path[0], path[-1]) == (src, dst)
    assert all(pair in CAST_PAIRS for pair in zip(path[1:], path, strict=False))


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("shape", [(), (1,), (0, 4), (7, 1009)])
def test_shapes_and_chips(shape, chip):
    x = numbers(shape, np.dtype("f4"))
    with asc.settings(chip=chip):
        np.testing.assert_array_equal(ops.cast(x, asc.half), x.astype(np.float16))
    quiet(ops.cast)


def test_the_same_dtype_is_a_copy_without_a_launch():
    x = numbers((5,), np.dtype("f4"))
    same = ops.cast(x, np.float32)
    assert same is not x
    np.testing.assert_array_equal(same, x)
    assert ops.cast.runs == ()


@pytest.mark.parametrize(
    ("attributes", "code"),
    [
        ({"dtype": "uint32"}, "ASC-OPS-03"),
        ({"dtype": "complex64"}, "ASC-OPS-03"),
        ({"dtype": "half", "round_mode": "up"}, "ASC-OPS-03"),
    ],
)
def test_what_cast_refuses(attributes, code):
    with pytest.raises(asc.KernelError) as caught:
        ops.cast(np.zeros(3, np.float32), **attributes)
    assert [d.code for d in caught.value.diagnostics] == [code]
