"""Tiling records: made on the host, frozen, received as one argument."""

from __future__ import annotations

import numpy as np
import pytest

from npusim import asc
from npusim.diagnostic import KernelError
from npusim.lang.program import Program
from npusim.launch import Kernel
from tests.launch.order_kernels import Tiling, accumulate

TEXT = """
from npusim import asc


@asc.tiling
class Split:
    tile: int
    scale: "float" = 0.5
    wide: bool = False


@asc.jit
def fill(g, t: Split, count):
    for i in range(count):
        g.set_value(i, t.scale * t.tile if t.wide else t.scale)


@asc.jit
def kernel(z: asc.GlobalAddress, t: Split, again: {again}):
    g = asc.GlobalTensor()
    g.set_global_buffer(z, t.tile)
    fill(g, t, t.tile)
    g.set_value(0, again.tile)
"""


def refusal(make, *values, **named):
    with pytest.raises(KernelError) as info:
        make(*values, **named)
    (found,) = info.value.diagnostics
    assert "?" not in str(info.value) + found.render("zh")
    return found.code, found.facts.get("reason")


def test_a_record_is_built_by_position_and_by_name():
    record = Tiling(64, scale=np.float32(2.5), wide=np.True_)
    assert (record.tile, record.rounds, record.scale, record.wide) == (64, 1, 2.5, True)
    assert record == Tiling(64, 1, 2.5, True) != Tiling(65)
    assert hash(record) == hash(Tiling(tile=64, scale=2.5, wide=True))
    assert repr(record) == "Tiling(tile=64, rounds=1, scale=2.5, wide=True)"
    assert Tiling.__doc__ == "How the work is split."


@pytest.mark.parametrize(
    ("values", "named", "reason"),
    [
        ((), {}, "fields"),
        ((1, 2, 3.0, True, 5), {}, "fields"),
        ((1,), {"tile": 2}, "fields"),
        ((1,), {"tiles": 2}, "fields"),
        ((1.5,), {}, "type"),
        ((True,), {}, "type"),
        ((1 << 63,), {}, "type"),
        ((1, 2, "3"), {}, "type"),
        ((1, 2, 3.0, 1), {}, "type"),
        ((1, 2, 10**400), {}, "type"),
    ],
)
def test_a_wrong_value_is_refused_where_it_is_made(values, named, reason):
    assert refusal(Tiling, *values, **named) == ("ASC-TILING-28", reason)


def test_a_record_is_frozen():
    record = Tiling(64)
    assert refusal(setattr, record, "tile", 3) == ("ASC-TILING-28", "frozen")
    assert refusal(delattr, record, "tile") == ("ASC-TILING-28", "frozen")


@pytest.mark.parametrize("annotations", [{}, {"sizes": list}, {"n": "np.int32"}])
def test_only_numbers_are_fields(annotations):
    made = type("Bad", (), {})
    made.__annotations__ = annotations
    reason = "annotation" if annotations else "empty"
    assert refusal(asc.tiling, made) == ("ASC-TILING-28", reason)


@pytest.mark.parametrize("again", ["Split", '"Split"', "asc.constexpr"])
def test_a_class_in_the_text_of_the_kernel(again):
    """As the judge sees it: no class object, only text and a record."""
    text = TEXT.format(again=again)
    made = type("Split", (), {"scale": 0.5, "wide": False})
    made.__annotations__ = {"tile": int, "scale": float, "wide": bool}
    split = asc.tiling(made)
    kernel = Kernel.from_text(text, "k.py", "kernel", {"asc": asc})
    z = np.zeros(4, np.float32)
    kernel[1](z, split(4, 2.0, True), split(3))
    assert z.tolist() == [3.0, 8.0, 8.0, 8.0]


def test_another_class_is_refused_at_the_parameter():
    @asc.tiling
    class Other:
        tile: int

    x, z = np.zeros(64, np.float32), np.zeros(64, np.float32)
    with pytest.raises(KernelError) as info:
        accumulate[1](x, z, Other(64))
    (found,) = info.value.diagnostics
    assert (found.code, found.facts["reason"]) == ("ASC-TILING-28", "class")
    assert found.where.text.strip() == "t: Tiling,"
    assert refusal(accumulate[1], x, z, 64)[0] == "ASC-ARG-04"


def test_a_zero_field_is_named():
    text = TEXT.format(again="Split").replace("range(count)", "range(0, 8, t.tile)")
    made = type("Split", (), {"scale": 0.5, "wide": False})
    made.__annotations__ = {"tile": int, "scale": float, "wide": bool}
    split = asc.tiling(made)
    kernel = Kernel.from_text(text, "k.py", "kernel", {"asc": asc})
    with pytest.raises(KernelError) as info:
        kernel[1](np.zeros(4, np.float32), split(0), split(1))
    found = info.value.diagnostics[-1]
    assert (found.code, found.facts["name"]) == ("ASC-TILING-28", "t.tile")


def test_fields_are_values_of_the_launch_and_not_of_the_program():
    x, z = np.zeros(128, np.float32), np.zeros(128, np.float32)
    with asc.settings(mode="compile_only"):
        first, second = (accumulate[1](x, z, Tiling(n)) for n in (64, 128))
    assert isinstance(first, Program) and first is second
    assert [p.name for p in first.params][:3] == ["x", "z", "t.tile"]


def test_a_captured_record_is_a_constant():
    text = """
@asc.jit
def kernel(z: asc.GlobalAddress):
    g = asc.GlobalTensor()
    g.set_global_buffer(z, SPLIT.tile)
    for i in asc.static_range(SPLIT.tile):
        g.set_value(i, SPLIT.scale)
"""
    split = Tiling(3, scale=1.5)
    kernel = Kernel.from_text(text, "k.py", "kernel", {"asc": asc, "SPLIT": split})
    z = np.zeros(4, np.float32)
    kernel[1](z)
    assert z.tolist() == [1.5, 1.5, 1.5, 0.0]
