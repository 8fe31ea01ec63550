"""What a name that means nothing was probably meant to be.

Facts for the hints of ASC-JIT-05, -06 and -12; names for later are never suggested.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from npusim.lang.names import EXPORTS, LaterName

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


def unknown_name(name: str) -> dict[str, str]:
    """Facts of ASC-JIT-05: the name alone may be one that `asc` has."""
    return {"name": name} | ({"reason": "export"} if name in _offered() else {})


def unknown_member(
    name: str, owner: str, known: Iterable[str] | None = None
) -> dict[str, str]:
    """Facts of ASC-JIT-06 for `owner.name`; `known`: its members, else those of asc."""
    close = get_close_matches(name, _offered() if known is None else list(known), 1)
    facts = {"name": name, "owner": owner}
    return {**facts, "reason": "close", "closest": close[0]} if close else facts


def _offered() -> list[str]:
    return [n for n, value in EXPORTS.items() if not isinstance(value, LaterName)]
