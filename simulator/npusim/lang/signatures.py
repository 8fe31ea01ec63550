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
    "ATOMIC", "CONSTRUCTORS", "METHODS", "RECORDS", "SIGNATURES", "Form", "Parameter",
    "Signature",
]  # fmt: skip

ATOMIC = ("int8", "int16", "half", "bfloat16", "int32", "float32")
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
_CORES = (
    _plain(
        "sync_all",
        "",
        "Wait until every block of the launch is here; what each has begun is then "
        "complete. Needs as many cores as blocks.",
    ),
    _plain(
        "cross_core_set_flag",
        "flag_id:int mode:mode pipe:PipeID",
        "Tell the other cores that this pipe has done what it was given so far. "
        "Mode 0: all cores of a kind. flag_id 0 … 10.",
    ),
    _plain(
        "cross_core_wait_flag",
        "flag_id:int mode:mode pipe:PipeID?",
        "The pipe (default PIPE_S) waits until every core has set this flag. Mode 0.",
    ),
)
_ATOMICS = tuple(
    _plain(
        f"set_atomic_{word}",
        "dtype:dtype",
        f"The following UB→GM copies {what} the elements in GM, until "
        f"set_atomic_none(). dtypes: {', '.join(ATOMIC)}.",
    )
    for word, what in (
        ("add", "add to"),
        ("max", "keep the larger of theirs and"),
        ("min", "keep the smaller of theirs and"),
    )
) + (_plain("set_atomic_none", "", "UB→GM copies overwrite again."),)
_SYSTEM = (
    _plain("get_block_idx", "", "Index of this block, 0 … get_block_num() - 1."),
    _plain("get_block_num", "", "Number of blocks of the launch."),
    _plain("get_sub_block_idx", "", "Index of this vector core in its group: 0 where "
           "a kernel runs on vector cores only."),
    _plain("get_task_ratio", "", "Vector cores in the group of a block: 1 where a "
           "kernel runs on vector cores only."),
    _plain(
        "get_system_cycle",
        "",
        "A stamp: cycles of the core's clock since it began. It can be subtracted from "
        "another stamp, printed, or stored in GM by set_value; its number is filled in "
        "when the launch has been timed.",
    ),
)  # fmt: skip
_DEBUG = (
    _plain(
        "dump_tensor",
        "tensor:tensor tag:tag count:int",
        "Print the first count elements with a tag (a number or a text). Costs no "
        "time.",
    ),
)

# Methods: keyed "Type.method"; the receiver is not a parameter.
METHODS: dict[str, Signature] = {
    "GlobalTensor.set_global_buffer": _plain(
        "set_global_buffer", "buffer:pointer length:int? dtype:dtype?", ""
    ),
    "tensor.get_value": _plain("get_value", "index:int", ""),
    "tensor.set_value": _plain("set_value", "index:int value:value", ""),
    "tensor.get_size": _plain("get_size", "", ""),
    "GlobalTensor.set_l2_cache_hint": _plain("set_l2_cache_hint", "mode:CacheMode", ""),
    "LocalMemAllocator.alloc": _plain(
        "alloc", "position:TPosition dtype:dtype size:int", ""
    ),
    "LocalMemAllocator.get_cur_addr": _plain("get_cur_addr", "", ""),
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
    "LocalMemAllocator": _plain(
        "LocalMemAllocator",
        "",
        "Hands out UB from address 0 on: alloc(position, dtype, size) gives a "
        "LocalTensor of size elements on the next free data block; get_cur_addr() "
        "tells where that is.",
    ),
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
    s.name: s
    for s in (
        *VECTOR,
        *MASK_STATE,
        *_MOVES,
        *_ORDER,
        *_CORES,
        *_ATOMICS,
        *_SYSTEM,
        *_DEBUG,
    )
}
