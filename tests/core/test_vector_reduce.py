"""Reductions: order of summation, first of equals, work area, forms and strides."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vector_oracle import AREA, codes, lanes_of, launch, numbers, place, result_of, same

from npusim.lang.types import DTYPES

FLOATS = ("half", "float32")
few = settings(max_examples=12, deadline=None)
seeds = st.integers(0, 10**6)
sizes = st.one_of(
    st.sampled_from([1, 63, 64, 65, 128, 129, 2048]), st.integers(1, 2048)
)


def width_of(dtype):
    return 256 // DTYPES[dtype].itemsize


def add(x, y):
    with np.errstate(all="ignore"):
        return x + y


def tree(values):
    """Neighbours first; None is an absent element."""
    while len(values) > 1:
        values = values + [None] * (len(values) % 2)
        values = [_pair(*values[i : i + 2]) for i in range(0, len(values), 2)]
    return values[0]


def _pair(x, y):
    if x is None or y is None:
        return x if y is None else y
    return add(x, y)


def in_lanes(values, lanes, width):
    row = [None] * width
    for lane, value in zip(lanes, values, strict=True):
        row[lane] = value
    return row


def sum_of(values, width):
    """The count form: tree in a repeat, then repeat after repeat."""
    total = None
    for i in range(0, len(values), width):
        part = tree(list(values[i : i + width]))
        total = part if total is None else add(total, part)
    return total


def mild(dtype, seed):
    a = numbers(dtype, seed, scale=1.0)
    keep = np.isfinite(a) & (np.abs(a) < 1000)
    return np.where(keep, a, 0).astype(a.dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@few
@given(count=sizes, seed=seeds, special=st.booleans())
def test_count_form_sums_repeat_after_repeat(dtype, count, seed, special):
    a = numbers(dtype, seed) if special else mild(dtype, seed)
    d = np.full_like(a, 7)
    result = result_of(
        f"asc.reduce_sum(d, a, t.reinterpret_cast(a.dtype), {count})", a, a, d
    )
    same(result[:1], np.array([sum_of(a[:count], width_of(dtype))]))
    assert (result[1:] == 7).all()


@pytest.mark.parametrize("dtype", FLOATS)
@few
@given(
    mask=st.integers(1, 64),
    repeats=st.integers(1, 9),
    rep=st.integers(1, 9),
    seed=seeds,
)
def test_mask_form_goes_on_as_a_tree(dtype, mask, repeats, rep, seed):
    a = mild(dtype, seed)
    width = width_of(dtype)
    body = (
        f"asc.reduce_sum(d, a, t.reinterpret_cast(a.dtype), {mask}, {repeats}, {rep})"
    )
    rows = [
        tree([a[place(lane, r, 1, rep, a.itemsize)] for lane in range(mask)])
        for r in range(repeats)
    ]
    assert mask <= width
    same(result_of(body, a, a, a * 0)[:1], np.array([tree(rows)]))


def test_the_two_forms_differ_in_half():
    rng = np.random.default_rng(0)
    a = rng.normal(scale=10, size=AREA // 2).astype(np.float16)
    t = "t.reinterpret_cast(asc.half)"
    counted = result_of(f"asc.reduce_sum(d, a, {t}, 4096)", a, a, a * 0)[0]
    masked = result_of(f"asc.reduce_sum(d, a, {t}, 128, 32, 8)", a, a, a * 0)[0]
    assert counted != masked
    assert counted == sum_of(list(a), 128)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name, find", [("max", np.argmax), ("min", np.argmin)])
@few
@given(count=sizes, seed=seeds, special=st.booleans())
def test_extremes_are_the_first_and_have_an_index(
    name, find, dtype, count, seed, special
):
    a = numbers(dtype, seed) if special else np.round(mild(dtype, seed))
    if special:
        a = np.where(np.isnan(a), a.dtype.type(1), a)
    where = find(a[:count])
    t = "t.reinterpret_cast(a.dtype)"
    result = result_of(
        f"asc.reduce_{name}(d, a, {t}, {count}, True)", a, a, np.zeros_like(a)
    )
    same(result[:1], a[where : where + 1])
    assert result[1:2].view(f"u{a.itemsize}")[0] == where
    plain = result_of(f"asc.reduce_{name}(d, a, {t}, {count})", a, a, np.zeros_like(a))
    same(plain[:1], a[where : where + 1])
    assert plain[1] == 0


def test_nan_wins():
    a = np.ones(AREA // 4, np.float32)
    a[70] = np.nan
    for name in ("max", "min"):
        result = result_of(f"asc.reduce_{name}(d, a, t, 100, True)", a, a, a * 0)
        assert np.isnan(result[0]) and result[1:2].view(np.uint32)[0] == 70


# -------------------------------------------------------------- results of each repeat
strides = st.tuples(st.sampled_from([0, 1, 1, 2]), st.integers(0, 12))
WORD = (1 << 64) - 1


@st.composite
def masks(draw):
    if draw(st.booleans()):
        return draw(st.integers(1, 64))
    return [draw(st.integers(1, WORD)), 0]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("what", ["sum", "max", "min"])
@few
@given(
    mask=masks(),
    repeats=st.integers(0, 6),
    pair=strides,
    seed=seeds,
    rep=st.integers(0, 3),
)
def test_whole_reduce(what, dtype, mask, repeats, pair, seed, rep):
    a, width = mild(dtype, seed), width_of(dtype)
    lanes, unit = lanes_of(mask, width), 1 if what == "sum" else 2
    d = np.full_like(a, 9)
    expected = d.copy()
    for r in range(repeats):
        row = [a[place(lane, r, *pair, a.itemsize)] for lane in lanes]
        at = r * rep * unit
        if what == "sum":
            expected[at] = tree(in_lanes(row, lanes, width))
            continue
        best = int((np.argmax if what == "max" else np.argmin)(row))
        expected[at] = row[best]
        expected.view(f"u{a.itemsize}")[at + 1] = lanes[best]
    body = (
        f"asc.whole_reduce_{what}(d, a, {mask}, {repeats}, {rep}, {pair[0]}, {pair[1]})"
    )
    same(result_of(body, a, a, d), expected)


ORDERS = {
    "VALUE_INDEX": "vi",
    "INDEX_VALUE": "iv",
    "ONLY_VALUE": "v",
    "ONLY_INDEX": "i",
}


@pytest.mark.parametrize("order, shown", ORDERS.items())
def test_orders_of_value_and_index(order, shown):
    a = mild("float32", 3)
    body = f"asc.whole_reduce_max(d, a, 64, 2, 1, 1, 8, asc.ReduceOrder.ORDER_{order})"
    result = result_of(body, a, a, np.zeros_like(a))
    expected = []
    for row in a[:128].reshape(2, 64):
        found = {"v": row.max(), "i": np.uint32(row.argmax()).view(np.float32)}
        expected += [found[letter] for letter in shown]
    same(result[: len(expected)], np.array(expected, np.float32))
    assert (result[len(expected) :] == 0).all()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["block_sum", "block_max", "block_min", "pair_sum"])
@few
@given(
    mask=masks(),
    repeats=st.integers(0, 6),
    pair=strides,
    seed=seeds,
    rep=st.integers(1, 3),
)
def test_block_and_pair_reduce(name, dtype, mask, repeats, pair, seed, rep):
    a, width = mild(dtype, seed), width_of(dtype)
    kind, what = name.split("_")
    members = 2 if kind == "pair" else 32 // a.itemsize
    lanes, results = lanes_of(mask, width), width // members
    d = np.full_like(a, 9)
    expected = d.copy()
    for r in range(repeats):
        row = {lane: a[place(lane, r, *pair, a.itemsize)] for lane in lanes}
        for group in range(results):
            some = [row.get(group * members + i) for i in range(members)]
            present = [v for v in some if v is not None]
            if present:
                value = (
                    tree(some)
                    if what == "sum"
                    else (max if what == "max" else min)(present)
                )
                expected[r * rep * results + group] = value
    numbers_ = f"{repeats}, {mask}, {rep}, {pair[0]}, {pair[1]}"
    body = f"asc.{kind}_reduce_{what}(d, a, {numbers_})"
    result = result_of(body, a, a, d)
    np.testing.assert_array_equal(result, expected)  # max of ±0 may be either


# ------------------------------------------------------------------------- work area
LONG = f"long = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, {4 * AREA}, 6000)"


@pytest.mark.parametrize(
    "name, count, room, enough",
    [("sum", 5000, 79, False), ("sum", 5000, 80, True),
     ("sum", 1, 7, False), ("sum", 1, 8, True),
     ("max", 64 * 8, 15, False), ("max", 64 * 8, 16, True)],
)  # fmt: skip
def test_work_area(name, count, room, enough):
    count = min(count, AREA // 4) if name == "max" else count
    a = np.ones(AREA // 4, np.float32)
    source = "a" if count <= AREA // 4 else "long"
    body = (
        f"{LONG}\n"
        "asc.duplicate(long, 1.0, 6000)\n"
        f"asc.reduce_{name}(d, {source}, t[0:{room}], {count})"
    )
    _, execution = launch(body, a, a, a * 0)
    assert codes(execution) == ([] if enough else ["ASC-TMP-14"])


def test_work_area_message_has_the_numbers():
    a = np.ones(AREA // 4, np.float32)
    body = f"{LONG}\nasc.reduce_sum(d, long, t[0:8], 5000)"
    (fault,) = launch(body, a, a, a * 0)[1].faults
    assert (fault.facts["required"], fault.facts["nbytes"]) == (320, 32)


def test_saturating_sums_stick():
    a = np.full(AREA // 2, 1000, np.float16)
    body = "asc.reduce_sum(d, a, t.reinterpret_cast(asc.half), 128 * 3)"
    inf, execution = launch(body, a, a, a * 0)
    assert np.isinf(inf[0]) and [d.facts["count"] for d in execution.findings] == [1]
    stuck, execution = launch(body, a, a, a * 0, overflow="saturate")
    assert stuck[0] == 65504 and codes(execution) == ["ASC-NUM-33"]


@pytest.mark.parametrize("form", ["128 * 3", "128, 3, 8"])
def test_partial_sums_that_overflow_to_both_sides_are_counted(form):
    """Inf - Inf is NaN: as lost as Inf, if all elements were finite."""
    a = np.repeat(np.float16([60000, 60000, -60000, -60000]), AREA // 8)
    a = a.reshape(4, -1).T.reshape(-1).copy()  # 60000, 60000, -60000, -60000, …
    body = f"asc.reduce_sum(d, a, t.reinterpret_cast(asc.half), {form})"
    result, execution = launch(body, a, a, a * 0)
    assert np.isnan(result[0]) and codes(execution) == ["ASC-NUM-33"]
    a[5] = np.nan
    assert codes(launch(body, a, a, a * 0)[1]) == []


def test_lost_sums_of_repeats_are_counted_one_by_one():
    a = np.zeros(AREA // 2, np.float16)
    a[:4] = 60000, 60000, -60000, -60000
    a[128:130] = 60000
    body = "asc.whole_reduce_sum(d, a, 128, 3, 1, 1, 8)"
    result, execution = launch(body, a, a, a * 0)
    assert np.isnan(result[0]) and np.isinf(result[1]) and result[2] == 0
    assert [d.facts["count"] for d in execution.findings] == [2]
