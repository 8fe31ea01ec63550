"""What a compiled program depends on, as a hashable key: equal keys, equal programs.

Argument types, compile-time arguments, captured constants, and the same of every helper
kernel that the kernel reaches through helpers. A helper counts by its text, never by
its identity: a cell run again makes a new object, perhaps in the old one's place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from npusim.lang import BufferArgument, Constexpr, KernelSource
from npusim.lang.tiling import TilingType, type_of
from npusim.lang.types import DType


def program_key(types: Mapping[str, Any], captured: Mapping[str, Any]) -> object:
    """The key of the program for arguments of `types` in these surroundings."""
    helpers: list[KernelSource] = []  # in the order in which they are found
    rows: list[object] = [_names(types, helpers), _names(captured, helpers)]
    for helper in helpers:  # grows while it is walked
        place = helper.text, helper.filename, helper.name
        rows.append((place, _names(helper.captured(), helpers)))
    return tuple(rows)


def _names(values: Mapping[str, Any], helpers: list[KernelSource]) -> object:
    return tuple((name, _key(value, helpers)) for name, value in sorted(values.items()))


def _key(value: Any, helpers: list[KernelSource]) -> object:
    """A stand-in for one value; 1, 1.0 and True are different constants.

    Names of the language live as long as the process: they count by identity. So does
    what the compiler will refuse.
    """
    if isinstance(value, TilingType) or type_of(value) is not None:
        return ("tiling", isinstance(value, type), repr(value), type_of(value))
    source = getattr(value, "source", value)  # of a Kernel
    if isinstance(source, KernelSource):
        if source not in helpers:
            helpers.append(source)
        return ("kernel", helpers.index(source))
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, *(_key(item, helpers) for item in value))
    if isinstance(value, BufferArgument):
        return ("buffer", value.dtype.name)
    if isinstance(value, Constexpr):
        return ("constexpr", _key(value.value, helpers))
    if isinstance(value, np.generic):
        return (value.dtype.str, value.tobytes())
    if isinstance(value, (bool, int, float, str, DType)):
        return (type(value).__name__, repr(value))
    return (type(value).__name__, id(value))
