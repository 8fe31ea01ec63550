"""Signatures: parameter names, forms and dtypes of every instruction and method.

Names, parameter order and dtypes (Atlas A2) follow the public Ascend C API reference,
spelled in snake_case. A form is one way to call an instruction; a form marked `later`
is documented but not part of this version. The kind of a parameter says what it takes
(`npusim.lang.operands.KINDS`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Parameter:
    """`kind` names a row of KINDS; `default` is used where `required` is false."""

    name: str
    kind: str
    required: bool = True
    default: object = None


@dataclass(frozen=True)
class Form:
    name: str
    parameters: tuple[Parameter, ...]
    later: bool = False

    def usage(self, name: str) -> str:
        """`name(dst, src, count)`; optional parameters in brackets."""
        shown = [p.name if p.required else f"{p.name}=…" for p in self.parameters]
        return f"{name}({', '.join(shown)})"


@dataclass(frozen=True)
class Signature:
    """`dtypes` of the tensors (empty: all); `vector`: tensors must lie in UB."""

    name: str
    forms: tuple[Form, ...]
    dtypes: tuple[str, ...] = ()
    vector: bool = False
    summary: str = ""

    @property
    def usage(self) -> str:
        return self.forms[0].usage(self.name)


ARITHMETIC = ("int16", "half", "int32", "float32")
FLOATING = ("half", "float32")
RELU = ("half", "int32", "float32")
FILL = ("int16", "uint16", "half", "bfloat16", "int32", "uint32", "float32")


def _parameters(text: str) -> tuple[Parameter, ...]:
    """Read `name:kind` words; `name:kind?` is optional."""
    return tuple(
        Parameter(name, kind.rstrip("?"), not kind.endswith("?"))
        for name, kind in (word.split(":") for word in text.split())
    )


def _vector(
    name: str, operands: str, dtypes: tuple[str, ...], summary: str
) -> Signature:
    forms = (
        Form("count", _parameters(f"{operands} count:int")),
        Form(
            "mask",
            _parameters(f"{operands} mask:any repeat_times:any params:any?"),
            later=True,
        ),
    )
    return Signature(name, forms, dtypes, vector=True, summary=summary)


_BINARY = "dst:tensor src0:tensor src1:tensor"
_UNARY = "dst:tensor src:tensor"
_WITH_SCALAR = "dst:tensor src:tensor scalar:value"

_VECTOR = (
    _vector("add", _BINARY, ARITHMETIC, "dst[i] = src0[i] + src1[i]"),
    _vector("sub", _BINARY, ARITHMETIC, "dst[i] = src0[i] - src1[i]"),
    _vector("mul", _BINARY, ARITHMETIC, "dst[i] = src0[i] * src1[i]"),
    _vector("max", _BINARY, ARITHMETIC, "dst[i] = max(src0[i], src1[i])"),
    _vector("adds", _WITH_SCALAR, ARITHMETIC, "dst[i] = src[i] + scalar"),
    _vector("muls", _WITH_SCALAR, ARITHMETIC, "dst[i] = src[i] * scalar"),
    _vector("relu", _UNARY, RELU, "dst[i] = max(src[i], 0)"),
    _vector("exp", _UNARY, FLOATING, "dst[i] = e ** src[i]"),
    _vector("duplicate", "dst:tensor scalar:value", FILL, "dst[i] = scalar"),
)


def _plain(name: str, text: str, summary: str) -> Signature:
    return Signature(name, (Form("", _parameters(text)),), summary=summary)


_MOVES = (
    Signature(
        "data_copy",
        (
            Form("count", _parameters("dst:tensor src:tensor count:int")),
            Form("params", _parameters("dst:tensor src:tensor params:DataCopyParams")),
        ),
        summary="Copy whole 32 B blocks: GM→UB (MTE2), UB→GM (MTE3), UB→UB (V). "
        "count is in elements, DataCopyParams in 32 B blocks.",
    ),
    Signature(
        "data_copy_pad",
        (
            Form(
                "params",
                _parameters(
                    "dst:tensor src:tensor params:DataCopyExtParams "
                    "pad_params:DataCopyPadExtParams?"
                ),
            ),
        ),
        summary="Copy rows of any number of bytes: GM→UB (MTE2), UB→GM (MTE3). "
        "block_len and the GM gap are in bytes, the UB gap in 32 B blocks.",
    ),
)
_ORDER = (
    _plain(
        "set_flag",
        "event:HardEvent event_id:int",
        "Publish what the event's source pipe has done so far.",
    ),
    _plain(
        "wait_flag",
        "event:HardEvent event_id:int",
        "The event's target pipe waits for the matching set_flag.",
    ),
    _plain("pipe_barrier", "pipe:PipeID", "Drain one pipe, or all with PIPE_ALL."),
)
_SYSTEM = (
    _plain("get_block_idx", "", "Index of this block, 0 … get_block_num() - 1."),
    _plain("get_block_num", "", "Number of blocks of the launch."),
)

# Methods: keyed "Type.method"; the receiver is not a parameter.
METHODS: dict[str, Signature] = {
    "GlobalTensor.set_global_buffer": _plain(
        "set_global_buffer", "buffer:pointer length:int? dtype:dtype?", ""
    ),
    "tensor.get_value": _plain("get_value", "index:int", ""),
    "tensor.set_value": _plain("set_value", "index:int value:value", ""),
    "tensor.get_size": _plain("get_size", "", ""),
    "TPipe.init_buffer": Signature(
        "init_buffer",
        (
            Form("queue", _parameters("buffer:TQue num:int nbytes:int")),
            Form("buffer", _parameters("buffer:TBuf nbytes:int")),
        ),
    ),
    "TQue.alloc_tensor": _plain("alloc_tensor", "dtype:dtype", ""),
    "TQue.enque": _plain("enque", "tensor:tensor", ""),
    "TQue.deque": _plain("deque", "dtype:dtype", ""),
    "TQue.free_tensor": _plain("free_tensor", "tensor:tensor", ""),
    "TBuf.get": _plain("get", "dtype:dtype len:int?", ""),
    "dtype.sizeof": _plain("sizeof", "", ""),
}

# Constructors of objects and records.
CONSTRUCTORS: dict[str, Signature] = {
    "GlobalTensor": _plain(
        "GlobalTensor",
        "",
        "A tensor in GM; set_global_buffer(x + offset, length) ties it to a buffer. "
        "Offsets and lengths in elements.",
    ),
    "LocalTensor": _plain(
        "LocalTensor",
        "dtype:dtype position:TPosition addr:int size:int",
        "A tensor at a byte address of local memory; size in elements.",
    ),
    "TPipe": _plain("TPipe", "", "Manages the buffers of queues in UB."),
    "TQue": _plain(
        "TQue",
        "position:TPosition depth:depth",
        "A queue of tensors between two pipes; depth tensors may be enqueued.",
    ),
    "TBuf": _plain("TBuf", "position:TPosition", "A temporary buffer in UB."),
}
_NUMBERS = "block_count:int block_len:int src_stride:int? dst_stride:int?"
RECORDS: dict[str, Signature] = {
    "DataCopyParams": _plain(
        "DataCopyParams", _NUMBERS, "Lengths and gaps in 32 B blocks."
    ),
    "DataCopyExtParams": _plain(
        "DataCopyExtParams",
        _NUMBERS,
        "block_len and the GM gap in bytes, the UB gap in 32 B blocks.",
    ),
    "DataCopyPadExtParams": _plain(
        "DataCopyPadExtParams",
        "is_pad:bool left_padding:int right_padding:int padding_value:number",
        "Padding in elements, at most 32 B on each side.",
    ),
}

SIGNATURES: dict[str, Signature] = {
    s.name: s for s in (*_VECTOR, *_MOVES, *_ORDER, *_SYSTEM)
}
