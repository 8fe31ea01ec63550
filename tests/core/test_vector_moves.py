"""compare, select, gather, gather_mask, brcb, copy, transpose; blocks in lockstep."""

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vector_oracle import AREA, codes, lanes_of, launch, numbers, place, result_of, same

from npusim.lang.types import DTYPES
from npusim.timing import time_execution

FLOATS = ("half", "float32")
FILL = ("int16", "uint16", "half", "bfloat16", "int32", "uint32", "float32")
few = settings(max_examples=12, deadline=None)
seeds = st.integers(0, 10**6)
MODES = {
    "LT": operator.lt, "GT": operator.gt, "EQ": operator.eq, "LE": operator.le,
    "GE": operator.ge, "NE": operator.ne,
}  # fmt: skip


def bits(values):
    return np.packbits(np.array(values, bool), bitorder="little")


def near(dtype, seed):
    a = numbers(dtype, seed, scale=1)
    return a if not DTYPES[dtype].is_float else np.where(np.abs(a) < 9, np.round(a), a)


# ------------------------------------------------------------------ compare and select
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", FLOATS)
@few
@given(seed=seeds, repeats=st.integers(0, 8))
def test_compare(dtype, mode, seed, repeats):
    a, b = near(dtype, seed), near(dtype, seed + 1)
    count = repeats * 256 // a.itemsize
    d = np.full(AREA, 0xAA, np.uint8)
    result = result_of(f"asc.compare(d, a, b, asc.CMPMODE.{mode}, {count})", a, b, d)
    same(result[: count // 8], bits(MODES[mode](a[:count], b[:count])))
    assert (result[count // 8 :] == 0xAA).all()
    result = result_of(
        f"asc.compare_scalar(d, a, 2.0, asc.CMPMODE.{mode}, {count})", a, b, d
    )
    same(result[: count // 8], bits(MODES[mode](a[:count], 2)))


def test_int32_compares_for_equality():
    a = np.arange(AREA // 4, dtype=np.int32) % 3
    d = np.zeros(AREA, np.int8)
    result = result_of("asc.compare_scalar(d, a, 2, asc.CMPMODE.EQ, 64)", a, a, d)
    same(result[:8].view(np.uint8), bits(a[:64] == 2))


@few
@given(
    mask=st.integers(0, 64),
    repeats=st.integers(0, 5),
    rep=st.integers(0, 9),
    seed=seeds,
)
def test_compare_by_masks_writes_bits_of_whole_repeats(mask, repeats, rep, seed):
    a, b = near("float32", seed), near("float32", seed + 1)
    d = np.full(AREA, 0xAA, np.uint8)
    body = (
        f"asc.compare(d, a, b, asc.CMPMODE.LT, {mask}, {repeats}, "
        f"asc.BinaryRepeatParams(src0_rep_stride={rep}))"
    )
    expected = [
        a[place(lane, r, 1, rep, 4)] < b[64 * r + lane] if lane < mask else False
        for r in range(repeats) for lane in range(64)
    ]  # fmt: skip
    nbytes = len(expected) // 8 if mask else 0
    result = result_of(body, a, b, d)
    same(result[:nbytes], bits(expected)[:nbytes])
    assert (result[nbytes:] == 0xAA).all()


@pytest.mark.parametrize("dtype", FLOATS)
@few
@given(count=st.integers(0, 1500), seed=seeds)
def test_select(dtype, count, seed):
    a, b, d = numbers(dtype, seed), numbers(dtype, seed + 1), numbers(dtype, seed + 2)
    chosen = np.unpackbits(b.view(np.uint8), bitorder="little").astype(bool)[:count]
    m = "b.reinterpret_cast(asc.uint8)"
    head = "asc.SELMODE.VSEL_"
    body = f"asc.select(d, {m}, a, 3.0, {head}TENSOR_SCALAR_MODE, {count})"
    expected = d.copy()
    expected[:count] = np.where(chosen, a[:count], a.dtype.type(3))
    same(result_of(body, a, b, d), expected)
    body = f"asc.select(d, {m}, a, d, {head}TENSOR_TENSOR_MODE, {count})"
    expected[:count] = np.where(chosen, a[:count], d[:count])
    same(result_of(body, a, b, d), expected)
    width = 256 // a.itemsize
    body = f"asc.select(d, {m}, a, d, {head}CMPMASK_SPR, {count})"
    first = np.unpackbits(b.view(np.uint8), bitorder="little").astype(bool)
    expected[:count] = np.where(first[np.arange(count) % width], a[:count], d[:count])
    same(result_of(body, a, b, d), expected)
    body = (f"asc.select(d, {m}, a, d, {head}TENSOR_TENSOR_MODE, 30, 4, "
            "asc.BinaryRepeatParams(1, 1, 1, 9, 8, 9))")  # fmt: skip
    expected = d.copy()
    for r in range(4):
        for lane in range(30):
            at = place(lane, r, 1, 9, a.itemsize)
            if first[r * width + lane]:
                expected[at] = a[place(lane, r, 1, 8, a.itemsize)]
    same(result_of(body, a, b, d), expected)


# ---------------------------------------------------------------------------- gathers
@pytest.mark.parametrize("dtype", FILL)
@few
@given(count=st.integers(0, 500), seed=seeds, base=st.sampled_from([0, 4, 64]))
def test_gather(dtype, count, seed, base):
    a, d = numbers(dtype, seed), numbers(dtype, seed + 1)
    rng = np.random.default_rng(seed)
    index = rng.integers(0, len(a) - 64, AREA // 4)
    offsets = (index * a.itemsize).astype(np.uint32)
    result = result_of(f"asc.gather(d, a, b, {base}, {count})", a, offsets, d)
    expected = d.copy()
    expected[:count] = a[index[:count] + base // a.itemsize]
    same(result, expected)


def test_gather_by_masks():
    a, d = numbers("half", 1), numbers("half", 2)
    offsets = np.random.default_rng(0).permutation(AREA // 4).astype(np.uint32) * 2
    result = result_of("asc.gather(d, a, b, 0, 100, 3, 9)", a, offsets, d)
    expected = d.copy()
    for r in range(3):
        for lane in range(100):
            expected[place(lane, r, 1, 9, 2)] = a[offsets[r * 128 + lane] // 2]
    same(result, expected)


def test_gather_faults_name_the_offset():
    a = np.zeros(AREA // 4, np.float32)
    offsets = np.full(AREA // 4, 8, np.uint32)
    for value, code in ((AREA, "ASC-UB-10"), (6, "ASC-ALIGN-02"), (AREA - 4, None)):
        offsets[5] = value
        _, execution = launch("asc.gather(d, a, b, 0, 10)", a, offsets, a)
        assert codes(execution) == ([code] if code else [])
        if code:
            assert execution.faults[0].facts["byte"] == value


PATTERNS = {
    1: [1, 0], 2: [0, 1], 3: [1, 0, 0, 0], 4: [0, 1, 0, 0], 5: [0, 0, 1, 0],
    6: [0, 0, 0, 1], 7: [1],
}  # fmt: skip


@pytest.mark.parametrize("dtype", ("half", "float32", "uint16"))
@few
@given(seed=seeds, number=st.integers(1, 7), repeats=st.integers(1, 4),
       rep=st.integers(1, 9), mask=st.none() | st.integers(1, 300))  # fmt: skip
def test_gather_mask_by_number(dtype, seed, number, repeats, rep, mask):
    a, d = numbers(dtype, seed), numbers(dtype, seed + 1)
    lanes = mask or 256 // a.itemsize
    counter = "False, 0" if mask is None else f"True, {mask}"
    body = (
        f"k = asc.gather_mask(d, a, {number}, {counter}, "
        f'asc.GatherMaskParams(1, {repeats}, {rep}, 0))\nasc.printf(f"{{k}}")'
    )
    pattern = PATTERNS[number]
    offered = [(place(lane, r, 1, rep, a.itemsize), lane) for r in range(repeats)
               for lane in range(lanes)]  # fmt: skip
    expected = [a[at] for at, lane in offered if pattern[lane % len(pattern)]]
    result, execution = launch(body, a, a, d)
    assert not execution.faults
    same(result[: len(expected)], np.array(expected, a.dtype))
    same(result[len(expected) :], d[len(expected) :])
    assert execution.prints[0].endswith(str(len(expected)))


def test_gather_mask_by_bits_differs_between_blocks():
    a = np.concatenate([numbers("float32", i) for i in range(3)])
    pattern = np.concatenate([numbers("uint32", 9 + i) for i in range(3)])
    body = (
        "k = asc.gather_mask(d, a, b, False, 0, asc.GatherMaskParams(1, 2, 8, 1))\n"
        'asc.printf(f"{k}")\nif k > 64:\n    asc.adds(d, d, 1.0, 8)'
    )
    together, first = launch(body, a, pattern, np.zeros_like(a), blocks=3)
    alone, second = launch(body, a, pattern, np.zeros_like(a), blocks=3, lockstep=False)
    same(together, alone)
    assert first.prints == second.prints
    for block in range(3):
        words = pattern.reshape(3, -1)[block]
        chosen = [lane + 64 * r for r in range(2) for lane in range(64)
                  if words[8 * r + lane // 32] >> np.uint32(lane % 32) & 1]  # fmt: skip
        expected = a.reshape(3, -1)[block][chosen]
        if len(chosen) > 64:
            with np.errstate(all="ignore"):
                expected[:8] += np.float32(1)
        same(together.reshape(3, -1)[block][: len(chosen)], expected)


# --------------------------------------------------------------- brcb, copy, transpose
@pytest.mark.parametrize("dtype", FILL)
@few
@given(
    seed=seeds, repeats=st.integers(0, 6), blk=st.integers(1, 3), more=st.integers(0, 9)
)
def test_brcb(dtype, seed, repeats, blk, more):
    a, d, rep = numbers(dtype, seed), numbers(dtype, seed + 1), 7 * blk + 1 + more
    per_block = 32 // a.itemsize
    expected = d.copy()
    for r in range(repeats):
        for lane in range(8 * per_block):
            expected[place(lane, r, blk, rep, a.itemsize)] = a[
                8 * r + lane // per_block
            ]
    body = f"asc.brcb(d, a, {repeats}, asc.BrcbRepeatParams({blk}, {rep}))"
    result, execution = launch(body, a, a, d)
    assert not execution.faults
    same(result, expected)


@pytest.mark.parametrize("dtype", FILL)
def test_copy_by_masks(dtype):
    a, d = numbers(dtype, 1), numbers(dtype, 2)
    width = 256 // a.itemsize
    expected = d.copy()
    for r in range(3):
        for lane in lanes_of(width - 5, width):
            expected[place(lane, r, 2, 17, a.itemsize)] = a[
                place(lane, r, 1, 4, a.itemsize)
            ]
    body = f"asc.copy(d, a, {width - 5}, 3, asc.CopyRepeatParams(2, 1, 17, 4))"
    same(result_of(body, a, a, d), expected)


@pytest.mark.parametrize("dtype", ("half", "int16", "uint16"))
def test_transpose(dtype):
    a, d = numbers(dtype, 1), numbers(dtype, 2)
    result = result_of("asc.transpose(d, a)", a, a, d)
    same(result[:256], a[:256].reshape(16, 16).T.reshape(-1))
    same(result[256:], d[256:])
    same(result_of("asc.transpose(d, d)", a, a, a)[:256], result[:256])


# ----------------------------------------------------------------------- in lockstep
BODIES = [
    "asc.exp(d, a, 300)", "asc.reciprocal(d, a, 300)", "asc.ln(d, a, 77)",
    "asc.reduce_sum(d, a, t, 1000)", "asc.whole_reduce_max(d, a, 60, 4, 1, 1, 8)",
    "asc.add(d, a, b, [0x5555555555555555, 0], 5)", "asc.axpy(d, a, 1.1, 555)",
    "asc.reduce_min(d, a, t, 999, True)", "asc.div(d, a, b, 999)",
    "asc.add(d, d, a, 64, 7, asc.BinaryRepeatParams(1, 1, 1, 0, 0, 8))",
    "v = a.get_value(0)\nasc.muls(d, a, v, 100)\nasc.maxs(d[104:], b, v, 64, 3)",
    "n = 64 + asc.get_block_idx() % 3 * 8\nasc.adds(d, a, 2.0, n)",
]  # fmt: skip


@pytest.mark.parametrize("body", BODIES)
def test_lockstep_equals_block_by_block(body):
    blocks = 5
    a, b, d = (
        np.concatenate([numbers("float32", 10 * i + k) for i in range(blocks)])
        for k in range(3)
    )
    together, first = launch(body, a, b, d, blocks=blocks)
    alone, second = launch(body, a, b, d, blocks=blocks, lockstep=False)
    same(together, alone)
    assert together.tobytes() == alone.tobytes()
    assert [(d.code, d.facts, d.core) for d in first.findings] == [
        (d.code, d.facts, d.core) for d in second.findings
    ]
    assert first.executed == second.executed
    assert time_execution(first).cycles == time_execution(second).cycles
