"""explain_wrong_answer on windows whose rows were read a wrong way apart."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npusim import asc


@asc.jit
def window_kernel(
    x: asc.GlobalAddress,
    z: asc.GlobalAddress,
    size: int,
    start: int,
    share: asc.constexpr,
    cols: asc.constexpr,
    pitch: asc.constexpr,
    gap: asc.constexpr,
):
    x_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, size)
    z_gm.set_global_buffer(z, share * cols * asc.get_block_num())
    ub = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, share * cols)
    first = asc.get_block_idx() * share
    bursts = asc.DataCopyExtParams(share, cols * x.dtype.sizeof(), gap, 0)
    no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
    asc.data_copy_pad(ub, x_gm[start + first * pitch :], bursts, no_pad)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm[first * cols :], ub, share * cols)


def suspects(gap_nbytes, *, blocks=1, dtype=np.float32, cols=32, width=100, start=5):
    """The suspects of a window of 12 rows that is fetched with that gap."""
    x = np.random.default_rng(4).standard_normal((40, width)).astype(dtype)
    z = np.zeros((12, cols), dtype)
    run = window_kernel[blocks](
        x, z, x.size, start, 12 // blocks, cols, width, gap_nbytes
    )
    expected = x[:12, start : start + cols]
    return asc.explain_wrong_answer(run, {"z": expected}).outputs[0].suspects


@settings(max_examples=20)
@given(
    gap=st.integers(0, 120),
    blocks=st.sampled_from([1, 2, 4]),
    dtype=st.sampled_from([np.float32, np.float16]),
)
def test_the_way_between_rows_is_named(gap, blocks, dtype):
    itemsize = np.dtype(dtype).itemsize
    found = suspects(gap * itemsize, blocks=blocks, dtype=dtype)
    if gap == 100 - 32:
        assert found == ()
        return
    (suspect,) = found
    assert suspect.code == "ASC-LAYOUT-08"
    wanted = {"name": "x", "row": 1, "pitch": 32 + gap, "wanted": 100, "gap": gap}
    wanted |= {"wanted_gap": 68, "nbytes": 68 * itemsize}
    assert wanted.items() <= suspect.facts.items()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_message_gives_the_gap_in_bytes(language):
    (suspect,) = suspects(68)  # elements where bytes are meant
    assert "272 B" in suspect.render(language)


def test_other_values_are_not_blamed_on_the_rows():
    x = np.random.default_rng(4).standard_normal((40, 100)).astype(np.float32)
    z = np.zeros((12, 32), np.float32)
    run = window_kernel[1](x, z, x.size, 5, 12, 32, 100, 272)
    expected = np.random.default_rng(5).standard_normal((12, 32))
    for wrong in (expected, np.ones((12, 32)), 2 * x[:12, 5:37]):
        found = asc.explain_wrong_answer(run, {"z": wrong}).outputs[0].suspects
        assert not [s for s in found if "pitch" in s.facts]
