"""A largest number with its index behind it is a pair: where pairs may start."""

import numpy as np
import pytest

from npusim import asc
from npusim.diagnostic import KernelError


@asc.jit
def kernel(x: asc.GlobalAddress, place: asc.constexpr, only: asc.constexpr):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    row = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    out = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 256, 8)
    asc.data_copy(row, x_gm, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    if only:
        order = asc.ReduceOrder.ORDER_ONLY_VALUE
        asc.whole_reduce_max(out[place:], row, 64, 1, 1, 1, 8, order)
    else:
        asc.whole_reduce_max(out[place:], row, 64, 1, 1, 1, 8)


def launch(place, only):
    return kernel[1](np.arange(64, dtype=np.float32), place, only)


def test_a_pair_at_an_odd_element_is_told_about_the_order():
    with pytest.raises(KernelError) as stopped:
        launch(1, False)
    (found,) = [d for d in stopped.value.diagnostics if d.severity == "E"]
    assert found.code == "ASC-ALIGN-02"
    assert "ORDER_ONLY_VALUE" in found.render("en")
    assert "ORDER_ONLY_VALUE" in found.render("zh")


@pytest.mark.parametrize(("place", "only"), [(0, False), (2, False), (1, True)])
def test_pairs_at_even_elements_and_values_anywhere(place, only):
    assert not [d for d in launch(place, only).diagnostics if d.severity == "E"]
