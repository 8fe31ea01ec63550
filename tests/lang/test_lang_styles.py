"""The four styles of vector add compile to the operations they should."""

import itertools

import numpy as np
import pytest
from lang_kernels import STYLES
from lang_machine import Machine

from npusim.lang import BufferArgument, Constexpr, compile_source, dump, types
from npusim.lang.program import Branch, Issue, Jump, Reg, Resource, Tensor

HALF = BufferArgument(types.half)
BUFFERS = {"x": HALF, "y": HALF, "z": HALF, "n": "int"}
MORE = {
    "scalar": {},
    "static": {"tile": Constexpr(1024)},
    "queues": {"tile": Constexpr(1024), "buffers": Constexpr(2)},
    "any_length": {"tile": Constexpr(1024)},
}


def program_of(style, **more):
    arguments = BUFFERS | MORE[style] | more
    return compile_source(STYLES[style], "add.py", "add_kernel", {}, arguments)


def issued(program):
    return [op.name for op in program.code if isinstance(op, Issue)]


@pytest.mark.parametrize("style", STYLES)
def test_style_compiles_to_a_sound_program(style):
    program = program_of(style)
    assert program.name == "add_kernel"
    assert [p.name for p in program.params] == ["x", "y", "z", "n"]
    for op in program.code:
        assert 0 <= op.where < len(program.locations)
        target = op.to if isinstance(op, Jump) else getattr(op, "otherwise", 0)
        assert 0 <= target < len(program.code)
    assert dump(program).count("\n") == len(program.code)


def test_scalar_loop_computes_the_sum():
    program = program_of("scalar")
    x, y, z = (np.arange(10, dtype=np.float16) * k for k in (1, 2, 0))
    for block in range(3):
        Machine(program, {"x": x, "y": y, "z": z, "n": 10}, block, 3).run()
    assert (z == x + y).all()


def test_static_style_names_tensors_and_flags():
    program = program_of("static")
    assert issued(program) == [
        "local_tensor", "local_tensor", "local_tensor",
        "wait_flag", "data_copy", "data_copy", "set_flag", "wait_flag", "add",
        "set_flag", "wait_flag", "data_copy", "set_flag",
    ]  # fmt: skip
    add = next(op for op in program.code if isinstance(op, Issue) and op.name == "add")
    assert add.form == "count"
    assert list(add.operands) == ["dst", "src0", "src1", "count"]
    assert [t.name for t in itertools.islice(add.operands.values(), 3)] == [
        "z_local", "x_local", "y_local",
    ]  # fmt: skip
    copy = next(
        o for o in program.code if isinstance(o, Issue) and o.name == "data_copy"
    )
    assert copy.operands["src"].name == "gx"
    assert program.location(copy.where).text.strip().startswith("asc.data_copy(x_local")


@pytest.mark.parametrize("buffers", [1, 2])
def test_queue_style_passes_tensors_through_registers(buffers):
    program = program_of("queues", buffers=Constexpr(buffers))
    assert [(r.kind, r.name, r.depth) for r in program.resources] == [
        ("TPipe", "pipe", 0),
        ("TQue", "in_x", buffers),
        ("TQue", "in_y", buffers),
        ("TQue", "out_z", buffers),
    ]
    taken = [o for o in program.code if isinstance(o, Issue) and o.name == "deque"]
    given = [
        o for o in program.code if isinstance(o, Issue) and o.name == "free_tensor"
    ]
    assert len(taken) == len(given) == 3
    for op in taken:
        assert isinstance(op.operands["queue"], Resource) and len(op.results) == 2
    tensor = given[0].operands["tensor"]
    assert isinstance(tensor, Tensor)
    assert (tensor.address, tensor.size) == tuple(
        Reg(r, "int") for r in taken[0].results
    )


def test_helpers_are_inlined_with_records():
    program = program_of("any_length")
    copies = [o for o in program.code if isinstance(o, Issue) and "pad" in o.name]
    assert len(copies) == 3
    fields = copies[0].operands["params"].fields
    assert list(fields) == ["block_count", "block_len", "src_stride", "dst_stride"]
    assert "pad_params" in copies[0].operands
    assert "pad_params" not in copies[2].operands
    assert copies[0].operands["dst"].name == "local"
    assert sum(isinstance(op, Branch) for op in program.code) == 1


def test_loop_over_blocks_needs_no_test_of_its_step():
    program = program_of("scalar")
    assert "check" not in dump(program)
