"""Signatures of the vector instructions: forms, and dtypes of Atlas A2.

Names, order and dtypes follow the public Ascend C API reference. `count` is in
elements. In the mask form, `mask` is the number of elements of every repeat that take
part, or a list of two 64-bit words (bits of elements 0..63, then 64..127); with
`is_set_mask=False` the instruction uses the mask that `set_vector_mask` left. Strides
are in 32 B blocks, between blocks of a repeat and between repeats.
"""

from __future__ import annotations

from collections.abc import Iterable

from npusim.lang.forms import Form, Signature, parameters, plain

ARITHMETIC = ("int16", "half", "int32", "float32")
FLOATING = ("half", "float32")
SHORTS = ("int16", "uint16")
INTEGERS = ("int16", "uint16", "int32", "uint32")
NARROW = ("int16", "uint16", "half", "bfloat16")
FILL = (*NARROW, "int32", "uint32", "float32")
BITS = ("int8", "uint8", "uint16", "uint32", "uint64")

CAST_PAIRS = frozenset(
    (dst, src)
    for src, targets in {
        "int8": "half",
        "uint8": "half",
        "half": "int8 uint8 int16 int32 float32",
        "int16": "half float32",
        "int32": "int16 float32 int64",
        "float32": "half bfloat16 int16 int32 int64 float32",
        "bfloat16": "float32",
        "int64": "int32 float32",
    }.items()
    for dst in targets.split()
)
"""(dst, src) of the conversions that are one instruction on Atlas A2."""

_MASK = "mask:mask repeat_times:int"
_KEPT = "is_set_mask:flag?"
_BINARY = "dst:tensor src0:tensor src1:tensor"
_UNARY = "dst:tensor src:tensor"
_WITH_SCALAR = "dst:tensor src:tensor scalar:value"
_MIXED = frozenset({("float32", "half")})


def _forms(operands: str, record: str) -> tuple[Form, ...]:
    mask = f"{operands} {_MASK} params:{record}? {_KEPT}"
    return Form("count", parameters(f"{operands} count:int")), Form(
        "mask", parameters(mask)
    )


def _elementwise(
    name: str,
    operands: str,
    dtypes: tuple[str, ...],
    summary: str,
    pairs: Iterable[tuple[str, str]] = (),
    scalar_of: str = "dst",
) -> Signature:
    record = "BinaryRepeatParams" if "src1" in operands else "UnaryRepeatParams"
    forms = _forms(operands, record)
    return Signature(
        name, forms, dtypes, True, summary, pairs=frozenset(pairs), scalar_of=scalar_of
    )


_ELEMENTWISE = (
    _elementwise("add", _BINARY, ARITHMETIC, "dst[i] = src0[i] + src1[i]"),
    _elementwise("sub", _BINARY, ARITHMETIC, "dst[i] = src0[i] - src1[i]"),
    _elementwise("mul", _BINARY, ARITHMETIC, "dst[i] = src0[i] * src1[i]"),
    _elementwise("div", _BINARY, FLOATING, "dst[i] = src0[i] / src1[i]"),
    _elementwise("max", _BINARY, ARITHMETIC, "dst[i] = max(src0[i], src1[i])"),
    _elementwise("min", _BINARY, ARITHMETIC, "dst[i] = min(src0[i], src1[i])"),
    _elementwise("bitwise_and", _BINARY, SHORTS, "dst[i] = src0[i] & src1[i]"),
    _elementwise("bitwise_or", _BINARY, SHORTS, "dst[i] = src0[i] | src1[i]"),
    _elementwise(
        "mul_add_dst", _BINARY, FLOATING, "dst[i] = src0[i] * src1[i] + dst[i]", _MIXED
    ),
    _elementwise(
        "fused_mul_add", _BINARY, FLOATING, "dst[i] = src0[i] * dst[i] + src1[i]"
    ),
    _elementwise(
        "fused_mul_add_relu",
        _BINARY,
        FLOATING,
        "dst[i] = max(src0[i] * dst[i] + src1[i], 0)",
    ),
    _elementwise(
        "add_relu",
        _BINARY,
        ("int16", *FLOATING),
        "dst[i] = max(src0[i] + src1[i], 0)",
    ),
    _elementwise(
        "sub_relu",
        _BINARY,
        ("int16", *FLOATING),
        "dst[i] = max(src0[i] - src1[i], 0)",
    ),
    _elementwise("adds", _WITH_SCALAR, ARITHMETIC, "dst[i] = src[i] + scalar"),
    _elementwise("muls", _WITH_SCALAR, ARITHMETIC, "dst[i] = src[i] * scalar"),
    _elementwise("maxs", _WITH_SCALAR, ARITHMETIC, "dst[i] = max(src[i], scalar)"),
    _elementwise("mins", _WITH_SCALAR, ARITHMETIC, "dst[i] = min(src[i], scalar)"),
    _elementwise(
        "leaky_relu",
        _WITH_SCALAR,
        FLOATING,
        "dst[i] = src[i] if src[i] >= 0 else src[i] * scalar",
    ),
    _elementwise(
        "axpy", _WITH_SCALAR, FLOATING, "dst[i] = scalar * src[i] + dst[i]", _MIXED,
        "src",
    ),
    _elementwise("shift_left", _WITH_SCALAR, INTEGERS, "dst[i] = src[i] << scalar"),
    _elementwise("shift_right", _WITH_SCALAR, INTEGERS, "dst[i] = src[i] >> scalar"),
    _elementwise("abs", _UNARY, FLOATING, "dst[i] = |src[i]|"),
    _elementwise("exp", _UNARY, FLOATING, "dst[i] = e ** src[i]"),
    _elementwise("ln", _UNARY, FLOATING, "dst[i] = natural logarithm of src[i]"),
    _elementwise("sqrt", _UNARY, FLOATING, "dst[i] = square root of src[i]"),
    _elementwise(
        "rsqrt", _UNARY, FLOATING, "dst[i] ≈ 1 / sqrt(src[i]); low precision"
    ),
    _elementwise(
        "reciprocal", _UNARY, FLOATING, "dst[i] ≈ 1 / src[i]; low precision: see div"
    ),
    _elementwise(
        "relu", _UNARY, ("half", "int32", "float32"), "dst[i] = max(src[i], 0)"
    ),
    _elementwise("bitwise_not", _UNARY, SHORTS, "dst[i] = ~src[i]"),
)  # fmt: skip


def _vector(
    name: str,
    forms: dict[str, str],
    dtypes: tuple[str, ...],
    summary: str,
    **more: object,
) -> Signature:
    made = tuple(Form(form, parameters(text)) for form, text in forms.items())
    return Signature(name, made, dtypes, True, summary, **more)  # type: ignore[arg-type]


_CAST = "dst:tensor src:tensor round_mode:RoundMode"
_COMPARE = "dst:tensor src0:tensor src1:tensor cmp_mode:CMPMODE"
_COMPARE_SCALAR = "dst:tensor src0:tensor src1:value cmp_mode:CMPMODE"
_SELECT = "dst:tensor sel_mask:tensor src0:tensor src1:tensor_or_value sel_mode:SELMODE"
_GATHER = "dst:tensor src:tensor src_offset:tensor src_base_addr:int"
_COMPARED = ("half", "float32", "int32")

_OTHER = (
    _vector(
        "duplicate",
        {
            "count": "dst:tensor scalar:value count:int",
            "mask": f"dst:tensor scalar:value {_MASK} dst_block_stride:int?1 "
            f"dst_repeat_stride:int?8 {_KEPT}",
        },
        FILL,
        "dst[i] = scalar",
    ),
    _vector(
        "brcb",
        {"mask": "dst:tensor src:tensor repeat_times:int params:BrcbRepeatParams"},
        FILL,
        "Each of 8 elements fills one block of 32 B; 8 blocks a repeat.",
    ),
    _vector(
        "copy",
        {"mask": f"dst:tensor src:tensor {_MASK} params:CopyRepeatParams {_KEPT}"},
        FILL,
        "dst[i] = src[i] inside UB, by mask and strides.",
    ),
    _vector(
        "cast",
        {
            "count": f"{_CAST} count:int",
            "mask": f"{_CAST} {_MASK} params:UnaryRepeatParams? {_KEPT}",
        },
        (),
        "dst[i] = src[i] in the type of dst. One instruction for: "
        + ", ".join(sorted(f"{src}→{dst}" for dst, src in CAST_PAIRS)),
        pairs=CAST_PAIRS,
    ),
    _vector(
        "compare",
        {
            "count": f"{_COMPARE} count:int",
            "mask": f"{_COMPARE} {_MASK} params:BinaryRepeatParams? {_KEPT}",
        },
        _COMPARED,
        "Bit i of dst = src0[i] (mode) src1[i]; count is a multiple of 256 B.",
        roles={"dst": ("uint8", "int8")},
        scalar_of="src0",
    ),
    _vector(
        "compare_scalar",
        {
            "count": f"{_COMPARE_SCALAR} count:int",
            "mask": f"{_COMPARE_SCALAR} {_MASK} params:UnaryRepeatParams? {_KEPT}",
        },
        _COMPARED,
        "Bit i of dst = src0[i] (mode) src1; count is a multiple of 256 B.",
        roles={"dst": ("uint8", "int8")},
        scalar_of="src0",
    ),
    _vector(
        "select",
        {
            "count": f"{_SELECT} count:int",
            "mask": f"{_SELECT} {_MASK} params:BinaryRepeatParams? {_KEPT}",
        },
        FLOATING,
        "dst[i] = src0[i] where bit i of sel_mask is 1, else src1[i] (or src1).",
        roles={"sel_mask": BITS},
    ),
    _vector(
        "gather",
        {
            "count": f"{_GATHER} count:int",
            "mask": f"{_GATHER} {_MASK} dst_rep_stride:int?8 {_KEPT}",
        },
        FILL,
        "dst[i] = the element of src at src_base_addr + src_offset[i] bytes.",
        roles={"src_offset": ("uint32",)},
    ),
    _vector(
        "gather_mask",
        {
            "pattern": "dst:tensor src0:tensor src1_pattern:tensor_or_int "
            "reduce_mode:flag mask:int params:GatherMaskParams",
        },
        FILL,
        "Packs the elements of src0 that a pattern picks; returns how many.",
        roles={"src1_pattern": ("uint16", "uint32")},
    ),
    _vector(
        "transpose",
        {"": "dst:tensor src:tensor"},
        ("int16", "uint16", "half"),
        "dst = src transposed, both 16 x 16 elements of 16 bits.",
    ),
)

_REDUCED = "dst:tensor src:tensor tmp:tensor"
_ROWS = "dst_rep_stride:int src_blk_stride:int src_rep_stride:int"
_WHOLE = f"dst:tensor src:tensor {_MASK} {_ROWS}"
_PARTS = f"dst:tensor src:tensor repeat_times:int mask:mask {_ROWS} {_KEPT}"

_INDEX = ", and its index behind it unless order is ReduceOrder.ORDER_ONLY_VALUE"


def _reduce(what: str, summary: str) -> Iterable[Signature]:
    index = "" if what == "sum" else " index:flag?"
    order = "" if what == "sum" else " order:ReduceOrder?"
    yield _vector(
        f"reduce_{what}",
        {
            "count": f"{_REDUCED} count:int{index}",
            "mask": f"{_REDUCED} {_MASK} src_rep_stride:int{index}",
        },
        FLOATING,
        f"dst[0] = {summary} of src; tmp is work area.",
    )
    whole = {"mask": f"{_WHOLE}{order} {_KEPT}"}
    told = f"{summary} of each repeat of src{_INDEX if order else ''}."
    yield _vector(f"whole_reduce_{what}", whole, FLOATING, told)
    yield _vector(
        f"block_reduce_{what}",
        {"mask": _PARTS},
        FLOATING,
        f"{summary} of each block of 32 B of src.",
    )


_REDUCE = (
    *_reduce("sum", "sum"),
    *_reduce("max", "maximum"),
    *_reduce("min", "minimum"),
    _vector(
        "pair_reduce_sum", {"mask": _PARTS}, FLOATING, "Sum of each pair of elements."
    ),
)

VECTOR: tuple[Signature, ...] = (*_ELEMENTWISE, *_OTHER, *_REDUCE)

MASK_STATE: tuple[Signature, ...] = (
    plain("set_mask_count", "", "From here on a mask is a number of elements."),
    plain("set_mask_norm", "", "From here on a mask holds for every repeat."),
    Signature(
        "set_vector_mask",
        (
            Form("length", parameters("length:int")),
            Form("words", parameters("mask_high:word mask_low:word")),
        ),
        summary="The mask of instructions with is_set_mask=False: the first `length` "
        "elements, or 128 bits as two words.",
    ),
    plain("reset_mask", "", "All elements of every repeat take part again."),
)


def _repeat_params(name: str, operands: str, summary: str) -> Signature:
    """Block strides of all operands, then repeat strides; short names fit too."""
    words = [f"{o}_{kind}" for kind in ("blk", "rep") for o in operands.split()]
    defaults = {"blk": 1, "rep": 8}
    forms = tuple(
        Form(
            "", parameters(" ".join(f"{w}{end}:int?{defaults[w[-3:]]}" for w in words))
        )
        for end in ("_stride", "")
    )
    return Signature(name, forms, summary=summary)


VECTOR_RECORDS: dict[str, Signature] = {
    "BinaryRepeatParams": _repeat_params(
        "BinaryRepeatParams",
        "dst src0 src1",
        "Strides in 32 B blocks: between blocks of a repeat, between repeats.",
    ),
    "UnaryRepeatParams": _repeat_params(
        "UnaryRepeatParams",
        "dst src",
        "Strides in 32 B blocks: between blocks of a repeat, between repeats.",
    ),
    "CopyRepeatParams": plain(
        "CopyRepeatParams",
        "dst_stride:int?1 src_stride:int?1 dst_repeat_size:int?8 src_repeat_size:int?8",
        "Strides in 32 B blocks: between blocks of a repeat, between repeats.",
    ),
    "BrcbRepeatParams": plain(
        "BrcbRepeatParams",
        "dst_blk_stride:int?1 dst_rep_stride:int?8",
        "Strides of dst in 32 B blocks; src goes on by 8 elements a repeat.",
    ),
    "GatherMaskParams": plain(
        "GatherMaskParams",
        "src0_block_stride:int?1 repeat_times:int?1 src0_repeat_stride:int?8 "
        "src1_repeat_stride:int?8",
        "Strides in 32 B blocks of src0, and of the pattern between repeats.",
    ),
}
