"""Scalar expressions: Python's integers, fp32 floats, faults; one block or many."""

import math
from ctypes import c_float

import numpy as np
import pytest
from core_builder import Builder, Reg, buffers, expr, gm, op, run
from hypothesis import given, settings
from hypothesis import strategies as st

from npusim.core.scalar import ScalarCompiler
from npusim.core.signals import Split, Stop
from npusim.lang.program import Binary, Const, Select, Unary
from npusim.lang.types import int32

INTS = [0, 1, -1, 2, 7, -13, 63, 4096, 2**31, 2**62, 2**63 - 1, -(2**63)]
FLOATS = [0.0, -0.0, 1.5, -2.25, 1e-30, 1e38, -3e38, math.inf, -math.inf, math.nan]
INT_OPS = ["+", "-", "*", "//", "%", "<<", ">>", "&", "|", "^", "min", "max"]
FLOAT_OPS = ["+", "-", "*", "/", "//", "%", "min", "max"]
COMPARE = ["==", "!=", "<", "<=", ">", ">="]


def evaluate(expression, *registers):
    return ScalarCompiler(len(registers)).compile(expression, 0)([*registers, 0, 1])


def reg(index, kind="int"):
    return Reg(index, kind)


def exact(sign, a, b):
    if sign in ("min", "max"):
        return {"min": min, "max": max}[sign](a, b)
    return eval(f"a {sign} b", {"a": a, "b": b})


def attempt(expression, *registers):
    """The value, or the code of the fault."""
    try:
        return evaluate(expression, *registers)
    except Stop as fault:
        return fault.code


def expected_int(sign, a, b):
    if sign in ("//", "%") and b == 0:
        return "ASC-RUN-02"
    if sign in ("<<", ">>") and not 0 <= b <= 63:
        return "ASC-RUN-07"
    value = exact(sign, a, b)
    return value if -(2**63) <= value < 2**63 else "ASC-RUN-01"


@pytest.mark.parametrize("sign", INT_OPS)
@settings(max_examples=60, deadline=None)
@given(a=st.sampled_from(INTS) | st.integers(-(2**63), 2**63 - 1), b=st.data())
def test_int_is_exact_or_faults(sign, a, b):
    b = b.draw(st.sampled_from(INTS) | st.integers(-70, 70))
    expected = expected_int(sign, a, b)
    expression = op(sign, reg(0), reg(1))
    assert attempt(expression, a, b) == expected
    lanes = [np.array([v, v], np.int64) for v in (a, b)]
    result = attempt(expression, *lanes)
    assert expected == (result if isinstance(result, str) else result.tolist()[0])


@pytest.mark.parametrize("sign", FLOAT_OPS)
@settings(max_examples=60, deadline=None)
@given(pair=st.tuples(*[st.floats(width=32) | st.sampled_from(FLOATS)] * 2))
def test_float_lanes_round_like_one_block(sign, pair):
    a, b = (c_float(v).value for v in pair)
    expression = op(sign, reg(0, "float"), reg(1, "float"), "float")
    with np.errstate(all="ignore"):
        one = evaluate(expression, a, b)
        many = evaluate(expression, *(np.array([v, v], np.float32) for v in (a, b)))
        assert type(one) is float and many.dtype == np.float32
        np.testing.assert_array_equal(np.float32(one), many[0])
        if sign in "+-*/":
            ufunc = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}
            expected = ufunc[sign](np.float32(a), np.float32(b))
            np.testing.assert_array_equal(np.float32(one), expected)


@pytest.mark.parametrize("sign", COMPARE)
@pytest.mark.parametrize("a", [-1, 0, 2**53 - 1])
def test_comparison(sign, a):
    expression = op(sign, reg(0), reg(1), "bool")
    assert evaluate(expression, a, 0) is exact(sign, a, 0)
    many = evaluate(expression, np.array([a, 0]), 0)
    assert many.tolist() == [exact(sign, a, 0), exact(sign, 0, 0)]


def test_int_meets_float_as_float():
    mixed = Binary("<", reg(0), reg(1, "float"), "bool")
    assert evaluate(mixed, 16777215, 16777216.0) is True
    assert evaluate(mixed, 16777217, 16777218.0) is True  # the int rounds to 2**24
    assert evaluate(Binary("==", *mixed_pair(), "bool"), 16777217, 16777216.0) is True
    assert evaluate(Binary("/", reg(0), expr(4), "float"), 1) == 0.25


def mixed_pair():
    return reg(0), reg(1, "float")


def test_large_int_is_rounded_to_float_once():
    value = 2**60 + 2**36 + 1  # in double: a tie that rounds the wrong way
    single = evaluate(Unary("float", reg(0), "float"), value)
    lanes = evaluate(Unary("float", reg(0), "float"), np.array([value, 0]))
    assert single == float(lanes[0]) == 2.0**60 + 2.0**37


@pytest.mark.parametrize("value", [math.nan, math.inf, 2.0**63, -1e30])
def test_int_of_no_integer(value):
    expression = Unary("int", reg(0, "float"), "int")
    assert attempt(expression, value) == "ASC-RUN-03"
    assert attempt(expression, np.full(2, value, np.float32)) == "ASC-RUN-03"
    with pytest.raises(Split):
        evaluate(expression, np.array([value, 1], np.float32))


def test_int_truncates():
    expression = Unary("int", reg(0, "float"), "int")
    assert evaluate(expression, -2.75) == -2
    assert evaluate(expression, np.array([-2.75, 2.75], np.float32)).tolist() == [-2, 2]


@pytest.mark.parametrize("sign", ["-", "abs"])
def test_negation_overflows(sign):
    expression = Unary(sign, reg(0), "int")
    assert evaluate(expression, -5) == 5
    assert attempt(expression, -(2**63)) == "ASC-RUN-01"
    assert evaluate(expression, np.array([-5, -6])).tolist() == [5, 6]


def test_logic_evaluates_only_what_it_needs():
    guarded = Binary("and", reg(0, "bool"), op("<", 1 // 1, risky(), "bool"), "bool")
    assert evaluate(guarded, False, 0) is False
    assert attempt(guarded, True, 0) == "ASC-RUN-02"
    with pytest.raises(Split):  # only some blocks need the side that faults
        evaluate(guarded, np.array([True, False]), 0)
    assert evaluate(guarded, np.array([True, False]), 1).tolist() == [True, False]


def risky():
    return op("//", 10, reg(1))


def test_selection_evaluates_one_side():
    chosen = Select(reg(0, "bool"), risky(), Const(3, "int"), "int")
    assert evaluate(chosen, False, 0) == 3
    assert evaluate(chosen, np.array([True, False]), 5).tolist() == [2, 3]
    with pytest.raises(Split):
        evaluate(chosen, np.array([True, False]), 0)


def test_fp32_of_python_constant():
    assert evaluate(Const(0.1, "float")) == float(np.float32(0.1))


def test_scalar_fault_names_line_operands_and_core():
    b = Builder()
    n = b.param("n")
    b.assign(op("//", n, op("-", b.assign(op("*", 1, 3)), 3)))
    done = run(b.program(), {"n": 7}, 4)
    (fault,) = done.faults
    assert (fault.code, fault.core, fault.where.line) == ("ASC-RUN-02", 0, 2)
    assert fault.facts == {"operation": "//", "left": 7}


def test_converted_element_out_of_range():
    b = Builder()
    x = b.param("x", "buffer", int32)
    n = b.param("n")
    b.issue("set_value", tensor=gm(int32, x, 0, 1, "x"), index=0, value=n)
    values = buffers(x=np.zeros(1, np.int32)) | {"n": 2**31}
    (fault,) = run(b.program(), values).faults
    assert fault.code == "ASC-RUN-07" and fault.facts["value"] == 2**31
