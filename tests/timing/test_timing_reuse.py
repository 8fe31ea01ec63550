"""Reuse within a launch: parts of a buffer larger than L2 that are read again."""

import numpy as np
import pytest

from npusim.chip import load_chip
from npusim.fidelity import kernels

CHIP = load_chip("910B1")
ROWS, COLUMNS = 12288, 12288  # 302 MB in half: larger than L2


@pytest.fixture(scope="module")
def matrix():
    return np.zeros((ROWS, COLUMNS), np.float16)


def read(matrix, times, slices, chip=CHIP):
    """48 blocks read the matrix in tiles of 32 x 1024, slice by slice."""
    return kernels.copy_matrix.launch(
        matrix, ROWS, COLUMNS, 32, 1024, times, slices, 3, blocks=48, chip=chip
    )


def test_slices_that_fit_l2_are_read_from_hbm_once(matrix):
    run = read(matrix, 4, 4)
    assert run.timing.l2.read_miss == pytest.approx(matrix.nbytes)
    assert run.timing.l2.read_hit == pytest.approx(3 * matrix.nbytes)


def test_a_matrix_that_does_not_fit_is_read_from_hbm_each_time(matrix):
    assert read(matrix, 2, 1).timing.l2.read_hit == 0


def test_without_residency_nothing_hits(matrix):
    off = CHIP.without("l2_residency")
    assert read(matrix, 4, 4, off).timing.l2.read_hit == 0


def test_reuse_makes_a_launch_faster(matrix):
    assert read(matrix, 4, 4).cycles < 0.6 * read(matrix, 4, 1).cycles
