"""The mask form: masks, strides, broadcast, accumulation, mask state; exact bytes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vector_oracle import (
    AREA,
    by_repeats,
    codes,
    lanes_of,
    launch,
    maximum,
    numbers,
    place,
    same,
)

BINARY = {"add": np.add, "mul": np.multiply, "max": maximum}
DTYPES = ("int16", "half", "int32", "float32")
few = settings(max_examples=25, deadline=None)
WORD = (1 << 64) - 1


def width_of(dtype):
    return 128 if dtype in ("half", "int16") else 64


@st.composite
def masks(draw, width):
    if draw(st.booleans()):
        return draw(st.integers(0, width))
    high = draw(st.integers(0, WORD)) if width == 128 else 0
    return [draw(st.integers(0, WORD)), high]


def fits(strides, mask, repeats, width, itemsize):
    lanes = lanes_of(mask, width)
    last = [place(lane, repeats - 1, *strides, itemsize) for lane in lanes]
    return max(last, default=0) < AREA // itemsize


@st.composite
def forms(draw):
    dtype = draw(st.sampled_from(DTYPES))
    width, itemsize = width_of(dtype), 2 if width_of(dtype) == 128 else 4
    mask, repeats = draw(masks(width)), draw(st.integers(0, 9))
    strides = []
    for _ in range(3):
        pair = draw(st.sampled_from([0, 1, 1, 2, 3, 16])), draw(st.integers(0, 20))
        strides.append(
            pair if fits(pair, mask, max(repeats, 1), width, itemsize) else (1, 8)
        )
    return dtype, width, mask, repeats, strides


def params(strides):
    return ", ".join(str(s[i]) for i in (0, 1) for s in strides)


def plain(values):
    """Distinct finite numbers: an oracle for places, not for arithmetic."""
    if values.dtype.kind == "f":
        return np.where(np.isfinite(values) & (np.abs(values) < 100), values, 1).astype(
            values.dtype
        )
    return values


@pytest.mark.parametrize("name", BINARY)
@few
@given(form=forms(), seed=st.integers(0, 1000))
def test_binary_by_masks_and_strides(name, form, seed):
    dtype, width, mask, repeats, strides = form
    a, b, d = (plain(numbers(dtype, seed + i)) for i in range(3))
    record = f"asc.BinaryRepeatParams({params(strides)})"
    body = f"asc.{name}(d, a, b, {mask}, {repeats}, {record})"
    result, execution = launch(body, a, b, d)
    assert not execution.faults
    with np.errstate(all="ignore"):
        expected = by_repeats(BINARY[name], d, [a, b], strides, mask, repeats, width)
    same(result, expected)
    check_bytes(execution, dtype, mask, repeats, strides, width)


def check_bytes(execution, dtype, mask, repeats, strides, width):
    """The step's accesses are exactly the bytes that the reference touches."""
    steps = list(execution.streams[0].steps())
    step = next(s for s in steps if s.pipe == "V")
    itemsize = 2 if width == 128 else 4
    lanes = lanes_of(mask, width)

    def bytes_of(start, pair):
        first = [start + itemsize * place(lane, r, *pair, itemsize)
                 for r in range(repeats) for lane in lanes]  # fmt: skip
        return {f + i for f in first for i in range(itemsize)}

    def touched(accesses):
        return {
            a.base + i * a.pitch + k
            for a in accesses for i in range(a.count) for k in range(a.nbytes)
        }  # fmt: skip

    assert touched(step.writes) == bytes_of(2 * AREA, strides[0])
    expected = bytes_of(0, strides[1]) | bytes_of(AREA, strides[2])
    assert touched(step.reads) == expected
    assert step.cost.repeats == (repeats if lanes else 0)


@few
@given(form=forms(), seed=st.integers(0, 1000))
def test_unary_and_scalar_by_masks_and_strides(form, seed):
    dtype, width, mask, repeats, strides = form
    a, d = plain(numbers(dtype, seed)), plain(numbers(dtype, seed + 1))
    strides = strides[:2]
    record = f"asc.UnaryRepeatParams({params(strides)})"
    body = f"asc.muls(d, a, 3, {mask}, {repeats}, {record})"
    result, execution = launch(body, a, a, d)
    three = a.dtype.type(3)
    with np.errstate(all="ignore"):
        expected = by_repeats(
            lambda x: x * three, d, [a], strides, mask, repeats, width
        )
    same(result, expected)
    body = f"asc.duplicate(d, 3, {mask}, {repeats}, {strides[0][0]}, {strides[0][1]})\n"
    result, _ = launch(body, a, a, d)
    lanes = len(lanes_of(mask, width))
    fill = by_repeats(lambda: [three] * lanes, d, [], strides[:1], mask, repeats, width)
    same(result, fill)


def test_short_and_long_names_and_defaults_of_strides():
    a, b, d = (numbers("float32", i, scale=1) for i in range(3))
    texts = (
        "asc.add(d, a, b, 64, 2)",
        "asc.add(d, a, b, 64, 2, asc.BinaryRepeatParams())",
        "asc.add(dst=d, src0=a, src1=b, mask=64, repeat_times=2, "
        "params=asc.BinaryRepeatParams(dst_blk=1, src1_rep=8))",
        "asc.add(d, a, b, 64, 2, asc.BinaryRepeatParams(src0_rep_stride=8))",
        "asc.add(d, a, b, 128)",
    )
    results = [launch(text, a, b, d)[0] for text in texts]
    for result in results[1:]:
        same(result, results[0])


def test_accumulation_into_a_repeat_stride_of_zero():
    a, d = numbers("float32", 1, scale=1), np.zeros(AREA // 4, np.float32)
    a = plain(a)
    body = "asc.add(d, d, a, 64, 7, asc.BinaryRepeatParams(1, 1, 1, 0, 0, 8))"
    result, execution = launch(body, a, a, d)
    expected = d[:64].copy()
    for repeat in range(7):
        expected = expected + a[64 * repeat : 64 * repeat + 64]
    same(result[:64], expected)
    assert codes(execution) == []


# --------------------------------------------------------------------------- overlap
OVERLAPS = [
    ("asc.adds(a[8:], a, 1.0, 64)", "ASC-ALIAS-12"),
    ("asc.adds(a, a[8:], 1.0, 64)", "ASC-ALIAS-12"),
    ("asc.adds(a, a, 1.0, 64)", None),
    ("asc.adds(a[64:], a, 1.0, 64)", None),
    ("asc.add(a, b, a[8:], 64)", "ASC-ALIAS-12"),
    ("asc.adds(a[8:], a, 1.0, 8, 4, asc.UnaryRepeatParams(1, 1, 2, 2))", None),
    ("asc.adds(a, a, 1.0, 64, 2, asc.UnaryRepeatParams(1, 1, 8, 4))", "ASC-ALIAS-12"),
    ("asc.cast(a.reinterpret_cast(asc.half), a, asc.RoundMode.RINT, 64)", None),
    (
        "asc.cast(a, a.reinterpret_cast(asc.half), asc.RoundMode.NONE, 64)",
        "ASC-ALIAS-12",
    ),
    ("asc.muls(d, a, 2.0, 64, 4, asc.UnaryRepeatParams(1, 1, 4, 8))", "ASC-STRIDE-31"),
    ("asc.muls(d, a, 2.0, 64, 2, asc.UnaryRepeatParams(0, 1, 8, 8))", "ASC-STRIDE-31"),
    ("asc.muls(d, a, 2.0, 64, 256)", "ASC-REP-29"),
    ("asc.muls(d, a, 2.0, 64, -1)", "ASC-RUN-07"),
    ("asc.muls(d, a, 2.0, 65, 1)", "ASC-MASK-30"),
    ("asc.muls(d, a, 2.0, [0, 1], 1)", "ASC-MASK-30"),
    ("asc.muls(d, a, 2.0, -1, 1)", "ASC-RUN-07"),
    ("asc.muls(d, a, 2.0, 64, 2, asc.UnaryRepeatParams(1, 1, 256, 8))", "ASC-RUN-07"),
    ("asc.muls(d, a, 2.0, 64, 33)", "ASC-UB-10"),
    ("asc.muls(d[1:], a, 2.0, 64, 1)", "ASC-ALIGN-02"),
]


@pytest.mark.parametrize("body, code", OVERLAPS)
def test_diagnostics_of_masks_strides_and_overlap(body, code):
    a = plain(numbers("float32", 1, scale=1))
    _, execution = launch(body, a, a, a.copy())
    assert codes(execution) == ([code] if code else [])


def test_too_large_a_mask_computes_whole_repeats():
    a = plain(numbers("float32", 1, scale=1))
    wide_mask = launch("asc.adds(d, a, 1.0, 100, 2)", a, a, a * 0)[0]
    same(wide_mask, launch("asc.adds(d, a, 1.0, 64, 2)", a, a, a * 0)[0])


# ------------------------------------------------------------------------- mask state
@few
@given(count=st.integers(0, 300))
def test_count_mode_takes_the_mask_for_a_number(count):
    a = plain(numbers("float32", count, scale=1))
    own = f"asc.set_mask_count()\nasc.adds(d, a, 1.0, {count}, 1)\nasc.set_mask_norm()"
    kept = (
        f"asc.set_mask_count()\nasc.set_vector_mask({count})\n"
        "asc.adds(d, a, 1.0, 0, 1, is_set_mask=False)\n"
        "asc.set_mask_norm()\nasc.reset_mask()"
    )
    plain_count = launch(f"asc.adds(d, a, 1.0, {count})", a, a, a * 0)[0]
    for body in (own, kept):
        result, execution = launch(body, a, a, a * 0)
        same(result, plain_count)
        assert codes(execution) == []


def test_set_vector_mask_holds_until_reset():
    a = plain(numbers("half", 1, scale=1))
    keep = "asc.adds(d, a, 1.0, 0, 2, is_set_mask=False)"
    reset = "asc.reset_mask()"
    pairs = {
        f"asc.set_vector_mask(20)\n{keep}\n{reset}": "asc.adds(d, a, 1.0, 20, 2)",
        f"asc.set_vector_mask(3, 5)\n{keep}": "asc.adds(d, a, 1.0, [5, 3], 2)",
        f"asc.set_vector_mask(3)\n{reset}\n{keep}": "asc.adds(d, a, 1.0, 128, 2)",
        f"asc.set_vector_mask(0xFFFFFFFFFFFFFFFF, 0)\n{keep}":
            f"asc.adds(d, a, 1.0, [0, {WORD}], 2)",
    }  # fmt: skip
    for left, right in pairs.items():
        same(launch(left, a, a, a * 0)[0], launch(right, a, a, a * 0)[0])


def test_the_mask_state_may_differ_between_blocks():
    a = plain(np.concatenate([numbers("float32", i, scale=1) for i in range(3)]))
    body = (
        "asc.set_vector_mask(8 + asc.get_block_idx() % 2 * 8)\n"
        "asc.adds(d, a, 1.0, 0, 2, is_set_mask=False)"
    )
    together, _ = launch(body, a, a, a * 0, blocks=3)
    alone, _ = launch(body, a, a, a * 0, blocks=3, lockstep=False)
    same(together, alone)
    rows = together.reshape(3, -1)
    assert (rows != 0).sum(1).tolist() == [16, 32, 16]


def test_count_mode_left_on_is_told():
    a = plain(numbers("float32", 1, scale=1))
    _, execution = launch("asc.set_mask_count()", a, a, a * 0)
    (found,) = execution.findings
    assert (found.code, found.severity) == ("ASC-MASK-30", "W")
    assert found.where.text.strip() == "asc.set_mask_count()"
