"""The step view looks into memory: values, queues, flags, forwards and backwards."""

import numpy as np
import pytest

from npusim import asc
from npusim.view.rerun import SHOWN


@asc.jit
def doubled(x: asc.GlobalAddress, z: asc.GlobalAddress, n: asc.constexpr):
    pipe = asc.TPipe()
    arrive = asc.TQue(asc.TPosition.VECIN, 1)
    leave = asc.TQue(asc.TPosition.VECOUT, 1)
    pipe.init_buffer(arrive, 1, n * 4)
    pipe.init_buffer(leave, 1, n * 4)
    gx, gz = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x + asc.get_block_idx() * n, n)
    gz.set_global_buffer(z + asc.get_block_idx() * n, n)
    a = arrive.alloc_tensor(asc.float32)
    asc.data_copy(a, gx, n)
    arrive.enque(a)
    b = arrive.deque(asc.float32)
    c = leave.alloc_tensor(asc.float32)
    asc.muls(c, b, 2.0, n)
    leave.enque(c)
    arrive.free_tensor(b)
    d = leave.deque(asc.float32)
    asc.data_copy(gz, d, n)
    leave.free_tensor(d)


N, BLOCKS = 64, 3


@pytest.fixture
def view():
    x = np.arange(N * BLOCKS, dtype=np.float32)
    return doubled[BLOCKS](x, np.zeros_like(x), N).step(block=2, language="en")


def index_of(view, name):
    return next(i for i, step in enumerate(view.steps) if step.name == name)


def test_values_are_those_of_the_block(view):
    index = index_of(view, "muls")
    first = 2 * N
    moment = view.rerun.at(index)
    (write,) = view.steps[index].writes
    wanted = [2.0 * (first + i) for i in range(SHOWN)]
    assert view.rerun.values(moment, write) == wanted
    text = view.describe(index)
    assert "c = [256, 258, 260" in text and "b = [128, 129, 130" in text


def test_before_the_copy_the_buffer_is_poison(view):
    index = index_of(view, "alloc_tensor")
    moment = view.rerun.at(index)
    assert not (moment.local[: N * 4] == 0).all()
    after = view.rerun.at(index_of(view, "data_copy"))
    assert after.local[: N * 4].view(np.float32).tolist() == list(range(128, 192))


def test_steps_go_back_as_well(view):
    forwards = [view.html(i) for i in range(len(view))]
    backwards = [view.html(i) for i in reversed(range(len(view)))]
    assert forwards == backwards[::-1]


def test_queues_are_shown_with_their_states(view):
    index = index_of(view, "enque")
    assert "arrive: QUEUED" in view.describe(index)
    assert "arrive: TAKEN" in view.describe(index_of(view, "muls"))


def test_flags_are_shown(launch):
    view = launch("flag_exp", blocks=1).step(language="en")
    assert "MTE2_V 0 ×1" in view.describe(index_of(view, "set_flag"))
    assert "MTE2_V" not in dict(view.rows(index_of(view, "wait_flag"))).get(
        "Flags set", ""
    )


@asc.jit
def in_place(x: asc.GlobalAddress, n: asc.constexpr):
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x, n)
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, n)
    asc.data_copy(t, gx, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.adds(t, t, 1.0, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(gx, t, n)


def test_an_in_place_kernel_says_why_there_are_no_values():
    view = in_place[1](np.zeros(64, np.float32), 64).step(language="en")
    assert "the inputs are gone" in view.describe(0)


@asc.jit
def meets(x: asc.GlobalAddress):
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    asc.duplicate(t, 1.0, 64)
    asc.sync_all()
    asc.adds(t, t, 1.0, 64)


def test_values_end_where_other_cores_are_needed():
    view = meets[4](np.zeros(8, np.float32)).step(block=1, language="zh")
    assert "[1, 1" in view.describe(index_of(view, "duplicate"))
    assert "其他核" in view.describe(index_of(view, "adds"))


def test_looking_changes_no_result():
    x = np.arange(64, dtype=np.float32)
    z = np.zeros_like(x)
    run = doubled[1](x, z, 64)
    before = z.copy(), run.execution.buffers[2].data.copy()
    view = run.step(language="en")
    [view.html(i) for i in range(len(view))]
    assert (z == before[0]).all() and (run.execution.buffers[2].data == before[1]).all()
