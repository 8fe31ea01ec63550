"""A second look at the vector instructions: an interpreter, element by element.

The oracle does what the public documentation says, one repeat after the other and one
element after the other, on a bytes array; nothing of the simulator is used. All of UB
that a kernel touches is compared, so elements that must stay are looked at too.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from npusim import asc
from npusim.diagnostic import KernelError
from npusim.launch import Kernel

NBYTES = 24576
TEXT = """from npusim import asc


@asc.jit
def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress):
    xg = asc.GlobalTensor()
    xg.set_global_buffer(x, {count})
    zg = asc.GlobalTensor()
    zg.set_global_buffer(z, {count})
    whole = asc.LocalTensor(asc.{dtype}, asc.TPosition.VECIN, 0, {count})
    asc.data_copy(whole, xg, {count})
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    {call}
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(zg, whole, {count})
"""
SPECIAL = (0.0, -0.0, 1.0, -1.0, 65504.0, -65504.0, 6e-8, 3e-5, np.inf, -np.inf, np.nan)
NUMPY = {"half": np.float16, "float32": np.float32}


def run_call(call: str, memory: np.ndarray) -> np.ndarray:
    """UB after `call`, which works on the tensor `whole`; KernelError if refused."""
    dtype = "half" if memory.dtype == np.float16 else "float32"
    text = TEXT.format(count=memory.size, dtype=dtype, call=call)
    kernel = Kernel.from_text(text, "second.py", "kernel", {"asc": asc})
    z = np.zeros_like(memory)
    kernel[1](memory, z)
    return z


def memory_of(dtype: str, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    size = NBYTES // np.dtype(NUMPY[dtype]).itemsize
    values = random.standard_normal(size).astype(NUMPY[dtype])
    places = random.integers(0, size, size // 8)
    values[places] = random.choice(np.array(SPECIAL), len(places)).astype(values.dtype)
    return values


def lanes_of(mask, width: int) -> list[int]:
    if isinstance(mask, int):
        return list(range(min(mask, width)))
    bits = mask[0] | mask[1] << 64
    return [lane for lane in range(width) if bits >> lane & 1]


def element(start: int, block: int, repeat: int, r: int, lane: int, size: int) -> int:
    """Index into memory of one lane of repeat r; strides in blocks of 32 B."""
    per_block = 32 // size
    byte = (
        start + 32 * (r * repeat + lane // per_block * block) + lane % per_block * size
    )
    return byte // size


def masked(memory, function, starts, strides, mask, repeats) -> np.ndarray:
    """`starts`: bytes, dst first; `strides`: (block, repeat) of each."""
    out, size = memory.copy(), memory.itemsize
    for r in range(repeats):
        lanes = lanes_of(mask, 256 // size)
        found = []
        for lane in lanes:
            places = [
                element(start, *stride, r, lane, size)
                for start, stride in zip(starts, strides, strict=True)
            ]
            found.append((places[0], function(*(out[p] for p in places[1:]))))
        for place, value in found:
            out[place] = value
    return out


def touched(start, stride, mask, repeats, size) -> set[int]:
    return {
        element(start, *stride, r, lane, size)
        for r in range(repeats)
        for lane in lanes_of(mask, 256 // size)
    }


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Bit for bit, but for the payload of NaN."""
    nan = np.isnan(a) & np.isnan(b)
    unsigned = f"u{a.itemsize}"
    return bool((nan | (a.view(unsigned) == b.view(unsigned))).all())


MASKS = st.one_of(
    st.integers(0, 64),
    st.tuples(st.integers(0, 2**64 - 1), st.just(0)),
    st.sampled_from([(0x5555, 0), (1 << 63, 0), (0xFF00FF00, 0)]),
)
STRIDES = st.tuples(st.integers(0, 4), st.integers(0, 12))


@settings(max_examples=60)
@given(
    dtype=st.sampled_from(["half", "float32"]),
    seed=st.integers(0, 1000),
    mask=MASKS,
    repeats=st.integers(0, 6),
    strides=st.tuples(STRIDES, STRIDES, STRIDES),
    alias=st.sampled_from(["apart", "dst is src0", "dst is src1", "sources are one"]),
)
def test_add_in_the_mask_form(dtype, seed, mask, repeats, strides, alias):
    starts = {
        "apart": [0, 8192, 16384],
        "dst is src0": [0, 0, 16384],
        "dst is src1": [0, 8192, 0],
        "sources are one": [0, 8192, 8192],
    }[alias]
    strides = list(strides)
    for i in (1, 2):
        if starts[i] == starts[0]:
            strides[i] = strides[0]
    memory = memory_of(dtype, seed)
    size = memory.itemsize
    names = [f"whole[{start // size}:]" for start in starts]
    (db, dr), (ab, ar), (bb, br) = strides
    shown = mask if isinstance(mask, int) else list(mask)
    call = (
        f"asc.add({', '.join(names)}, {shown}, {repeats}, "
        f"asc.BinaryRepeatParams({db}, {ab}, {bb}, {dr}, {ar}, {br}))"
    )
    with np.errstate(all="ignore"):
        wanted = masked(memory, np.add, starts, strides, mask, repeats)
    assert same(run_call(call, memory), wanted), call


@settings(max_examples=40)
@given(
    seed=st.integers(0, 1000),
    repeats=st.integers(0, 5),
    dst=STRIDES,
    src=STRIDES,
    in_place=st.booleans(),
)
def test_cast_to_half_in_the_mask_form(seed, repeats, dst, src, in_place):
    """In place it is right, or refused where it would reach what is still read."""
    memory = memory_of("float32", seed)
    start = 0 if in_place else 12288
    call = (
        "asc.cast(whole.reinterpret_cast(asc.half), "
        f"whole[{start // 4}:], asc.RoundMode.CAST_RINT, 64, {repeats}, "
        f"asc.UnaryRepeatParams({dst[0]}, {src[0]}, {dst[1]}, {src[1]}))"
    )
    out = memory.copy().view(np.float16)
    read = out.view(np.float32)
    with np.errstate(all="ignore"):
        for r in range(repeats):
            places = [element(start, *src, r, lane, 4) for lane in range(64)]
            into = [element(0, *dst, r, lane, 2) for lane in range(64)]
            for place, value in zip(into, read[places].astype(np.float16), strict=True):
                out[place] = value
    try:
        found = run_call(call, memory)
    except KernelError as error:
        assert in_place and repeats > 1 and error.diagnostics[-1].code == "ASC-ALIAS-12"
        return
    assert same(found.view(np.float16), out), call


@settings(max_examples=40)
@given(
    seed=st.integers(0, 1000),
    repeats=st.integers(1, 5),
    src=STRIDES,
    stride=st.integers(0, 80),
    mask=st.integers(1, 64),
    in_place=st.booleans(),
)
def test_whole_reduce_max_in_the_mask_form(seed, repeats, src, stride, mask, in_place):
    memory = memory_of("float32", seed)
    memory = np.where(np.isnan(memory), np.float32(7), memory)
    start = 0 if in_place else 12288
    assume(in_place or stride * 4 * repeats < 12288)
    call = (
        f"asc.whole_reduce_max(whole, whole[{start // 4}:], {mask}, {repeats}, "
        f"{stride}, {src[0]}, {src[1]}, asc.ReduceOrder.ORDER_ONLY_VALUE)"
    )
    out = memory.copy()
    for r in range(repeats):
        values = [out[element(start, *src, r, lane, 4)] for lane in range(mask)]
        out[r * stride] = max(values)
    try:
        found = run_call(call, memory)
    except KernelError as error:
        assert in_place and repeats > 1 and error.diagnostics[-1].code == "ASC-ALIAS-12"
        return
    assert (found == out).all(), call


LOCAL = """asc.LocalTensor(asc.uint8, asc.TPosition.VECCALC, 64, 128)"""
REFUSED = {
    "a negative base of gather": (
        "asc.gather(whole, whole[2048:], whole[4096:].reinterpret_cast(asc.uint32), "
        "-32, 0)",
        "ASC-RUN-07",
    ),
    "a base of gather between elements": (
        "asc.duplicate(whole[4096:], 0.0, 8)\n    asc.gather(whole, whole[2048:], "
        "whole[4096:].reinterpret_cast(asc.uint32), 2, 8)",
        "ASC-ALIGN-02",
    ),
    "select over its own mask": (
        f"asc.select(whole, {LOCAL}, whole[2048:], whole[2048:], "
        "asc.SELMODE.VSEL_TENSOR_TENSOR_MODE, 256)",
        "ASC-ALIAS-12",
    ),
    "a copy inside UB onto itself, shifted": (
        "asc.data_copy(whole[8:], whole, 64)", "ASC-ALIAS-12",
    ),
    "a strided copy inside UB with other gaps": (
        "asc.data_copy(whole, whole, asc.DataCopyParams(4, 1, 1, 0))", "ASC-ALIAS-12",
    ),
    "a cast that runs ahead of its source": (
        "asc.cast(whole.reinterpret_cast(asc.half), whole, asc.RoundMode.CAST_RINT, "
        "64, 4, asc.UnaryRepeatParams(1, 1, 16, 8))",
        "ASC-ALIAS-12",
    ),
    "results of repeats ahead of their source": (
        "asc.block_reduce_sum(whole, whole, 4, 64, 16, 1, 8)", "ASC-ALIAS-12",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_hardware_would_spoil_is_refused(name):
    call, code = REFUSED[name]
    with pytest.raises(KernelError) as error:
        run_call(call, memory_of("float32", 1))
    assert [d.code for d in error.value.diagnostics] == [code]
    for language in ("en", "zh"):
        assert "?" not in error.value.diagnostics[0].render(language)


def test_an_index_that_a_half_cannot_hold_is_refused():
    text = """
half = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, 70000)
    asc.duplicate(half, 1.0, 70000)
    tmp = asc.LocalTensor(asc.half, asc.TPosition.VECCALC, 140032, 2048)
    asc.reduce_max(tmp[1792:], half, tmp, {count}, True)""".strip()
    assert run_call(text.format(count=65536), memory_of("half", 1)) is not None
    with pytest.raises(KernelError) as error:
        run_call(text.format(count=65537), memory_of("half", 1))
    assert error.value.diagnostics[-1].code == "ASC-RUN-07"


ACCEPTED = {
    "a copy inside UB onto itself": "asc.data_copy(whole, whole, 64)",
    "interleaved rows": (
        "asc.data_copy(whole[8:], whole, asc.DataCopyParams(4, 1, 1, 1))"
    ),
    "no repeats": "asc.brcb(whole, whole[2048:], 0, asc.BrcbRepeatParams(1, 8))",
    "no elements": "asc.reduce_sum(whole, whole[2048:], whole[4096:], 0)",
    "sums where the source starts": (
        "asc.whole_reduce_sum(whole, whole, 64, 4, 1, 1, 8)"
    ),
    "255 repeats": (
        "asc.adds(whole, whole, 0.0, 8, 255, asc.UnaryRepeatParams(1, 1, 1, 1))"
    ),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_hardware_does_right_is_accepted(name):
    memory = np.ones(NBYTES // 4, np.float32)
    assert np.isfinite(run_call(ACCEPTED[name], memory)).all()


def test_a_block_beyond_the_cores_is_told_with_its_core():
    text = """from npusim import asc


@asc.jit
def kernel(z: asc.GlobalAddress, n: int):
    zg = asc.GlobalTensor()
    zg.set_global_buffer(z, n)
    if asc.get_block_idx() == {bad}:
        zg.set_value(n, 1.0)
"""
    for blocks, bad, shown in ((48, 5, "(core 5)"), (60, 58, "(block 58, core 10)")):
        kernel = Kernel.from_text(
            text.format(bad=bad), "waves.py", "kernel", {"asc": asc}
        )
        with pytest.raises(KernelError) as error:
            kernel[blocks](np.zeros(64, np.float32), 64)
        (found,) = error.value.diagnostics
        assert shown in found.render("en") and found.core == bad
        assert f"核 {bad % 48}）" in found.render("zh")
