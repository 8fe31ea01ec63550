"""Signatures: parameter names, forms and dtypes of every instruction and method.

Names, parameter order and dtypes (Atlas A2) follow the public Ascend C API reference,
spelled in snake_case. The vector instructions have a table of their own
(`npusim.lang.vector_signatures`).
"""

from __future__ import annotations

from npusim.lang.forms import Form, Parameter, Signature
from npusim.lang.forms import parameters as _parameters
from npusim.lang.forms import plain as _plain
from npusim.lang.vector_signatures import MASK_STATE, VECTOR, VECTOR_RECORDS

__all__ = [
    "CONSTRUCTORS", "METHODS", "RECORDS", "SIGNATURES", "Form", "Parameter",
    "Signature",
]  # fmt: skip

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
    "LocalTensor.reinterpret_cast": _plain("reinterpret_cast", "dtype:dtype", ""),
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
    **VECTOR_RECORDS,
}

SIGNATURES: dict[str, Signature] = {
    s.name: s for s in (*VECTOR, *MASK_STATE, *_MOVES, *_ORDER, *_SYSTEM)
}
