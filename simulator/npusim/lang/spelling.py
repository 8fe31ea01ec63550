"""What a name that means nothing was probably meant to be.

Facts for the hints of ASC-JIT-05, -06 and -12; names for later are never suggested.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from npusim.lang.names import EXPORTS, LaterName
from npusim.lang.types import DTYPES, ENUMS

SCALAR_CALLS: Mapping[tuple[str, str], str] = {
    ("add", "src0"): "adds(dst, src, scalar, count)",
    ("add", "src1"): "adds(dst, src, scalar, count)",
    ("sub", "src1"): "adds(dst, src, -scalar, count)",
    ("mul", "src0"): "muls(dst, src, scalar, count)",
    ("mul", "src1"): "muls(dst, src, scalar, count)",
    ("div", "src1"): "muls(dst, src, 1 / scalar, count)",
    ("max", "src0"): "maxs(dst, src, scalar, count)",
    ("max", "src1"): "maxs(dst, src, scalar, count)",
    ("min", "src0"): "mins(dst, src, scalar, count)",
    ("min", "src1"): "mins(dst, src, scalar, count)",
}
"""(instruction, parameter) that takes a tensor → the call that takes a number there."""


_OTHER_WORDS: Mapping[str, str] = {
    "shape": "get_size()", "size": "get_size()", "itemsize": "sizeof()",
    "fp16": "half", "float16": "half", "fp32": "float32", "bf16": "bfloat16",
}  # fmt: skip
"""What other libraries call a member."""


def unknown_name(name: str) -> dict[str, str]:
    """Facts of ASC-JIT-05: the name alone may be one that `asc` has."""
    return {"name": name} | ({"reason": "export"} if name in _offered() else {})


def unknown_member(
    name: str, owner: str, known: Iterable[str] | None = None
) -> dict[str, str]:
    """Facts of ASC-JIT-06 for `owner.name`; `known`: its members, else those of asc."""
    names = _offered() if known is None else list(known)
    other = _OTHER_WORDS.get(name, "")
    close = [other] if other.removesuffix("()") in names else []
    close += _as_enum_member(name) if known is None else []
    close += get_close_matches(name, names, 1)
    facts = {"name": name, "owner": owner}
    return {**facts, "reason": "close", "closest": close[0]} if close else facts


def _as_enum_member(name: str) -> list[str]:
    """`TPosition.VECIN` for VECIN."""
    return [f"{kind.__name__}.{name}" for kind in ENUMS if name in kind.__members__]


def meant_by(text: str) -> str:
    """`asc.float32` for "float32", `asc.PipeID.PIPE_V` for "PIPE_V", or ""."""
    if text in DTYPES:
        return f"asc.{text}"
    return next((f"asc.{name}" for name in _as_enum_member(text)), "")


def _offered() -> list[str]:
    return [n for n, value in EXPORTS.items() if not isinstance(value, LaterName)]
