"""No suspect for results of chance, of any size and type, down to one element."""

import numpy as np
import pytest

from npusim.check.wrong import Case, suspects_of, tolerance_of
from npusim.lang.types import DTYPES

SHAPES = [(1,), (2,), (3,), (5,), (2, 3), (4, 4), (3, 8), (16,), (6, 32)]


class OneTile:
    """All elements written by one step of block 0."""

    def __init__(self, size: int):
        self.index = np.zeros(size, np.int32)
        self.block = np.zeros(size, np.int32)

    def tiles(self) -> np.ndarray:
        return np.zeros(len(self.index), int)

    def of(self, element: int) -> None:
        return None


@pytest.mark.parametrize("name", ["float32", "half", "bfloat16", "int32"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_chance_has_no_suspects(shape, name):
    dtype = DTYPES[name]
    for seed in range(12):
        random = np.random.default_rng(seed)

        def drawn(*more: int, random=random):
            values = random.standard_normal(shape + more) * 10
            return values.astype(dtype.numpy).astype(float)

        inputs = {"x": drawn(), "y": drawn()} if seed % 3 else {"x": drawn(7)}
        case = Case(
            drawn(), drawn(), np.ones(shape, bool), inputs, dtype, *tolerance_of(dtype)
        )
        found = suspects_of(case, OneTile(case.got.size))  # type: ignore[arg-type]
        # one number may be near another by chance; it is called near, no more
        reasons = {s.facts["reason"] for s in found}
        assert reasons <= ({"precision"} if case.got.size == 1 else set()), found


def test_a_known_factor_explains_even_one_number():
    dtype = DTYPES["float32"]
    x = np.random.default_rng(1).standard_normal((1, 96))
    shape = np.ones(1, bool)
    case = Case(x.mean(1), x.sum(1), shape, {"x": x}, dtype, *tolerance_of(dtype))
    found = suspects_of(case, OneTile(1))  # type: ignore[arg-type]
    assert found[0].facts["found"] == "mean(x)"
