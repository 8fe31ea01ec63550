"""Rules of single vector instructions that a table of dtypes cannot say.

Cast has pairs of dtypes, each with its round modes; compare has its own dtypes and
modes. Source: public Ascend C API reference (Cast, Compare), Atlas A2.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from npusim.lang.context import Context
from npusim.lang.program import Tensor
from npusim.lang.types import CMPMODE, DTYPES, SELMODE, RoundMode
from npusim.lang.values import kind_of
from npusim.lang.vector_signatures import CAST_PAIRS

_ROUNDING = ("RINT", "FLOOR", "CEIL", "ROUND", "TRUNC")
LOSSLESS = frozenset(
    {
        ("half", "int8"), ("half", "uint8"), ("float32", "half"), ("float32", "int16"),
        ("float32", "bfloat16"), ("int64", "int32"),
    }
)  # fmt: skip
SATURATING = frozenset({("int16", "int32"), ("int32", "int64")})
"""(dst, src) that need no rounding: widening, and narrowing of integers."""


def round_modes(dst: str, src: str) -> tuple[str, ...]:
    """The round modes of a conversion, by their short names."""
    if (dst, src) in LOSSLESS | SATURATING:
        return ("NONE",)
    odd = ("ODD",) if (dst, src) == ("half", "float32") else ()
    return ("NONE", *_ROUNDING, *odd)


def cast_route(src: str, dst: str) -> tuple[str, ...]:
    """The shortest chain of conversions from `src` to `dst`, both included."""
    routes: list[tuple[str, ...]] = [(src,)]
    for route in routes:
        if route[-1] == dst:
            return route
        for name in DTYPES:
            known = any(name in other for other in routes)
            if (name, route[-1]) in CAST_PAIRS and not known:
                routes.append((*route, name))
    return ()


def _cast(ctx: Context, operands: dict[str, Any], node: ast.AST) -> None:
    dst, src = operands["dst"].dtype.name, operands["src"].dtype.name
    facts: dict[str, Any] = {"source": src, "target": dst}
    if (dst, src) not in CAST_PAIRS:
        route = cast_route(src, dst)
        if route and src != dst:
            ctx.refuse("ASC-CAST-35", node, **facts, route="→".join(route))
        ctx.refuse("ASC-CAST-35", node, **facts, reason="none")
    mode: RoundMode = operands["round_mode"]
    short, modes = mode.name.removeprefix("CAST_"), round_modes(dst, src)
    if short not in modes:
        facts |= {"mode": f"CAST_{short}", "modes": [f"CAST_{m}" for m in modes]}
        ctx.refuse("ASC-CAST-35", node, **facts, reason="mode")


def _compare(ctx: Context, operands: dict[str, Any], node: ast.AST) -> None:
    source: Tensor = operands["src0"]
    mode: CMPMODE = operands["cmp_mode"]
    dtype = source.dtype.name
    if dtype not in ("half", "float32", "int32"):
        ctx.refuse("ASC-CMP-32", node, reason="dtype", buffer=source.name, dtype=dtype)
    if dtype == "int32" and mode is not CMPMODE.EQ:
        facts = {"buffer": source.name, "dtype": dtype, "mode": mode.name}
        ctx.refuse("ASC-CMP-32", node, reason="mode", **facts)


def _select(ctx: Context, operands: dict[str, Any], node: ast.AST) -> None:
    mode, other = operands["sel_mode"], operands["src1"]
    wants_scalar = mode is SELMODE.VSEL_TENSOR_SCALAR_MODE
    if wants_scalar == isinstance(other, Tensor):
        facts = {"found": kind_of(other), "mode": mode.name}
        ctx.refuse("ASC-CMP-32", node, reason="select", **facts)


CHECKS: dict[str, Callable[[Context, dict[str, Any], ast.AST], None]] = {
    "cast": _cast,
    "compare": _compare,
    "compare_scalar": _compare,
    "select": _select,
}
