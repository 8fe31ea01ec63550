"""Scalar expressions, compiled once into closures `value(registers)`.

A register holds a Python int, float or bool while all blocks of a group agree, else an
array with one value a block (int64, float32, bool). Ints have 64 bits; overflow and
division by zero are faults. Floats are fp32; a float division by zero gives Inf or
NaN, as IEEE has it. `and`, `or` and the conditional expression evaluate only what
Python would: if the side not taken faults in some block, the group splits.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from ctypes import c_float
from typing import Any

import numpy as np

from npusim.core.guards import GUARDS, nonzero
from npusim.core.lanes import (
    COMPARE_LANES,
    FLOAT_LANES,
    HIGHEST,
    INT_LANES,
    LOWEST,
    as_float,
    float_lanes,
)
from npusim.core.signals import Split, Stop, stop
from npusim.lang.program import Binary, Const, Expr, Reg, Select, System, Unary

Value = Callable[[list], Any]
_CONST: dict[str, Callable[[Any], Any]] = {"int": int, "float": as_float, "bool": bool}


class ScalarCompiler:
    """Compiles expressions of one program; `registers` of it precede the system's.

    `inputs`: names of the kernel's parameters by register.
    """

    def __init__(self, registers: int, inputs: Mapping[int, str] | None = None):
        self.inputs = inputs or {}
        self.system = {"block_idx": registers, "block_num": registers + 1}
        self._compile: dict[type, Callable[[Any, int], Value]] = {
            Const: self._const,
            Reg: self._reg,
            System: self._system,
            Unary: self._unary,
            Binary: self._binary,
            Select: self._select,
        }

    def compile(self, expr: Expr, where: int) -> Value:
        """The closure of `expr`; faults are located at `where` unless it says more."""
        return self._compile[type(expr)](expr, where)

    def converted(self, expr: Expr, to: str, where: int) -> Value:
        """As `compile`, the value brought to type `to`."""
        value = self.compile(expr, where)
        return value if expr.type == to else CONVERSIONS[to](value, where)

    def _const(self, expr: Const, where: int) -> Value:
        value = _CONST[expr.type](expr.value)
        return lambda r: value

    def _reg(self, expr: Reg, where: int) -> Value:
        return operator.itemgetter(expr.index)

    def _system(self, expr: System, where: int) -> Value:
        return operator.itemgetter(self.system[expr.name])

    def _unary(self, expr: Unary, where: int) -> Value:
        where = expr.where if expr.where >= 0 else where
        if expr.op in CONVERSIONS:
            return self.converted(expr.operand, expr.op, where)
        kind = "bool" if expr.op == "not" else expr.type
        return UNARY[expr.op, kind](self.converted(expr.operand, kind, where), where)

    def _binary(self, expr: Binary, where: int) -> Value:
        where = expr.where if expr.where >= 0 else where
        kind = _operand_type(expr)
        left = self.converted(expr.left, kind, where)
        right = self.converted(expr.right, kind, where)
        if expr.op in ("//", "%") and (name := self.input_name(expr.right)):
            right = nonzero(right, name, expr.op, where)
        if expr.op in _LOGIC:
            return _logic(expr.op, left, right)
        if expr.op in COMPARE_LANES:
            return _compare(expr.op, left, right)
        return _ARITHMETIC[kind](expr.op, left, right, where)

    def input_name(self, expr: Expr) -> str:
        """The parameter that an expression is; "" if it is anything else."""
        return self.inputs.get(expr.index, "") if isinstance(expr, Reg) else ""

    def _select(self, expr: Select, where: int) -> Value:
        condition = self.converted(expr.condition, "bool", where)
        then = self.converted(expr.then, expr.type, where)
        otherwise = self.converted(expr.otherwise, expr.type, where)
        return _select(condition, then, otherwise)


def operators(expr: Expr) -> int:
    """Scalar operations that evaluating `expr` takes."""
    if isinstance(expr, Unary):
        return 1 + operators(expr.operand)
    if isinstance(expr, Binary):
        return 1 + operators(expr.left) + operators(expr.right)
    if isinstance(expr, Select):
        sides = operators(expr.then) + operators(expr.otherwise)
        return 1 + operators(expr.condition) + sides
    return 0


def _operand_type(expr: Binary) -> str:
    if expr.op in _LOGIC:
        return "bool"
    types = {expr.left.type, expr.right.type}
    if expr.op in COMPARE_LANES:
        return "float" if "float" in types else "int"
    return expr.type


# ------------------------------------------------------------------------- arithmetic
def _int_binary(op: str, left: Value, right: Value, where: int) -> Value:
    if op in GUARDS:
        return _guarded(op, left, right, where)
    fast, lanes = _INT_FAST[op], INT_LANES[op]

    def value(r: list) -> Any:
        a, b = left(r), right(r)
        if type(a) is int and type(b) is int:
            c = fast(a, b)
            if LOWEST <= c <= HIGHEST:
                return c
            stop("ASC-RUN-01", where, operation=op, left=a, right=b)
        c, bad = lanes(a, b)
        if bad is not False and bad.any():
            stop("ASC-RUN-01", where, bad, operation=op, left=a, right=b)
        return c

    return value


def _guarded(op: str, left: Value, right: Value, where: int) -> Value:
    fast, lanes, guard = _INT_FAST[op], INT_LANES[op], GUARDS[op]

    def value(r: list) -> Any:
        a, b = left(r), right(r)
        guard(op, a, b, where)
        if type(a) is int and type(b) is int:
            c = fast(a, b)
            bad: Any = not LOWEST <= c <= HIGHEST
        else:
            c, bad = lanes(a, b)
        if bad if type(bad) is bool else bad.any():
            stop("ASC-RUN-01", where, bad, operation=op, left=a, right=b)
        return c

    return value


_INT_FAST: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "min": min,
    "max": max,
}


def _float_binary(op: str, left: Value, right: Value, where: int) -> Value:
    fast, lanes = _FLOAT_FAST.get(op), FLOAT_LANES[op]

    def value(r: list) -> Any:
        a, b = left(r), right(r)
        if type(a) is float and type(b) is float:
            if fast is not None:
                return c_float(fast(a, b)).value
            return lanes(a, b).item()
        return lanes(a, b)

    return value


_FLOAT_FAST: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "min": min,
    "max": max,
}


def _bool_binary(op: str, left: Value, right: Value, where: int) -> Value:
    function = {**_INT_FAST, "min": operator.and_, "max": operator.or_}[op]
    return lambda r: function(left(r), right(r))


def _stamp_binary(op: str, left: Value, right: Value, where: int) -> Value:
    return lambda r: left(r).minus(right(r), where)


_ARITHMETIC = {
    "int": _int_binary,
    "float": _float_binary,
    "bool": _bool_binary,
    "stamp": _stamp_binary,
}


# ------------------------------------------------------- comparison, logic, selection
_PYTHON_COMPARE = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _compare(op: str, left: Value, right: Value) -> Value:
    function = _PYTHON_COMPARE[op]
    return lambda r: function(left(r), right(r))


_LOGIC = {"and": np.logical_and, "or": np.logical_or}


def _logic(op: str, left: Value, right: Value) -> Value:
    join, settled = _LOGIC[op], op == "or"

    def value(r: list) -> Any:
        a = left(r)
        if type(a) is not bool:
            if a.all() or not a.any():
                a = bool(a[0])
            else:
                return join(a, _or_split(right, r, a))
        return a if a is settled else right(r)

    return value


def _select(condition: Value, then: Value, otherwise: Value) -> Value:
    def value(r: list) -> Any:
        c = condition(r)
        if type(c) is not bool:
            if c.all() or not c.any():
                c = bool(c[0])
            else:
                a, b = _or_split(then, r, c), _or_split(otherwise, r, c)
                return np.where(c, _lanes(a), _lanes(b))
        return then(r) if c else otherwise(r)

    return value


def _or_split(side: Value, r: list, condition: np.ndarray) -> Any:
    """A side of which some blocks have no need: its fault may be no fault."""
    try:
        return side(r)
    except Stop:
        raise Split(condition) from None


def _lanes(value: Any) -> Any:
    return np.float32(value) if type(value) is float else value


# ------------------------------------------------------------------ unary, conversion
def _mapped(function: Callable, lanes: Callable) -> Callable[[Value, int], Value]:
    def build(operand: Value, where: int) -> Value:
        def value(r: list) -> Any:
            a = operand(r)
            return lanes(a) if type(a) is np.ndarray else function(a)

        return value

    return build


def _int_unary(op: str, function: Callable) -> Callable[[Value, int], Value]:
    def build(operand: Value, where: int) -> Value:
        def value(r: list) -> Any:
            a = operand(r)
            bad = a == LOWEST
            if bad if type(bad) is bool else bad.any():
                stop("ASC-RUN-01", where, bad, operation=op, left=a)
            return function(a)

        return value

    return build


UNARY: dict[tuple[str, str], Callable[[Value, int], Value]] = {
    ("-", "int"): _int_unary("-", operator.neg),
    ("abs", "int"): _int_unary("abs", abs),
    ("~", "int"): _mapped(operator.invert, np.invert),
    ("-", "float"): _mapped(operator.neg, np.negative),
    ("abs", "float"): _mapped(abs, np.abs),
    ("not", "bool"): _mapped(operator.not_, np.logical_not),
}


def _to_int(operand: Value, where: int) -> Value:
    def value(r: list) -> Any:
        a = operand(r)
        if type(a) is not np.ndarray:
            if type(a) is not float or (math.isfinite(a) and abs(a) < 2.0**63):
                return int(a)
            stop("ASC-RUN-03", where, value=a)
        if a.dtype == np.float32:
            bad = ~(np.abs(a) < 2.0**63)
            if bad.any():
                stop("ASC-RUN-03", where, bad, value=a)
        return a.astype(np.int64)

    return value


CONVERSIONS: dict[str, Callable[[Value, int], Value]] = {
    "int": _to_int,
    "float": _mapped(as_float, float_lanes),
    "bool": _mapped(bool, lambda a: a != 0),
}
