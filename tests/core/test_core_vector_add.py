"""Vector add by hand-built programs: static tensors with flags, and queues."""

import numpy as np
import pytest
from core_builder import buffers, run
from core_kernels import queue_add, static_add

from npusim.lang.types import float32, half, int32


@pytest.mark.parametrize("dtype", [half, float32, int32])
@pytest.mark.parametrize("lockstep", [True, False])
def test_static_add(dtype, lockstep):
    rng = np.random.default_rng(1)
    x, y = (rng.integers(-9, 9, 48 * 4096).astype(dtype.numpy) for _ in "xy")
    values = buffers(x=x, y=y, z=np.zeros_like(x))
    done = run(static_add(dtype, 4096, 1024), values, 48, lockstep=lockstep)
    assert not done.faults and not done.findings
    np.testing.assert_array_equal(values["z"].data, x + y)
    assert len(done.streams) == (1 if lockstep else 48)


@pytest.mark.parametrize("n", [1, 7, 100, 4096, 48 * 1000 - 13])
def test_queue_add_of_any_length(n):
    rng = np.random.default_rng(n)
    x, y = (rng.normal(size=n).astype(np.float32) for _ in "xy")
    values = buffers(x=x, y=y, z=np.zeros_like(x))
    done = run(queue_add(float32, 1000, 256), values | {"n": n}, 48)
    assert not done.faults and not done.findings
    np.testing.assert_array_equal(values["z"].data, x + y)
