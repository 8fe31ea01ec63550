"""The calibration set: complete, readable, each row with its source."""

import pytest

from npusim.fidelity.rows import groups, instruction_rows, kernel_rows, rules
from npusim.fidelity.score import Result, explained_share, nearest_rank, summary

KERNELS, INSTRUCTIONS = 236, 260


def test_every_row_is_there_once_and_belongs_to_a_group():
    rows = [*kernel_rows(), *instruction_rows()]
    assert (len(kernel_rows()), len(instruction_rows())) == (KERNELS, INSTRUCTIONS)
    assert len({row.id for row in rows}) == len(rows)
    assert {row.group for row in rows} == {*groups(), "unmodelled"}


def test_every_row_has_a_source_and_a_positive_value():
    assert all(row.source and row.measured_us > 0 for row in kernel_rows())
    assert all(row.source and row.cycles > 0 for row in instruction_rows())


def test_rows_of_package_data_files_carry_no_profile():
    found = [row for row in kernel_rows() if "data file" in row.source]
    assert len(found) > 50
    assert all(row.vector_us is None and not row.launches for row in found)


def test_rules_are_numbers():
    assert rules()["counter_overhead"] > 0


def result(predicted, measured, counted=True, low=None, high=None):
    return Result("r", "", predicted, measured, "us", counted, "", low, high)


def test_p90_is_the_error_of_a_row():
    assert nearest_rank([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9) == 9
    assert nearest_rank([3.0], 0.9) == 3.0
    with pytest.raises(ValueError, match="no values"):
        nearest_rank([], 0.9)


def test_a_target_is_missed_by_one_counted_row_and_not_by_others():
    group = groups()["bank"]
    good, bad = result(1.02, 1.0), result(1.04, 1.0)
    assert summary(group, [good, result(2.0, 1.0, counted=False)]).met
    assert summary(group, [good, bad]).misses == ("each 4.0% > 3%",)
    assert summary(group, []) is None


def test_a_row_is_explained_between_its_predictions_with_the_margin():
    between = result(1.0, 1.5, low=1.0, high=2.0)
    edge, outside = result(1, 2.19, low=1, high=2), result(1, 2.21, low=1, high=2)
    assert between.explained and edge.explained and not outside.explained
    assert explained_share([between, outside]) == 0.5
    assert not result(1.0, 1.0).explained
