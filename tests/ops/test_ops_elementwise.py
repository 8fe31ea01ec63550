"""Binary arithmetic against numpy: bit for bit where the device rounds once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops_oracle import (
    CHIPS,
    F32,
    FLOATS,
    close,
    equal,
    numbers,
    quiet,
    shapes,
    with_special,
)

from npusim import asc, ops

GOLDEN = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
    "maximum": np.maximum, "minimum": np.minimum,
}  # fmt: skip
INTEGERS = tuple(map(np.dtype, ("i4", "i2")))


def exact(name: str, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The result rounded once to the dtype; integers wrap."""
    if x.dtype.kind == "i":
        return GOLDEN[name](x, y)
    with np.errstate(all="ignore"):
        wide = GOLDEN[name](x.astype(np.float64), y.astype(np.float64))
        return wide.astype(np.float32).astype(x.dtype)


@pytest.mark.parametrize("name", list(GOLDEN))
@settings(max_examples=12)
@given(shape=shapes(), dtype=st.sampled_from((*FLOATS, *INTEGERS)))
def test_any_shape_and_dtype(name, shape, dtype):
    if name == "div" and dtype in INTEGERS:
        return
    x, y = numbers(shape, dtype), np.asarray(numbers((*shape, 2), dtype)[..., 1]).copy()
    op = getattr(ops, name)
    result = op(x, y)
    equal(result, exact(name, x, y))
    quiet(op, overflow=bool(np.isinf(result.astype(float)).any()))


@pytest.mark.parametrize("name", list(GOLDEN))
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_special_values(name, dtype):
    x = with_special(dtype)
    y = np.concatenate([x[3:], x[:3]])
    result = getattr(ops, name)(x, y)
    equal(result, exact(name, x, y))


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("name", list(GOLDEN))
def test_every_chip(name, chip):
    x, y = numbers((3, 683), F32), numbers((683, 3), F32).reshape(3, 683)
    with asc.settings(chip=chip):
        op = getattr(ops, name)
        close(op(x, y), GOLDEN[name](x.astype(float), y.astype(float)))
    assert op.run.chip == chip


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("name", ["add", "sub"])
@pytest.mark.parametrize("shape", [(), (1,), (7, 683), (100_003,)], ids=str)
def test_int64_carries_from_word_to_word(name, chip, shape):
    x = numbers(shape, np.dtype("i8"))
    y = np.asarray(numbers((*shape, 2), np.dtype("i8"))[..., 0]).copy()
    with asc.settings(chip=chip):
        equal(getattr(ops, name)(x, y), np.asarray(GOLDEN[name](x, y)))
    quiet(getattr(ops, name))


@pytest.mark.parametrize("name", ["add", "sub"])
def test_int64_at_the_ends_of_its_words(name):
    words = [0, 1, -1, 2**31, 2**32 - 1, 2**32, -(2**32), 2**63 - 1, -(2**63)]
    x, y = np.meshgrid(np.array(words, np.int64), np.array(words, np.int64))
    x, y = x.copy(), y.copy()
    with np.errstate(over="ignore"):
        equal(getattr(ops, name)(x, y), GOLDEN[name](x, y))


def test_an_empty_array_launches_nothing():
    empty = np.zeros((0, 3), np.float32)
    assert ops.add(empty, empty).shape == (0, 3)
    assert ops.add.runs == ()


def test_a_large_array_uses_every_core_and_both_buffers():
    x = numbers((1_000_003,), F32)
    equal(ops.add(x, x), x + x)
    assert ops.add.run.blocks == 48
    tiles = [e for e in ops.add.run.events() if e.pipe == "V" and e.block == 0]
    assert len(tiles) >= 3


@pytest.mark.parametrize(
    ("x", "y", "code"),
    [
        (np.zeros(3, np.int8), np.zeros(3, np.int8), "ASC-OPS-01"),
        (np.zeros(3, np.float32), np.zeros(3, np.float16), "ASC-OPS-01"),
        (np.zeros(3, np.float64), np.zeros(3, np.float64), "ASC-ARG-02"),
        (
            np.zeros((4, 4), np.float32).T[1:],
            np.zeros((3, 4), np.float32),
            "ASC-ARG-01",
        ),
        ([1.0, 2.0], np.zeros(2, np.float32), "ASC-ARG-09"),
        (np.zeros(4, np.float32), np.zeros(3, np.float32), "ASC-OPS-02"),
    ],
)
def test_what_an_operator_refuses(x, y, code):
    with pytest.raises(asc.KernelError) as caught:
        ops.add(x, y)
    assert [d.code for d in caught.value.diagnostics] == [code]
