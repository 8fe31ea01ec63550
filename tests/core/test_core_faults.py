"""Every fault: its code, its facts, its line and its core."""

from __future__ import annotations

import numpy as np
import pytest
from core_builder import BLOCK, CHIP, Builder, buffers, gm, op, run
from core_kernels import copy_params, pad_params

from npusim.lang.program import Record
from npusim.lang.types import HardEvent, TPosition, float32, half, int32

X = np.zeros(1024, np.float32)


def fault_of(build, blocks=1, x=X, dtype=float32, **values):
    """The one fault of what `build(b, x)` emits."""
    b = Builder()
    build(b, b.param("x", "buffer", dtype))
    done = run(b.program(), buffers(x=x) | values, blocks)
    (fault,) = done.faults
    assert fault.severity == "E" and fault.where is not None
    for language in ("en", "zh"):
        assert "?" not in fault.render(language).replace("x = ?", "")
    return fault


def local(b, address=0, size=512, dtype=float32, name="t"):
    return b.tensor(dtype, address, size, name)


def test_length_not_a_multiple_of_32():
    fault = fault_of(
        lambda b, x: b.issue(
            "data_copy", dst=local(b), src=gm(float32, x, 0, 9, "x"), count=9
        )
    )
    assert fault.code == "ASC-MTE-01"
    assert fault.facts["nbytes"] == 36 and fault.facts["count"] == 9
    assert fault.facts["buffer"] == "t" and fault.facts["required"] == 32


def test_misaligned_vector_operand():
    def build(b, x):
        b.issue("local_tensor", tensor=local(b, 64))
        shifted = local(b, 64 + 28, 100)
        b.issue("adds", dst=local(b, 4096), src=shifted, scalar=1.0, count=8)

    fault = fault_of(build)
    assert fault.code == "ASC-ALIGN-02" and fault.where.line == 2
    facts = fault.facts
    assert (facts["operand"], facts["element"], facts["byte"]) == ("src", 7, 28)


@pytest.mark.parametrize("write", [True, False])
def test_global_bounds_name_the_first_core(write):
    def build(b, x):
        g = gm(float32, x, op("*", BLOCK, 256), 300, "g")
        dst, src = (g, local(b)) if write else (local(b), g)
        b.issue("data_copy", dst=dst, src=src, count=264)

    fault = fault_of(build, 5)
    assert (fault.code, fault.core) == ("ASC-GM-05", 3)
    facts = fault.facts
    assert facts["kind"] == ("write" if write else "read")
    assert (facts["buffer"], facts["byte"], facts["element"]) == ("x", 3072, 768)
    assert (facts["nbytes"], facts["buffer_nbytes"]) == (1056, 4096)


def test_negative_global_offset():
    fault = fault_of(
        lambda b, x: b.issue(
            "data_copy", dst=local(b), src=gm(float32, x, -8, 64, "g"), count=8
        )
    )
    assert fault.code == "ASC-GM-05"
    assert (fault.facts["byte"], fault.facts["element"]) == (-32, -8)


def test_length_given_to_a_global_tensor_is_a_bound():
    fault = fault_of(
        lambda b, x: b.issue(
            "data_copy", dst=local(b), src=gm(float32, x, 0, 8, "g"), count=16
        )
    )
    assert fault.code == "ASC-GM-05"
    assert (fault.facts["buffer"], fault.facts["tensor"]) == ("x", "g")
    assert fault.facts["reason"] == "tensor" and fault.facts["end_byte"] == 32


def test_access_beyond_a_local_tensor():
    fault = fault_of(
        lambda b, x: b.issue(
            "data_copy", dst=local(b, 0, 8), src=gm(float32, x, 0, 64, "g"), count=16
        )
    )
    assert fault.code == "ASC-UB-10"
    facts = fault.facts
    assert (facts["kind"], facts["nbytes"], facts["buffer_nbytes"]) == ("write", 64, 32)


def test_local_tensor_outside_ub():
    where = CHIP.ub_nbytes - 1024
    fault = fault_of(
        lambda b, x: b.issue("local_tensor", tensor=local(b, where, 512, name="big"))
    )
    assert (fault.code, fault.facts["reason"]) == ("ASC-UB-09", "tensor")
    assert fault.facts["last_byte"] == where + 2047


def test_access_outside_ub_without_a_placement():
    late = lambda b, x: b.issue(  # noqa: E731
        "duplicate", dst=local(b, CHIP.ub_nbytes, 64), scalar=0.0, count=64
    )
    assert fault_of(late).code == "ASC-UB-10"


def plan(b, sizes):
    pipe = b.resource("TPipe", "pipe")
    places = (TPosition.VECIN, TPosition.VECIN, TPosition.VECOUT)
    queues = []
    for (name, num, nbytes), place in zip(sizes, places, strict=False):
        queues.append(b.resource("TQue", name, place, num))
        b.issue("init_buffer", pipe=pipe, buffer=queues[-1], num=num, nbytes=nbytes)
    return queues


def test_plan_beyond_ub_tells_the_largest_tile():
    sizes = [("in_x", 2, 49152), ("in_y", 2, 49152), ("out_z", 1, 49152)]

    def build(b, x):
        for queue in plan(b, sizes):
            b.alloc(queue, float32)

    fault = fault_of(build)
    assert fault.code == "ASC-UB-09" and fault.facts["plan"] == sizes
    assert fault.facts["needed"] == 245760 and fault.facts["largest"] == 9792


@pytest.mark.parametrize("count", [-1, 10**6])
def test_count_out_of_range(count):
    fault = fault_of(
        lambda b, x: b.issue("duplicate", dst=local(b), scalar=0.0, count=count)
    )
    assert (fault.code, fault.facts["operand"]) == ("ASC-RUN-07", "count")
    assert fault.facts["value"] == count


@pytest.mark.parametrize(
    "field,value",
    [("block_count", 0), ("block_count", 4096), ("block_len", 0), ("src_stride", -1)],
)
def test_descriptor_fields(field, value):
    fields = dict(copy_params(32).fields)
    fields |= {field: copy_params(value).fields["block_len"]}
    params = Record("DataCopyExtParams", fields)
    fault = fault_of(
        lambda b, x: b.issue(
            "data_copy_pad", dst=local(b), src=gm(float32, x, 0, 64, "g"), params=params
        )
    )
    assert (fault.code, fault.facts["operand"]) == ("ASC-RUN-07", field)


def test_padding_wider_than_a_data_block():
    fault = fault_of(
        lambda b, x: b.issue(
            "data_copy_pad",
            dst=local(b),
            src=gm(float32, x, 0, 64, "g"),
            params=copy_params(32),
            pad_params=pad_params(True, 0, 9),
        )
    )
    assert (fault.code, fault.facts["field"]) == ("ASC-PAD-04", "right_padding")
    assert (fault.facts["value"], fault.facts["nbytes"]) == (9, 36)


def test_path_that_does_not_exist():
    fault = fault_of(
        lambda b, x: b.issue(
            "data_copy",
            dst=gm(float32, x, 0, 8, "g"),
            src=gm(float32, x, 8, 8, "g"),
            count=8,
        )
    )
    assert (fault.code, fault.facts["source"]) == ("ASC-PATH-07", "GM")


@pytest.mark.parametrize("memory", ["GM", "UB"])
@pytest.mark.parametrize("index", [-1, 1024])
def test_element_out_of_range(memory, index):
    def build(b, x):
        t = gm(float32, x, 0, 1024, "g") if memory == "GM" else local(b, 0, 1024)
        b.issue("get_value", (b.register("float"),), tensor=t, index=index)

    code = {"GM": "ASC-GM-05", "UB": "ASC-UB-10"}[memory]
    fault = fault_of(build)
    assert fault.code == code and fault.facts["kind"] == "read"
    assert fault.facts["element"] == index


def test_uint64_element_that_is_no_int():
    from npusim.lang.types import uint64

    def build(b, x):
        t = gm(uint64, x, 0, 2, "g")
        b.issue("get_value", (b.register(),), tensor=t, index=1)

    x = np.array([1, 2**63], np.uint64)
    assert fault_of(build, x=x, dtype=uint64).code == "ASC-RUN-07"


def test_assertion_with_its_message():
    def build(b, x):
        b.check(op("<", BLOCK, 2, "bool"), "block is ", (BLOCK, "02d"))

    fault = fault_of(build, 4)
    assert (fault.code, fault.core) == ("ASC-RUN-05", 2)
    assert fault.facts["message"] == "block is 02"


def test_faults_of_other_blocks_are_reported_too():
    b = Builder()
    x = b.param("x", "buffer", float32)
    first = b.branch(op("==", BLOCK, 1, "bool"))
    b.assign(op("//", 1, 0))
    b.land(first)
    second = b.branch(op("==", BLOCK, 2, "bool"))
    b.assign(op("*", 2**62, 4))
    b.land(second)
    values = buffers(x=np.zeros(4, np.int32))
    del x
    done = run(b.program(), values, 4)
    assert [(f.code, f.core) for f in done.faults] == [
        ("ASC-RUN-02", 1),
        ("ASC-RUN-01", 2),
    ]
    assert sorted(b for s in done.streams for b in s.blocks) == [0, 1, 2, 3]


def flagged(build):
    b = Builder()
    build(b)
    return run(b.program(), {}, 2)


def test_wait_without_a_set():
    def build(b):
        b.issue("set_flag", event=HardEvent.MTE2_V, event_id=0)
        b.issue("wait_flag", event=HardEvent.MTE2_V, event_id=0)
        b.issue("wait_flag", event=HardEvent.MTE2_V, event_id=0)

    (fault,) = flagged(build).faults
    assert (fault.code, fault.where.line) == ("ASC-FLAG-19", 3)
    facts = fault.facts
    assert (facts["pipe"], facts["event"], facts["event_id"]) == ("V", "MTE2_V", 0)
    assert facts["last_line"] == 1 and fault.related[0].line == 1


def test_a_set_below_the_first_wait_is_named():
    """The loop that begins with a wait for what only its own end sets."""

    def build(b):
        b.issue("wait_flag", event=HardEvent.MTE3_MTE2, event_id=1)
        b.issue("set_flag", event=HardEvent.MTE3_V, event_id=1)
        b.issue("set_flag", event=HardEvent.MTE3_MTE2, event_id=0)
        b.issue("set_flag", event=HardEvent.MTE3_MTE2, event_id=1)

    (fault,) = flagged(build).faults
    assert (fault.code, fault.where.line) == ("ASC-FLAG-19", 1)
    assert (fault.facts["reason"], fault.facts["set_line"]) == ("later", 4)
    assert fault.related[0].line == 4


def test_a_set_of_another_flag_is_no_answer():
    def build(b):
        b.issue("wait_flag", event=HardEvent.MTE2_V, event_id=0)
        b.issue("set_flag", event=HardEvent.MTE2_V, event_id=1)

    (fault,) = flagged(build).faults
    assert "reason" not in fault.facts and fault.related == ()


def test_flag_set_twice_and_left():
    def build(b):
        b.issue("set_flag", event=HardEvent.V_MTE3, event_id=3)
        b.issue("set_flag", event=HardEvent.V_MTE3, event_id=3)

    done = flagged(build)
    assert not done.faults
    codes = [(f.code, f.severity, f.core) for f in done.findings]
    assert codes == [("ASC-FLAG-19b", "W", 0), ("ASC-FLAG-19c", "E", 0)]
    assert done.findings[1].facts["count"] == 2


def test_event_id_out_of_range():
    build = lambda b: b.issue(  # noqa: E731
        "set_flag", event=HardEvent.V_MTE3, event_id=8
    )
    (fault,) = flagged(build).faults
    assert (fault.code, fault.facts["limit"]) == ("ASC-FLAG-19d", 7)


def test_misaligned_element():
    def build(b, x):
        t = local(b, 2, 16, int32)
        b.issue("get_value", (b.register(),), tensor=t, index=0)

    fault = fault_of(build)
    assert (fault.code, fault.facts["required"]) == ("ASC-ALIGN-02", 4)


def test_half_needs_32_bytes_too():
    fault = fault_of(
        lambda b, x: b.issue(
            "duplicate", dst=local(b, 16, 16, half), scalar=0.0, count=4
        )
    )
    assert fault.code == "ASC-ALIGN-02"
