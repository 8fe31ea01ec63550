"""transpose, embedding, gather: pure moves, exact for every bit pattern."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops_oracle import BF16, CHIPS, F32, HALF, numbers, quiet

from npusim import asc, ops

WORDS = (HALF, BF16, *map(np.dtype, ("i2", "u2", "f4", "i4", "u4")))
ANY = (*WORDS, *map(np.dtype, ("i1", "u1", "i8")))
INDEX = (np.dtype("i4"), np.dtype("i8"))
MATRICES = (
    (1, 1), (16, 16), (17, 16), (3, 5, 7), (2, 2, 9, 33), (65, 129), (1, 300), (300, 1),
    (200, 331), (0, 4), (2, 0, 3),
)  # fmt: skip


def patterns(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Every bit pattern may occur: also those of NaN and denormals."""
    words = numbers(shape, np.dtype(f"u{dtype.itemsize}"))
    return words.view(dtype)


def same_bits(actual: np.ndarray, golden: np.ndarray) -> None:
    assert actual.dtype == golden.dtype
    assert actual.shape == golden.shape
    assert actual.tobytes() == np.ascontiguousarray(golden).tobytes()


@settings(max_examples=40)
@given(st.sampled_from(MATRICES), st.sampled_from(WORDS))
def test_transpose(shape, dtype):
    x = patterns(shape, dtype)
    same_bits(ops.transpose(x), np.swapaxes(x, -1, -2))
    quiet(ops.transpose)


@settings(max_examples=15)
@given(st.integers(1, 70), st.integers(1, 70), st.sampled_from([HALF, F32]))
def test_transpose_of_any_matrix(rows, columns, dtype):
    x = patterns((rows, columns), dtype)
    same_bits(ops.transpose(x), x.T)
    quiet(ops.transpose)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("dtype", [HALF, F32], ids=str)
def test_a_larger_matrix_uses_many_cores(chip, dtype):
    x = patterns((700, 514), dtype)
    with asc.settings(chip=chip):
        same_bits(ops.transpose(x), x.T)
    assert ops.transpose.run.blocks > 20


@settings(max_examples=30)
@given(
    st.sampled_from([(5, 3), (100, 16), (7, 1), (33, 129), (4, 20_000)]),
    st.sampled_from([(), (1,), (0,), (7,), (3, 50), (131,)]),
    st.sampled_from(ANY),
    st.sampled_from(INDEX),
)
def test_embedding(table_shape, shape, dtype, index):
    table = patterns(table_shape, dtype)
    indices = np.asarray(numbers(shape, np.dtype("u2")) % table_shape[0], index)
    same_bits(ops.embedding(table, indices), table[indices])
    quiet(ops.embedding)


def test_more_indices_than_a_core_loads_at_once():
    table = patterns((50, 9), HALF)
    indices = (numbers((70_001,), np.dtype("u2")) % 50).astype(np.int32)
    same_bits(ops.embedding(table, indices), table[indices])
    quiet(ops.embedding)


@settings(max_examples=30)
@given(
    st.sampled_from([(5, 3), (1, 1), (100, 16), (3, 4, 5), (2, 3001), (9,)]),
    st.sampled_from([1, 5, 40]),
    st.sampled_from(WORDS),
    st.sampled_from(INDEX),
)
def test_gather(shape, picks, dtype, index):
    x = patterns(shape, dtype)
    places = numbers((*shape[:-1], picks), np.dtype("u2")) % shape[-1]
    indices = places.astype(index)
    same_bits(ops.gather(x, indices), np.take_along_axis(x, indices, -1))
    quiet(ops.gather)


@pytest.mark.parametrize("chip", CHIPS)
def test_gather_and_embedding_on_every_chip(chip):
    x, indices = patterns((97, 33), F32), np.arange(97 * 5, dtype=np.int32) % 33
    with asc.settings(chip=chip):
        picked = indices.reshape(97, 5)
        same_bits(ops.gather(x, picked), np.take_along_axis(x, picked, -1))
        same_bits(ops.embedding(x, indices), x[indices])


@pytest.mark.parametrize(
    ("name", "arrays", "code"),
    [
        ("transpose", [np.zeros(3, np.float32)], "ASC-OPS-02"),
        ("transpose", [np.zeros((3, 3), np.int8)], "ASC-OPS-01"),
        ("embedding", [np.zeros((3, 3), F32), np.array([3], np.int32)], "ASC-OPS-03"),
        ("embedding", [np.zeros((3, 3), F32), np.array([-1])], "ASC-OPS-03"),
        ("embedding", [np.zeros(3, F32), np.zeros(1, np.int32)], "ASC-OPS-02"),
        ("embedding", [np.zeros((3, 3), F32), np.zeros(1, np.int8)], "ASC-OPS-01"),
        ("gather", [np.zeros((3, 3), F32), np.zeros((2, 3), np.int32)], "ASC-OPS-02"),
        ("gather", [np.zeros((1, 60_000), F32), np.zeros((1, 1), int)], "ASC-OPS-02"),
    ],
)
def test_what_is_refused(name, arrays, code):
    with pytest.raises(asc.KernelError) as caught:
        getattr(ops, name)(*arrays)
    assert [d.code for d in caught.value.diagnostics] == [code]
