"""Device tensors: memory of the simulated NPU that outlives a launch.

`empty` is poisoned: bytes that no launch wrote count as uninitialised, and a launch
that leaves a part of such a tensor unwritten is reported. Which tensors the last
launch left in L2 is remembered for `cache="keep"`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from npusim.core import POISON
from npusim.diagnostic import Diagnostic, KernelError
from npusim.lang.types import DTYPES, DType, dtype_of

TENSOR_NBYTES = 1 << 31
"""Longest tensor of `empty`: choice of this project, so that a slip in a shape does not
take the memory of the host (a device of this class has 32 or 64 GB)."""


class DeviceTensor:
    """`shape`, `dtype`, `size` (elements), `itemsize`, `nbytes`, `ndim`, `.numpy()`."""

    def __init__(self, data: np.ndarray, dtype: DType, written: np.ndarray | None):
        self._data = data
        self._written = written  # one bool a byte, or None: all bytes are defined
        self.dtype = dtype
        self.shape = data.shape

    @property
    def size(self) -> int:
        return self._data.size

    @property
    def itemsize(self) -> int:
        return int(self._data.itemsize)

    @property
    def nbytes(self) -> int:
        return self._data.nbytes

    @property
    def ndim(self) -> int:
        return self._data.ndim

    def unwritten_nbytes(self) -> int:
        """How many of its bytes nothing has written or defined yet."""
        return 0 if self._written is None else int(np.count_nonzero(~self._written))

    def numpy(self) -> np.ndarray:
        """A copy of the contents on the host."""
        return self._data.copy()

    def __repr__(self) -> str:
        return f"DeviceTensor(shape={self.shape}, dtype={self.dtype.name})"


def tensor(array: np.ndarray) -> DeviceTensor:
    """Copy a numpy array (C-contiguous, of a listed dtype) to the device."""
    if not isinstance(array, np.ndarray):
        raise argument_error("ASC-ARG-09", name="array", got=type(array).__name__)
    array = check_array("array", array)
    dtype = dtype_of(array.dtype)
    assert dtype is not None
    return DeviceTensor(array.copy(), dtype, None)


def empty(shape: int | Sequence[int], dtype: DType | np.dtype | type) -> DeviceTensor:
    """Device memory that holds poison until a launch writes it."""
    dims = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if not all(isinstance(d, (int, np.integer)) and d >= 0 for d in dims):
        raise argument_error("ASC-ARG-08", name="shape", value=repr(shape))
    kind = dtype if isinstance(dtype, DType) else _numpy_dtype(dtype)
    nbytes = math.prod(map(int, dims)) * kind.itemsize
    if nbytes > TENSOR_NBYTES:
        facts = {"nbytes": nbytes, "limit": TENSOR_NBYTES, "reason": "memory"}
        raise argument_error("ASC-ARG-08", name="shape", value=repr(shape), **facts)
    data = np.full(nbytes, POISON, np.uint8).view(kind.numpy).reshape(dims)
    return DeviceTensor(data, kind, np.zeros(nbytes, bool))


def _numpy_dtype(dtype: object) -> DType:
    try:
        found = dtype_of(np.dtype(dtype))  # type: ignore[call-overload]
    except TypeError:
        found = None
    if found is None:
        facts = {"name": "dtype", "dtype": _dtype_word(dtype), "reason": "empty"}
        raise argument_error("ASC-ARG-02", **facts)
    return found


def _dtype_word(dtype: object) -> str:
    return dtype.__name__ if isinstance(dtype, type) else str(dtype)


def check_array(name: str, array: np.ndarray) -> np.ndarray:
    """`array` itself, or a KernelError that names the cure."""
    if dtype_of(array.dtype) is None:
        raise argument_error("ASC-ARG-02", name=name, dtype=str(array.dtype))
    if not array.flags.c_contiguous:
        raise argument_error(
            "ASC-ARG-01", name=name, shape=array.shape, strides=array.strides
        )
    return array


def argument_error(code: str, **facts: object) -> KernelError:
    facts.setdefault("dtypes", ", ".join(DTYPES))
    return KernelError((Diagnostic(code, "E", None, facts),))
