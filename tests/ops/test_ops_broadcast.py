"""An operand that is a row of the other, or one element: against numpy, exact."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops_oracle import BF16, CHIPS, F32, FLOATS, HALF, equal, numbers, quiet

from npusim import asc, ops
from npusim.chip import load_chip
from npusim.ops.binary import COLUMN_NBYTES
from npusim.ops.row_tiling import split_rows
from npusim.ops.tiling import NUMBERS, SLOTS

DTYPES = (*FLOATS, np.dtype("i4"), np.dtype("i2"))
GOLDEN = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply,
    "maximum": np.maximum, "minimum": np.minimum,
}  # fmt: skip
ROWS = (
    ((7, 33), (33,)), ((3, 5, 7), (5, 7)), ((3, 5, 7), (1, 1, 7)), ((64, 64), (64,)),
    ((1, 9000), (9000,)), ((5, 1536), (1, 1536)), ((2, 60_000), (60_000,)),
    ((7, 33), (7, 1)), ((2, 5, 3), (2, 5, 1)), ((2, 5, 3), (2, 1, 1)),
    ((1000, 9), (1000, 1)), ((3, 20_000), (3, 1)), ((2, 60_000), (2, 1)),
    ((5000, 2), (5000, 1)), ((211, 1), (1,)), ((4, 3), ()), ((5,), (1, 1)),
    ((0, 3), (3,)), ((3, 0), (1,)), ((3, 0), (3, 1)),
)  # fmt: skip


@pytest.mark.parametrize("name", list(GOLDEN))
@settings(max_examples=20)
@given(shapes=st.sampled_from(ROWS), dtype=st.sampled_from(DTYPES), first=st.booleans())
def test_rows_columns_and_elements(name, shapes, dtype, first):
    x, y = (numbers(shape, dtype) for shape in shapes)
    left, right = (y, x) if first else (x, y)
    op = getattr(ops, name)
    with np.errstate(over="ignore"):
        equal(op(left, right), np.asarray(GOLDEN[name](left, right)))
    quiet(op)


@settings(max_examples=15)
@given(st.integers(1, 40), st.integers(1, 300), st.sampled_from(FLOATS))
def test_any_matrix_and_row(rows, columns, dtype):
    x, y = numbers((rows, columns), dtype), numbers((columns,), dtype)
    equal(ops.sub(y, x), y - x)
    quiet(ops.sub)
    column = numbers((rows, 1), dtype)
    equal(ops.sub(x, column), x - column)
    quiet(ops.sub)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_the_filler_of_a_row_does_not_reach_the_result(dtype):
    """Rows of 3 elements lie 32 B apart; a quotient of fillers would be a warning."""
    x, y = numbers((101, 3), dtype), np.array([2.0, -4.0, 0.5]).astype(dtype)
    equal(ops.div(x, y), x / y)
    quiet(ops.div)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("dtype", [F32, BF16, HALF], ids=str)
def test_few_rows_use_many_cores(chip, dtype):
    x, y = numbers((8, 7168), dtype), numbers((7168,), dtype)
    with asc.settings(chip=chip):
        equal(ops.add(x, y), x + y)
    assert ops.add.run.blocks > 8
    quiet(ops.add)


@given(
    st.integers(1, 5000) | st.integers(1, 1 << 20),
    st.integers(1, 5000) | st.integers(1, 1 << 20),
    st.sampled_from([(2, 8), (2, 2), (4, 4)]),
    st.sampled_from(CHIPS),
    st.sampled_from([0, COLUMN_NBYTES]),
)
def test_the_grid_covers_the_matrix_and_tiles_fit(rows, columns, sizes, name, per_row):
    chip, (itemsize, work) = load_chip(name), sizes
    plan = split_rows(rows, columns, itemsize, work, chip, per_row)
    t = plan.tiles
    row_parts = plan.blocks // t.column_parts
    assert plan.blocks == row_parts * t.column_parts <= chip.vector_cores
    assert (row_parts - 1) * t.row_share < rows <= row_parts * t.row_share
    assert (
        (t.column_parts - 1) * t.column_share
        < columns
        <= t.column_parts * t.column_share
    )
    pitch = -(-t.tile_columns * itemsize // 32) * 32
    assert t.tile_rows * pitch <= t.tile * itemsize
    queues = 2 * SLOTS * t.tile * itemsize + pitch
    queues += -(-t.tile_rows // 8) * 8 * per_row
    assert queues + t.work <= chip.ub_nbytes - NUMBERS["reserved"]


@pytest.mark.parametrize("rows", [1, 8, 47, 49, 64, 100])
def test_the_core_with_most_work_has_little_more_than_its_part(rows):
    """Of a wide matrix on 48 cores, whatever the number of rows."""
    t = split_rows(rows, 65_536, 4, 4, load_chip("910B1")).tiles
    most = t.row_share * min(t.column_share, t.columns)
    assert most <= 1.1 * rows * 65_536 / 48


@pytest.mark.parametrize(
    ("x", "y"), [((2, 4, 3), (4, 1)), ((4, 1), (3,)), ((4,), (3,))]
)
def test_what_is_not_broadcast(x, y):
    with pytest.raises(asc.KernelError) as caught:
        ops.add(np.zeros(x, np.float32), np.zeros(y, np.float32))
    assert [d.code for d in caught.value.diagnostics] == ["ASC-OPS-02"]
