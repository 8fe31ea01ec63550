"""What every operator asks of its arguments, refused with code, name and cure.

Arrays are numpy arrays, C-contiguous, of a dtype of the device, as in a launch. Codes:
ASC-ARG of launches for these, ASC-OPS for what an operator asks beyond.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from npusim.diagnostic import Diagnostic, KernelError
from npusim.lang.types import DTYPES, DType, dtype_of
from npusim.launch.device import argument_error, check_array

FLOATS = ("half", "bfloat16", "float32")


def refuse(code: str, **facts: Any) -> KernelError:
    """The error to raise: no place in a text, as the host called the operator."""
    return KernelError((Diagnostic(code, "E", None, facts),))


def array_dtype(operator: str, name: str, array: Any, allowed: Iterable[str]) -> DType:
    """The dtype of a good argument; KernelError ASC-ARG-01, 02, 09 or ASC-OPS-01."""
    if not isinstance(array, np.ndarray):
        raise argument_error("ASC-ARG-09", name=name, got=type(array).__name__)
    dtype = dtype_of(check_array(name, array).dtype)
    assert dtype is not None  # check_array has refused the others
    if dtype.name not in (names := tuple(allowed)):
        facts = {"allowed": ", ".join(names), "dtype": dtype.name}
        raise refuse("ASC-OPS-01", operator=operator, name=name, **facts)
    return dtype


def booleans_as_bytes(array: Any) -> Any:
    """A numpy array of bool as uint8 on the same memory; anything else as it is."""
    is_bool = isinstance(array, np.ndarray) and array.dtype == np.bool_
    return array.view(np.uint8) if is_bool else array


def same_dtype(operator: str, arrays: Mapping[str, np.ndarray]) -> None:
    """KernelError ASC-OPS-01 where the arrays have different dtypes."""
    found = {name: str(array.dtype) for name, array in arrays.items()}
    if len(set(found.values())) > 1:
        words = ", ".join(f"{name}: {dtype}" for name, dtype in found.items())
        raise refuse("ASC-OPS-01", operator=operator, found=words, reason="mixed")


def bad_shapes(operator: str, needed: str, **arrays: np.ndarray) -> KernelError:
    """ASC-OPS-02: the shapes do not fit; `needed` in the form of a formula."""
    facts = {"shapes": shapes_of(arrays), "needed": needed}
    return refuse("ASC-OPS-02", operator=operator, **facts)


def shapes_of(arrays: Mapping[str, np.ndarray]) -> str:
    """Names and shapes, as a message shows them."""
    return ", ".join(f"{name}{list(array.shape)}" for name, array in arrays.items())


def number(operator: str, name: str, value: Any) -> float:
    """A scalar attribute as float; KernelError ASC-OPS-03 for anything else."""
    kinds = (int, float, np.integer, np.floating)
    if not isinstance(value, kinds) or isinstance(value, bool):
        facts = {"name": name, "value": repr(value), "reason": "number"}
        raise refuse("ASC-OPS-03", operator=operator, **facts)
    return float(value)


def choice(operator: str, name: str, value: Any, allowed: Iterable[str]) -> str:
    """An attribute that is one of some words; KernelError ASC-OPS-03 otherwise."""
    if value not in (words := tuple(allowed)):
        raise bad_value(operator, name, value, ", ".join(words))
    return value


def bad_value(operator: str, name: str, value: Any, allowed: str) -> KernelError:
    """ASC-OPS-03: the attribute has a value that the operator does not take."""
    facts = {"name": name, "value": repr(value), "allowed": allowed}
    return refuse("ASC-OPS-03", operator=operator, **facts)


def device_dtype(operator: str, name: str, value: Any, allowed: Iterable[str]) -> DType:
    """A dtype given as `asc.half`, a numpy dtype or a name; ASC-OPS-03 otherwise."""
    words = tuple(allowed)
    found = value if isinstance(value, DType) else DTYPES.get(str(value))
    if found is None:
        try:
            found = dtype_of(np.dtype(value))
        except TypeError:
            found = None
    if found is None or found.name not in words:
        raise bad_value(operator, name, value, ", ".join(words))
    return found
