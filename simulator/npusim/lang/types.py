"""The nouns of the language: dtypes, positions, pipes and hardware events.

They are values on the host (`asc.half.sizeof()`) and compile-time constants in a
kernel. Names are those of the public Ascend C documentation.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np


@dataclass(frozen=True)
class DType:
    """An element type: `name`, its numpy dtype, `itemsize` in bytes."""

    name: str
    numpy: np.dtype = field(compare=False)
    kind: str  # "f" floating, "i" signed, "u" unsigned

    @property
    def itemsize(self) -> int:
        return self.numpy.itemsize

    def sizeof(self) -> int:
        """Bytes of one element."""
        return self.numpy.itemsize

    @property
    def is_float(self) -> bool:
        return self.kind == "f"

    def __repr__(self) -> str:
        return f"asc.{self.name}"


def _dtype(name: str, kind: str, numpy_type: Any = None) -> DType:
    return DType(name, np.dtype(numpy_type or name), kind)


int8, uint8 = _dtype("int8", "i"), _dtype("uint8", "u")
int16, uint16 = _dtype("int16", "i"), _dtype("uint16", "u")
int32, uint32 = _dtype("int32", "i"), _dtype("uint32", "u")
int64, uint64 = _dtype("int64", "i"), _dtype("uint64", "u")
half = _dtype("half", "f", np.float16)
bfloat16 = _dtype("bfloat16", "f", ml_dtypes.bfloat16)
float32 = _dtype("float32", "f")

DTYPES: dict[str, DType] = {
    d.name: d
    for d in (
        int8, uint8, int16, uint16, int32, uint32, int64, uint64,
        half, bfloat16, float32,
    )
}  # fmt: skip
_BY_NUMPY = {d.numpy: d for d in DTYPES.values()}


def dtype_of(numpy_dtype: np.dtype) -> DType | None:
    """The language's dtype for a numpy dtype, or None where there is none."""
    return _BY_NUMPY.get(np.dtype(numpy_dtype))


class TPosition(enum.Enum):
    """A logical position; its value is the memory it lies in."""

    GM = "GM"
    VECIN = "UB:VECIN"
    VECOUT = "UB:VECOUT"
    VECCALC = "UB:VECCALC"
    A1 = "L1:A1"
    B1 = "L1:B1"
    C1 = "L1:C1"
    A2 = "L0A"
    B2 = "L0B"
    C2 = "BT"
    CO1 = "L0C"

    @property
    def memory(self) -> str:
        """`GM`, `UB`, `L1`, `L0A`, `L0B`, `L0C` or `BT`."""
        return self.value.split(":")[0]


class PipeID(enum.Enum):
    """The pipes of a core; each runs in order, and in parallel with the others."""

    PIPE_S = "S"
    PIPE_V = "V"
    PIPE_M = "M"
    PIPE_MTE1 = "MTE1"
    PIPE_MTE2 = "MTE2"
    PIPE_MTE3 = "MTE3"
    PIPE_FIX = "FIX"
    PIPE_ALL = "ALL"


PIPES = ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX")


class _HardEvent(str, enum.Enum):  # noqa: UP042 - StrEnum prints otherwise
    """An event from one pipe to another: after the wait, `target` sees `source`."""

    @property
    def source(self) -> str:
        return self.value.split("_")[0]

    @property
    def target(self) -> str:
        return self.value.split("_")[1]


HardEvent = _HardEvent(  # type: ignore[call-overload]
    "HardEvent", {f"{a}_{b}": f"{a}_{b}" for a in PIPES for b in PIPES if a != b}
)


class RoundMode(enum.Enum):
    """How `cast` rounds; NONE rounds to nearest even where precision is lost."""

    CAST_NONE = 0
    CAST_RINT = 1
    CAST_FLOOR = 2
    CAST_CEIL = 3
    CAST_ROUND = 4
    CAST_TRUNC = 5
    CAST_ODD = 6
    NONE = 0
    RINT = 1
    FLOOR = 2
    CEIL = 3
    ROUND = 4
    TRUNC = 5
    ODD = 6


class CMPMODE(enum.Enum):
    """What `compare` asks of each pair of elements."""

    LT = "<"
    GT = ">"
    EQ = "=="
    LE = "<="
    GE = ">="
    NE = "!="


class SELMODE(enum.Enum):
    """How `select` reads its bits and its second source."""

    VSEL_CMPMASK_SPR = 0
    VSEL_TENSOR_SCALAR_MODE = 1
    VSEL_TENSOR_TENSOR_MODE = 2


class ReduceOrder(enum.Enum):
    """What a repeat's maximum or minimum leaves behind, and in which order."""

    ORDER_VALUE_INDEX = 0
    ORDER_INDEX_VALUE = 1
    ORDER_ONLY_VALUE = 2
    ORDER_ONLY_INDEX = 3


class CacheMode(enum.Enum):
    """How L2 treats a global tensor (`set_l2_cache_hint`)."""

    CACHE_MODE_DISABLE = "disable"
    CACHE_MODE_NORMAL = "normal"


ENUMS: tuple[type[enum.Enum], ...] = (
    TPosition, PipeID, HardEvent, RoundMode, CMPMODE, SELMODE, ReduceOrder,
    CacheMode,
)  # fmt: skip
