"""explain_wrong_answer: each suspect on a kernel with that very fault."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npusim import asc
from npusim.diagnostic import KernelError

from .faulty_kernels import launch, normal, reduced

ROWS, WIDTH = 12, 96
X, Y = normal((ROWS, WIDTH)), normal((ROWS, WIDTH), seed=2)
POSITIVE = np.abs(X) + np.float32(0.5)


def sigmoid(x):
    return 1 / (1 + np.exp(-np.asarray(x, float)))


def softmax(x, axis=-1):
    e = np.exp(np.asarray(x, float) - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


SIGMOID = """
    asc.muls(w, x_in, -1.0, width)
    asc.exp(w, w, width)
    asc.adds(w, w, 1.0, width)
"""
SILU = SIGMOID + "    asc.div(z_out, x_in, w, width)\n"
SUM = "asc.reduce_sum({z}, x_in, w, width)\n"
SCALAR = """
asc.set_flag(asc.HardEvent.V_S, 0)
asc.wait_flag(asc.HardEvent.V_S, 0)
s = v.get_value(0)
asc.set_flag(asc.HardEvent.S_V, 0)
asc.wait_flag(asc.HardEvent.S_V, 0)
"""
SOFTMAX_WITHOUT_DIVISION = (
    "asc.reduce_max(v, x_in, w, width)\n" + SCALAR + "asc.adds(w, x_in, -s, width)\n"
    "asc.exp(z_out, w, width)\n"
)
RMS = (
    "asc.mul(w, x_in, x_in, width)\nasc.reduce_sum(v, w, z_out, width)\n"
    "asc.muls(v, v, 1.0 / width, 1)\nasc.adds(v, v, 1e-5, 1)\nasc.sqrt(v, v, 1)\n"
    + SCALAR
    + "asc.muls(z_out, x_in, 1.0 / s, width)\n"
)
VARIANCE = (
    "asc.reduce_sum(v, x_in, w, width)\n"
    + SCALAR
    + "asc.adds(w, x_in, -s / width, width)\nasc.mul(w, w, w, width)\n"
    "asc.reduce_sum(z_out, w, v, width)\nasc.muls(z_out, z_out, 1.0 / {n}, 1)\n"
)
HALF = """
asc.cast(h, x_in, asc.RoundMode.CAST_RINT, width)
asc.cast(z_out, h, asc.RoundMode.CAST_NONE, width)
"""


def layernorm(x, eps=1e-5):
    x = np.asarray(x, float)
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt(x.var(axis=-1, keepdims=True) + eps)


# name → (run, expected, code, reason, parts of the English message)
CASES = {
    "silu for sigmoid": (
        lambda: launch(X, Y, SILU), sigmoid(X), "FUNC-36", "sibling",
        ["z matches silu(x)", "not sigmoid(x)"],
    ),
    "log10 for ln": (
        lambda: launch(
            POSITIVE, Y, "asc.ln(w, x_in, width)\nasc.muls(z_out, w, 0.4342945, width)"
        ),
        np.log(POSITIVE.astype(float)), "FUNC-36", "sibling", ["log10(x)", "not ln(x)"],
    ),
    "swapped operands of sub": (
        lambda: launch(X, Y, "asc.sub(z_out, y_in, x_in, width)", blocks=3),
        X - Y, "FUNC-36", "swapped", ["y - x", "not x - y"],
    ),
    "swapped operands of div": (
        lambda: launch(POSITIVE, Y + 9, "asc.div(z_out, y_in, x_in, width)"),
        POSITIVE / (Y + 9), "FUNC-36", "swapped", ["y / x"],
    ),
    "the same operand twice": (
        lambda: launch(X, Y, "asc.mul(w, x_in, x_in, width)\n"
                             "asc.adds(z_out, w, 0.25, width)"),
        lambda x, y: x * y + 0.25, "FUNC-36", "repeated", ["x in the place of y"],
    ),
    "an operand without effect": (
        lambda: launch(X, Y, "asc.adds(z_out, x_in, 0.75, width)"),
        lambda x, y: x * y * y + 0.75, "FUNC-36", "ignored", ["y has no effect"],
    ),
    "softmax without the division": (
        lambda: launch(X, Y, SOFTMAX_WITHOUT_DIVISION), softmax(X), "FUNC-36",
        "sibling", ["without the division", "not softmax(x)"],
    ),
    "softmax over the other axis was wanted": (
        lambda: launch(X, Y, SOFTMAX_WITHOUT_DIVISION), softmax(X, 0), "FUNC-36",
        "sibling", ["not softmax(x), over axis 0"],
    ),
    "rms norm for layernorm": (
        lambda: launch(X + 1, Y, RMS), layernorm(X + 1), "FUNC-36", "sibling",
        ["rms_norm(x)", "not layernorm(x)"],
    ),
    "variance over n - 1": (
        lambda: reduced(X, VARIANCE.format(n="(width - 1)")), X.var(axis=1),
        "FUNC-36", "sibling", ["var(x), over n - 1", "not var(x), over n"],
    ),
    "mean for sum": (
        lambda: reduced(X, SUM.format(z="z_out") + "asc.muls(z_out, z_out, "
                        "1.0 / width, 1)"),
        X.sum(axis=1), "FUNC-36", "sibling", ["mean(x)", "not sum(x)"],
    ),
    "missing root": (
        lambda: launch(POSITIVE, Y, "asc.adds(z_out, x_in, 0.0, width)"),
        np.sqrt(POSITIVE * 1.0), "FUNC-36", "sibling", ["matches x within", "sqrt(x)"],
    ),
    "leaky relu for relu": (
        lambda: launch(X, Y, "asc.leaky_relu(z_out, x_in, 0.01, width)"),
        np.maximum(X, 0), "FUNC-36", "sibling", ["leaky_relu(x, 0.01)", "relu(x)"],
    ),
    "a factor of an unknown function": (
        lambda: launch(X, Y, "asc.mul(w, x_in, y_in, width)\n"
                             "asc.sub(w, w, x_in, width)\n"
                             "asc.muls(z_out, w, 0.0104166666, width)"),
        X * Y - X, "FUNC-36", "factor", ["times 0.0104167 = 1/96"],
    ),
    "a term of an unknown function": (
        lambda: launch(X, Y, "asc.mul(w, x_in, y_in, width)\n"
                             "asc.sub(w, w, x_in, width)\n"
                             "asc.adds(z_out, w, 2.5, width)"),
        X * Y - X, "FUNC-36", "term", ["plus 2.5"],
    ),
    "a residual left out": (
        lambda: launch(X, Y, "asc.mul(z_out, x_in, x_in, width)"),
        X * X * X * 0.5 + X * X + Y - X**3 * 0.5, "FUNC-36", "sibling", ["x^2"],
    ),
    "half on the way": (
        lambda: launch(X * 3.7, Y, HALF), X * 3.7 + 3e-3, "FUNC-36", "rounded",
        ["a value of half"],
    ),
    "a shifted copy-in": (
        lambda: launch(X, Y, "asc.mul(z_out, x_in, y_in, width)",
                       y_at="min(start + 8, n - width)"),
        X * Y, "LAYOUT-08", "input_shifted", ["y is read +8 elements"],
    ),
    "a stale copy-in": (
        lambda: launch(X, Y, "asc.sub(z_out, x_in, y_in, width)", blocks=3,
                       x_at="block * share * width + max(i - 1, 0) * width"),
        X - Y, "LAYOUT-08", "input_shifted", ["x is read -96 elements"],
    ),
    "a shifted result": (
        lambda: launch(X, Y, "asc.abs(z_out, x_in, width)",
                       x_at="min(start + 5, n - width)"),
        np.abs(X), "LAYOUT-08", "shifted", ["element i +5"],
    ),
    "a stale tile": (
        lambda: launch(X, Y, "asc.abs(z_out, x_in, width)", blocks=3,
                       x_at="block * share * width + max(i - 1, 0) * width",
                       y_at="0"),
        np.abs(X), "LAYOUT-08", "stale", ["tile 1 of block 0", "of tile 0"],
    ),
    "another block's tile": (
        lambda: launch(X, Y, "asc.abs(z_out, x_in, width)", blocks=4,
                       z_at="(3 - block) * share * width + i * width"),
        np.abs(X), "LAYOUT-08", "tile", ["of block 0", "expected values"],
    ),
    "an input read as its transpose": (
        lambda: launch(X.T.reshape(ROWS, WIDTH).copy(), Y,
                       "asc.mul(z_out, x_in, y_in, width)"),
        None, "LAYOUT-08", "input_transpose", ["x is read with rows and columns"],
    ),
    "an input times a number": (
        lambda: launch(X, Y, "asc.muls(w, x_in, 2.5, width)\n"
                             "asc.adds(z_out, w, -1.0, width)"),
        X * X * X, "FUNC-36", "sibling", ["matches 2.5 * x - 1 within"],
    ),
    "a half that overflows": (
        lambda: launch((X * 4 + 3).astype(np.float16), Y.astype(np.float16),
                       "asc.exp(z_out, x_in, width)"),
        np.exp((X * 4 + 3).astype(np.float16).astype(float)), "FUNC-36", "overflow",
        ["Inf or NaN at", "65504"],
    ),
    "a maximum over padding": (
        lambda: reduced(-POSITIVE[:, :93].copy(), "asc.reduce_max(z_out, x_in, w, "
                        "(width + 7) // 8 * 8)"),
        -POSITIVE[:, :93].min(axis=1), "FUNC-36", "padded", ["from 93 to 96 elements"],
    ),
    "a dropped tail of every row": (
        lambda: reduced(X[:, :93].copy(), "asc.reduce_sum(z_out, x_in, w, "
                        "width // 8 * 8)"),
        X[:, :93].sum(axis=1), "FUNC-36", "cut", ["first 88 of 93 elements"],
    ),
    "an approximate instruction": (
        lambda: launch(POSITIVE, Y, "asc.reciprocal(w, x_in, width)\n"
                                    "asc.mul(z_out, w, y_in, width)"),
        Y / POSITIVE, "FUNC-36", "precision", ["close everywhere"],
    ),
    "the tree of half sums": (
        lambda: reduced(np.abs(normal((16, 4000), np.float16)) + np.float16(8),
                        "asc.reduce_sum(z_out, x_in, w, width)"),
        lambda x: x.astype(float).sum(axis=1), "FUNC-36", "precision", ["half"],
    ),
    "only the first row of an input": (
        lambda: launch(X, Y, "asc.mul(z_out, x_in, y_in, width)", y_at="0"),
        X * Y, "FUNC-36", "first_only", ["y[0, :]"],
    ),
}  # fmt: skip


def report_of(name):
    run, expected, *_ = CASES[name]
    run = run()
    if name == "an input read as its transpose":
        seen = run.execution.buffers[1].data.reshape(ROWS, WIDTH)
        expected = seen.T.reshape(ROWS, WIDTH) * Y
    if callable(expected):
        return asc.explain_wrong_answer(run, expected)
    return asc.explain_wrong_answer(run, expected)


@pytest.mark.parametrize("name", CASES)
def test_the_fault_is_found(name):
    _, _, code, reason, parts = CASES[name]
    report = report_of(name)
    assert not report.right
    first = report.suspects[0]
    assert (first.code, first.facts["reason"]) == (f"ASC-{code}", reason), str(report)
    assert all(part in first.render("en") for part in parts), first.render("en")
    for language in ("en", "zh", "both"):
        text = report.text(language)
        assert "?" not in text and "None" not in text and "{" not in text
        assert first.code in report.html(language)


def test_a_right_answer_has_no_suspects():
    report = asc.explain_wrong_answer(launch(X, Y, SILU), X * sigmoid(X))
    assert report.right and not report.suspects and report.first is None
    assert "all 1,152 elements are right" in report.text("en")


def test_the_first_wrong_element_its_block_tile_and_line():
    run = launch(X, Y, "asc.abs(z_out, x_in, width)\nif row == 7:\n"
                 "    asc.muls(z_out, z_out, 2.0, width)", blocks=4)  # fmt: skip
    report = asc.explain_wrong_answer(run, np.abs(X))
    assert report.first.index == (7, 0) and report.first.flat == 7 * WIDTH
    assert (report.first.block, report.first.tile) == (2, 1)
    assert report.first.operation == "data_copy_pad"
    assert "zg[start:]" in report.first.where.text
    assert math.isclose(report.first.got, 2 * report.first.expected, rel_tol=1e-6)
    assert "only rows 7 of 12" in report.text("en")
    assert "only blocks 2 of 4" in report.text("en")


def test_a_tail_that_nobody_wrote():
    run = launch(X, Y, "asc.abs(z_out, x_in, width)", blocks=5)
    report = asc.explain_wrong_answer(run, np.abs(X))
    text = report.text("en")
    assert "the tail, elements 960..1151" in text
    assert "exactly the 192 elements that no instruction wrote" in text
    assert "no instruction of this launch wrote it" in text and not report.suspects


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([(6, 32), (4, 45), (1, 64), (3, 200)]))
def test_noise_has_no_suspects(seed, shape):
    """A result of chance is not explained, whatever was expected."""
    x, y = normal(shape, seed=seed), normal(shape, seed=seed + 1)
    noise = normal(shape, seed=seed + 2)
    run = launch(x, noise, "asc.adds(z_out, y_in, 0.0, width)")
    report = asc.explain_wrong_answer(run, x.astype(float) * 1.5, inputs={"y": y})
    assert not report.suspects, str(report)
    assert "none of the usual suspects" in report.text("en")


def test_an_input_that_was_overwritten_is_asked_for():
    text = "asc.muls(z_out, x_in, -1.0, width)\nasc.exp(z_out, z_out, width)"
    before = X.copy()
    run = launch(before, Y, text, z=before)
    report = asc.explain_wrong_answer(run, np.exp(X))
    assert "values before the launch are gone" in report.text("en")
    report = asc.explain_wrong_answer(run, np.exp(X), inputs={"x": X})
    assert "exp(-x)" in report.suspects[0].render("en")
    with pytest.raises(KernelError, match="ASC-ARG-12"):
        asc.explain_wrong_answer(run, np.exp)


@pytest.mark.parametrize(
    ("expected", "options", "part"),
    [
        (np.zeros(7), {}, "has 1152 elements"),
        ({"q": np.zeros(7)}, {}, "no array q"),
        (X, {"inputs": {"q": X}}, "inputs names q"),
        (X, {"inputs": {"x": X[0]}}, "x has 1152 elements"),
        (lambda a, b, c: a, {}, "takes (a, b, c), the kernel read x, y"),
    ],
)
def test_what_does_not_fit_is_refused(expected, options, part):
    run = launch(X, Y, SILU)
    with pytest.raises(KernelError) as error:
        asc.explain_wrong_answer(run, expected, **options)
    (found,) = error.value.diagnostics
    assert found.code == "ASC-ARG-12" and part in found.render("en")
    assert "?" not in found.render("zh")


def test_a_stopped_launch_is_explained_as_far_as_it_came():
    with pytest.raises(KernelError) as error:
        launch(X, Y, SILU + "    assert row < 5\n")
    report = asc.explain_wrong_answer(error.value.run, X * sigmoid(X))
    assert report.stopped and "stopped with an error" in report.text("en")
    assert report.first.index == (5, 0)


def test_large_results_are_explained_by_a_part():
    x = normal((512, 512))
    run = launch(x, x, SILU, blocks=8)
    report = asc.explain_wrong_answer(run, sigmoid(x))
    assert "silu(x)" in report.suspects[0].render("en")
    report = asc.explain_wrong_answer(run, np.roll(x * sigmoid(x), 1536))
    assert "tile" in report.suspects[0].render("en")


def test_a_function_takes_the_inputs_that_it_names():
    run = launch(X, Y, "asc.adds(z_out, y_in, 1.0, width)")
    assert asc.explain_wrong_answer(run, lambda y: y + 1).right
    assert asc.explain_wrong_answer(run, lambda y, x: y + 1).right
    assert asc.explain_wrong_answer(run, lambda a, b: b + 1).right
