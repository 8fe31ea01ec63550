"""Budget, step limit, printing, and bad calls of `execute` itself."""

import numpy as np
import pytest
from core_builder import BLOCK, CHIP, Builder, buffers, gm, op, run

from npusim.core import POISON, execute, group
from npusim.lang.types import DTYPES, float32, int32


def endless(*names):
    """A loop that never ends, with these instructions in it."""
    b = Builder()
    here = len(b.code)
    for name in names:
        b.issue(name, dst=b.tensor(float32, 0, 8, "t"), scalar=1.0, count=8)
    b.jump(here)
    return b.program()


@pytest.mark.parametrize("names", [(), ("duplicate",)])
@pytest.mark.parametrize("lockstep", [True, False])
def test_endless_loop_ends_at_the_budget(names, lockstep):
    done = run(endless(*names), {}, 5, budget=10_000, lockstep=lockstep)
    fault = done.faults[-1]
    assert fault.code == "ASC-RUN-04" and fault.facts["limit"] == 10_000
    assert 10_000 < done.executed < 10_100
    assert fault.facts["executed"] == done.executed


def test_backward_branch_ends_too():
    b = Builder()
    b.assign(1)
    b.branch(op("==", 1, 2, "bool"), 0)
    assert run(b.program(), {}, budget=500).faults[0].code == "ASC-RUN-04"


def test_enough_budget_is_no_fault():
    b = Builder()
    with b.loop(0, 100) as i:
        b.assign(op("+", i, 1))
    assert not run(b.program(), {}, 2, budget=100_000).faults


def test_budget_counts_every_block():
    b = Builder()
    b.issue("duplicate", dst=b.tensor(float32, 0, 8, "t"), scalar=1.0, count=8)
    assert run(b.program(), {}, 1).executed * 6 == run(b.program(), {}, 6).executed


def test_step_limit(monkeypatch):
    monkeypatch.setattr(group, "STEP_LIMIT", 50)
    done = run(endless("duplicate"), {}, 2)
    (fault,) = done.faults
    assert fault.code == "ASC-RUN-04" and fault.facts["limit"] == 50
    assert sum(1 for _ in done.streams[0].steps()) == 51


def test_an_exhausted_budget_keeps_the_streams():
    b = Builder()
    t = b.tensor(float32, 0, 8, "t")
    b.issue("duplicate", dst=t, scalar=1.0, count=8)
    skip = b.branch(op("==", BLOCK, 0, "bool"))
    here = len(b.code)
    b.issue("duplicate", dst=t, scalar=1.0, count=8)
    b.jump(here)
    b.land(skip)
    done = run(b.program(), {}, 3, budget=100)
    assert [s.blocks.tolist() for s in done.streams] == [[0], [1, 2]]
    assert all(next(s.steps()).name == "duplicate" for s in done.streams)


def test_lines_come_by_block_then_program_order():
    b = Builder()
    b.print("first ", (op("*", BLOCK, 0.5, "float"), ".2f"))
    b.print("second")
    assert run(b.program(), {}, 2).prints == (
        "[core 0] first 0.00",
        "[core 0] second",
        "[core 1] first 0.50",
        "[core 1] second",
    )


@pytest.mark.parametrize("lockstep", [True, False])
def test_only_the_first_thousand_lines_are_kept(lockstep):
    b = Builder()
    with b.loop(0, 600) as i:
        b.print("", (i, "d"))
    prints = run(b.program(), {}, 40, lockstep=lockstep).prints
    assert len(prints) == 1001 and "1,000" in prints[-1]
    assert prints[599:601] == ("[core 0] 599", "[core 1] 0")
    assert prints[999] == "[core 1] 399"


@pytest.mark.parametrize("spec", ["1000000000d", "Q", ".99999f"])
def test_bad_format_is_a_fault(spec):
    b = Builder()
    b.print((op("+", BLOCK, 1), spec))
    (fault,) = run(b.program(), {}).faults
    assert (fault.code, fault.facts["value"]) == ("ASC-RUN-07", spec)


def test_fresh_local_memory_is_not_zero():
    b = Builder()
    x = b.param("x", "buffer", float32)
    t = b.tensor(float32, 1024, 8, "t")
    b.issue("data_copy", dst=gm(float32, x, 0, 8, "x"), src=t, count=8)
    values = buffers(x=np.zeros(8, np.float32))
    run(b.program(), values)
    assert (values["x"].data.view(np.uint8) == POISON).all()
    assert np.isnan(values["x"].data).all()


def test_two_parameters_may_be_one_buffer():
    b = Builder()
    x, y = b.param("x", "buffer", int32), b.param("y", "buffer", int32)
    value = b.register()
    b.issue("get_value", (value,), tensor=gm(int32, x, 0, 4, "x"), index=0)
    b.issue("set_value", tensor=gm(int32, y, 0, 4, "y"), index=3, value=value)
    one = buffers(x=np.array([7, 0, 0, 0], np.int32))["x"]
    done = run(b.program(), {"x": one, "y": one})
    assert one.data.tolist() == [7, 0, 0, 7] and list(done.buffers) == [1]


def test_empty_buffer():
    b = Builder()
    x = b.param("x", "buffer", int32)
    b.issue("get_value", (b.register(),), tensor=gm(int32, x, 0, 4, "x"), index=0)
    (fault,) = run(b.program(), buffers(x=np.zeros(0, np.int32))).faults
    assert fault.code == "ASC-GM-05" and fault.facts["buffer_nbytes"] == 0


def test_bad_calls():
    program = endless()
    with pytest.raises(ValueError, match="at least 1"):
        execute(program, {}, 0, CHIP)
    with pytest.raises(ValueError, match="overflow"):
        execute(program, {}, 1, CHIP, overflow="wrap")
    b = Builder()
    b.param("n")
    with pytest.raises(ValueError, match="'n'"):
        execute(b.program(), {}, 1, CHIP)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
@pytest.mark.parametrize("blocks", [1, 3])
def test_elements_of_every_dtype_survive_a_register(dtype, blocks):
    b = Builder()
    x = b.param("x", "buffer", dtype)
    value = b.register("float" if dtype.is_float else "int")
    g = gm(dtype, x, 0, 16, "x")
    t = b.tensor(dtype, 64, 4, "t")
    b.issue("get_value", (value,), tensor=g, index=BLOCK)
    b.issue("set_value", tensor=t, index=3, value=value)
    b.issue("get_value", (value,), tensor=t, index=3)
    b.issue("set_value", tensor=g, index=op("+", BLOCK, 8), value=value)
    numbers = np.array([3, 100, 7] + [0] * 13).astype(dtype.numpy)
    values = buffers(x=numbers)
    done = run(b.program(), values, blocks)
    assert not done.faults
    written = values["x"].data[8 : 8 + blocks]
    np.testing.assert_array_equal(written, numbers[:blocks])
    names = [(s.name, s.pipe) for s in done.streams[0].steps()]
    assert names == [("get_value", "S"), ("set_value", "S")] * 2
