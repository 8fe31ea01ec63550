"""Compilation of what orders cores, takes the time and hands out memory."""

from __future__ import annotations

import pytest
from lang_helpers import compiled, refused

from npusim.lang import dump, types
from npusim.lang.program import Const, Issue, Reg

G = "g = asc.GlobalTensor()\ng.set_global_buffer(x, 64)\n"
ALLOC = "m = asc.LocalMemAllocator()\n"


def issues(program, name):
    return [op for op in program.code if isinstance(op, Issue) and op.name == name]


@pytest.mark.parametrize(
    "call",
    [
        "sync_all()",
        "cross_core_set_flag(2, 0, asc.PipeID.PIPE_MTE3)",
        "cross_core_set_flag(flag_id=n, mode=0, pipe=asc.PipeID.PIPE_V)",
        "cross_core_wait_flag(2, 0)",
        "cross_core_wait_flag(2, 0, asc.PipeID.PIPE_S)",
        "set_atomic_add(asc.half)",
        "set_atomic_max(dtype=asc.int8)",
        "set_atomic_min(asc.bfloat16)",
        "set_atomic_none()",
    ],
)
def test_an_instruction_becomes_one_issue(call):
    program = compiled(f"asc.{call}")
    assert len(issues(program, call.split("(")[0])) == 1
    assert call.split("(")[0] in dump(program)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("asc.sync_all(1)", "10"),
        ("asc.cross_core_set_flag(2, 1, asc.PipeID.PIPE_V)", "07"),
        ("asc.cross_core_wait_flag(2, 2)", "07"),
        ("asc.cross_core_wait_flag(2, 3)", "12"),
        ("asc.cross_core_wait_flag(2, n)", "19"),
        ("asc.cross_core_wait_flag(2.0, 0)", "12"),
        ("asc.set_atomic_add(asc.int64)", "13"),
        ("asc.set_atomic_add(3)", "12"),
        (G + "g.set_l2_cache_hint(1)", "12"),
        (G + "g.set_l2_cache_hint(asc.CacheMode.CACHE_MODE_OFF)", "06"),
        (G + "asc.dump_tensor(g, 1.5, 4)", "12"),
        (G + "asc.dump_tensor(g, 'a')", "10"),
        (ALLOC + "t = m.alloc(asc.TPosition.GM, asc.half, 8)", "12"),
        (ALLOC + "t = m.alloc(asc.TPosition.A1, asc.half, 8)", "07"),
        (ALLOC + "if n:\n    t = m.alloc(asc.TPosition.VECIN, asc.half, 8)", "52"),
        ("for i in range(n):\n    m = asc.LocalMemAllocator()", "52"),
        (ALLOC + "m.free()", "06"),
        ("y = asc.tiling", "65"),
        ("y = n if flag else asc.get_system_cycle()", "71"),
        ("for i in range(asc.get_system_cycle()):\n    pass", "71"),
        ("assert asc.get_system_cycle()", "71"),
        ("y = asc.get_system_cycle() and flag", "71"),
        ("s = asc.get_system_cycle()\nif flag:\n    s = 3", "17"),
    ],
)
def test_what_is_refused(body, code):
    found = refused(body)
    assert found.code == f"ASC-JIT-{code}", found
    assert "?" not in found.render("en").replace(found.where.text.strip(), "")


def test_a_stamp_is_a_type_of_its_own():
    program = compiled(
        G + "s = asc.get_system_cycle()\nif flag:\n    s = asc.get_system_cycle()\n"
        "b = asc.get_system_cycle() - s\nasc.printf(f'{b:5d}')\ng.set_value(0, b)"
    )
    (store,) = issues(program, "set_value")
    assert store.operands["value"].type == "stamp"


def test_system_values_of_kernels_for_vector_cores():
    program = compiled(G + "g.set_value(asc.get_sub_block_idx(), asc.get_task_ratio())")
    (store,) = issues(program, "set_value")
    assert (store.operands["index"], store.operands["value"]) == (
        Const(0, "int"), Const(1, "int"),
    )  # fmt: skip


def test_the_allocator_lays_tensors_one_after_another():
    program = compiled(
        ALLOC + "a = m.alloc(asc.TPosition.VECIN, asc.half, 17)\n"
        "b = m.alloc(asc.TPosition.VECOUT, asc.float32, n)\n"
        "c = m.alloc(position=asc.TPosition.VECCALC, dtype=asc.int32, size=8)\n"
        "asc.add(c, c, c, 8)\nasc.printf(f'{m.get_cur_addr()}')"
    )
    a, b, c = (op.operands["tensor"] for op in issues(program, "local_tensor"))
    assert (a.name, b.name, c.name) == ("a", "b", "c")
    assert (a.address, b.address) == (Const(0, "int"), Const(64, "int"))
    assert isinstance(c.address, Reg) and b.position is types.TPosition.VECOUT


def test_allocators_unroll_and_pass_to_helpers():
    more = "\n@asc.jit\ndef take(m, size):\n    " + (
        "return m.alloc(asc.TPosition.VECIN, asc.int8, size)\n"
    )
    program = compiled(
        ALLOC + "for k in asc.static_range(3):\n    t = take(m, 40)\n"
        "y = m.get_cur_addr()\nasc.printf(f'{y}')",
        more=more,
    )
    starts = [op.operands["tensor"].address.value
              for op in issues(program, "local_tensor")]  # fmt: skip
    assert starts == [0, 64, 128]
    assert "192" in dump(program)
