"""The library as a whole: names, help, documents, variants."""

from __future__ import annotations

import re
import tomllib
from importlib import import_module, resources
from types import ModuleType

import numpy as np
import pytest

from npusim import asc, ops
from npusim.ops import FAMILIES, Operator

NAMES = [name for family in FAMILIES.values() for name in family]


def test_names_are_unique_and_known():
    assert len(NAMES) == len(set(NAMES))
    assert set(NAMES) <= set(dir(ops))


@pytest.mark.parametrize("name", NAMES)
def test_every_operator_has_a_name_help_and_kernels(name):
    op = getattr(ops, name)
    assert isinstance(op, Operator)
    assert op.name == name
    assert op.__doc__
    assert op.kernels


@pytest.mark.parametrize("family", list(FAMILIES))
def test_the_import_of_a_module_does_not_hide_an_operator(family):
    assert isinstance(import_module(f"npusim.ops.{family}"), ModuleType)
    for name in FAMILIES[family]:
        assert isinstance(getattr(ops, name), Operator)


def test_an_unknown_operator_is_named():
    with pytest.raises(AttributeError, match="no operator 'gellu'"):
        ops.gellu  # noqa: B018


def test_a_run_before_any_call_is_an_error():
    fresh = Operator("mine", lambda x: (x, ()), {})
    with pytest.raises(RuntimeError, match=r"ops\.mine"):
        fresh.run  # noqa: B018


def test_documented_operators_exist(root):
    text = (root / "docs" / "operators.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(.*?)` \|", text, re.M)
    words = re.findall(r"\b([a-z_]+)(?=[ ,(`]|$)", " ".join(rows))
    named = set(words) & set(NAMES)
    own = {n for f, names in FAMILIES.items() if f in documented() for n in names}
    assert own <= named | {"where"}


def documented() -> set[str]:
    """The families of docs/operators.md: those whose arrays are mapped or moved."""
    return {
        "activation", "casting", "comparison", "dynamic_quantisation", "elementwise",
        "exponential", "gated", "hyperbolic", "indexing", "quantisation", "rectifier",
        "scalars", "predicates", "transposition", "unary",
    }  # fmt: skip


def test_schedules_that_were_tried_are_counted():
    text = (resources.files("npusim.ops") / "variants.toml").read_text("utf-8")
    table = tomllib.loads(text)
    assert documented() <= set(table)
    assert all(row["tried"] >= 0 and row["schedule"] for row in table.values())


def test_coefficients_name_their_source():
    text = (resources.files("npusim.ops") / "maths.toml").read_text("utf-8")
    assert all(row["source"] for row in tomllib.loads(text).values())


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: ops.gelu(x.astype(np.int32)), ("gelu", "int32", "bfloat16")),
        (lambda x: ops.add(x, np.zeros(5, x.dtype)), ("x[2, 3]", "y[5]")),
        (lambda x: ops.add(x.astype(np.int64), np.zeros(1, int)), ("int64",)),
        (lambda x: ops.adds(x, "2"), ("value='2'",)),
        (lambda x: ops.quantize(x, np.inf), ("scale=inf",)),
        (lambda x: ops.gather(np.zeros((1, 99_999), x.dtype), ZERO), ("188,1",)),
    ],
)
def test_a_refusal_says_what_was_given(call, words, language):
    asc.language(language)
    with pytest.raises(asc.KernelError) as caught:
        call(np.zeros((2, 3), np.float32))
    text = str(caught.value)
    assert all(word in text for word in words), text


ZERO = np.zeros((1, 1), np.int32)


def test_one_array_twice_and_a_read_only_input():
    x = np.arange(7, dtype=np.float32)
    x.flags.writeable = False
    np.testing.assert_array_equal(ops.add(x, x), x + x)
