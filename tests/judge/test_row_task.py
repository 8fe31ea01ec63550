"""A task with named dimensions: mistakes are located, data follow their recipes, limits
on counters hold, and `npucamp task check` proves it sound."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from npucamp.cli import app
from npugrade.cases import make_case
from npugrade.constraints import limits_of
from npugrade.golden import GOLDEN, in_double
from npugrade.messages import LANGUAGES
from npugrade.score import case_floor, case_forms
from npugrade.tasks import TaskError, load_task
from npugrade.taskshape import FUNCTIONS, evaluate, names_of
from tests.judge.row_task import (
    SEED,
    SOLUTIONS,
    TASKS,
    answer,
    changed,
    judged,
    row_task,
)

TEXT = (TASKS / "t1-row-norm.toml").read_text(encoding="utf-8")
CLOSE = "{ relative = 2e-4, absolute = 2e-4 }"
FLAT = "values_of = { x = { low = 0.0, high = 0.0 } }"


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ('shape = ["rows"]', 'shape = ["lines"]', "visible.0.dims: no 'lines'"),
        ('shape = ["rows"]', 'shape = ["rows ** 2"]', "arrays.mean.shape.0:"),
        ('shape = ["rows"]', 'shape = ["ceil(rows)"]', "arrays.mean.shape.0:"),
        ("[arrays.mean]", "[arrays.median]", "arrays.median: entry names no such"),
        ("[arrays.mean]", "[arrays.median]", "arrays.mean: has no table"),
        ('dtype = "half"', 'dtype = "fp16"', "arrays.gamma.dtype:"),
        ('dtype = "half"', 'dtype = ""', "visible.0.dtype: missing"),
        ('attributes = ["eps"]', 'attributes = ["eps", "k"]', "no value for 'k'"),
        ("eps = { choose", "epsilon = { choose", "hidden.1.attributes.epsilon:"),
        ("choose = [0.5, 0.25]", "choose = []", "hidden.1.attributes.eps"),
        ("rows = 4, cols = 64", "rows = 4", "visible.0.dims: no 'cols'"),
        ("rows = 4, cols = 64", "rows = 0, cols = 64", "visible.0.dims.rows:"),
        ('rows = { twin_of = "prime" }', "rows = { offset = 1 }", "hidden.2.dims"),
        ('{ twin_of = "prime" }', '{ twin_of = "prime-twin" }', "is a twin itself"),
        ("offset = 1", "offset = 0", "hidden.2: a twin lies one element away: give"),
        ("offset = 1", "offset = 9", "hidden.2.dims.cols: a twin lies one element"),
        ('{ twin_of = "prime" }', '{ twin_of = "nobody" }', "hidden.2.dims.rows:"),
        ("writes_per_output_byte", "writes", "constraints.counters.writes: no such"),
        ('max_cores = "rows"', 'max_cores = "lines"', "visible.3.constraints"),
        ("low = 0.5, high = 1.5", "low = 2.5, high = 1.5", "arrays.gamma.values:"),
        (CLOSE, '"near"', "arrays.y.tolerance: no rule 'near'"),
        (FLAT, "values_of = { y = { low = 0.5 } }", "hidden.3.values_of.y:"),
        ('over = "x"', 'over = "z"', "floor.over:"),
        ('"mul", "mul", "add"', '"mull"', "floor.vector: no vector instruction"),
        ('golden = "row-norm"', "", "golden: a kernel task needs one"),
        ('golden = "row-norm"', 'checker = "vector-tiling"', "checker: a kernel"),
        ('zh = "单行或单列"', 'zh = "单行或单列"\n[groups.no]\nen = "n"\nzh = "无"',
         "groups.no: no case"),
        ('host = "row_norm"', 'host = "row norm"', "entry.host:"),
        ('hints]]\nen = "Which', 'tips]]\nen = "Which', "t1-row-norm.toml: tips:"),
    ],
)  # fmt: skip
def test_mistake_is_located(tmp_path, old, new, place):
    assert old in TEXT
    path = tmp_path / "t1-row-norm.toml"
    path.write_text(TEXT.replace(old, new), encoding="utf-8")
    with pytest.raises(TaskError) as caught:
        load_task("t1-row-norm", tmp_path)
    assert place in str(caught.value)


def test_every_mistake_is_named_at_once(tmp_path):
    text = TEXT.replace("writes_per_output_byte", "writes").replace('"mul"', '"mull"')
    (tmp_path / "t1-row-norm.toml").write_text(text, encoding="utf-8")
    with pytest.raises(TaskError) as caught:
        load_task("t1-row-norm", tmp_path)
    assert len(str(caught.value).splitlines()) == 3


# ----------------------------------------------------------------------- expressions
_LEAF = st.one_of(st.integers(0, 99).map(str), st.sampled_from(["rows", "cols"]))


def _grown(inner):
    pair = st.tuples(inner, inner)
    operators = st.sampled_from(["({} + {})", "({} - {})", "({} * {})", "min({}, {})"])
    return st.builds(lambda form, two: form.format(*two), operators, pair)


@given(
    st.recursive(_LEAF, _grown, max_leaves=8), st.integers(1, 999), st.integers(1, 9)
)
def test_expressions_are_those_of_python(text, rows, cols):
    names = {"rows": rows, "cols": cols}
    assert evaluate(text, names) == eval(text, dict(FUNCTIONS), names)
    assert names_of(text) == set(re.findall("rows|cols", text))


def test_ceil_rounds_up_and_floor_division_down():
    assert [evaluate("ceil(n, 32)", {"n": n}) for n in (1, 32, 33)] == [1, 1, 2]
    assert evaluate("n // 32", {"n": 63}) == 1


# ------------------------------------------------------------------------------- data
def cases(seed: str = SEED):
    task = row_task()
    return {c.name: make_case(task, c, c in task.hidden, seed) for c in task.cases}


def test_shapes_and_dtypes_follow_the_dimensions():
    for name, data in cases().items():
        rows, cols = data.dims["rows"], data.dims["cols"]
        assert [a.shape for a in data.inputs] == [(rows, cols), (cols,), (cols,)], name
        assert [str(a.dtype) for a in data.inputs] == ["float32", "float16", "float16"]
        assert data.outputs == (((rows, cols), "float32"), ((rows,), "float32"))


def test_twins_attributes_and_values_follow_their_recipes():
    chosen = set()
    for seed in map(str, range(12)):
        drawn = cases(seed)
        prime, twin = drawn["prime"], drawn["prime-twin"]
        assert twin.dims == {"rows": prime.dims["rows"], "cols": prime.dims["cols"] + 1}
        assert np.unique(drawn["flat"].inputs[0]).tolist() == [0.0]
        assert drawn["offset"].inputs[0].min() >= 200
        assert drawn["flat"].attributes == {"eps": 1e-5}
        chosen.add(prime.attributes["eps"])
    assert chosen == {0.5, 0.25}


def test_integers_are_whole_and_keep_their_bounds():
    arrays = row_task().arrays
    x = arrays["x"].model_copy(update={"dtype": "int8"})
    task = row_task().model_copy(update={"arrays": {**arrays, "x": x}})
    data = make_case(task, task.visible[2], False, SEED).inputs[0]
    assert data.dtype == np.int8
    assert sorted(np.unique(data).tolist()) == list(range(-8, 9))


def test_golden_is_the_definition():
    data = cases()["prime"]
    y, mean = GOLDEN["row-norm"](*map(in_double, data.inputs), **data.attributes)
    x, gamma, beta = (a.astype(np.float64) for a in data.inputs)
    eps = data.attributes["eps"]
    due = (x - x.mean(1)[:, None]) / np.sqrt(x.var(1) + eps)[:, None] * gamma + beta
    assert np.allclose(y, due, rtol=1e-12) and np.allclose(mean, x.mean(1))


def test_floor_counts_every_array_once():
    data, task = cases()["many-rows"], row_task()
    forms = case_forms(task, data)
    assert list(forms) == ["x", "gamma", "beta", "y", "mean"]
    assert forms["gamma"] == ((256,), "half")
    less = task.floor.model_copy(update={"read_nbytes": "1", "written_nbytes": "1"})
    shorter = case_floor(task.model_copy(update={"floor": less}), data)
    assert shorter < case_floor(task, data)


# ------------------------------------------------------------------------ constraints
@pytest.mark.parametrize(
    ("table", "code", "said"),
    [
        ({"max_cores": "rows - 1"}, "constraint.counter", "cores_used ≤ 3"),
        ({"max_instructions": 4}, "constraint.counter", "instructions ≤ 4"),
        (
            {"counters": {"barriers_all": "rows"}},
            "constraint.counter",
            "(PIPE_ALL) calls",
        ),
        ({"instructions": ["add", "mul"]}, "constraint.allowed", "adds is none"),
        ({"forbidden": ["sqrt"]}, "constraint.forbidden", "sqrt"),
        ({"max_cores": "rows", "forbidden": ["exp"]}, "", ""),
    ],
)
def test_constraints_hold(table, code, said):
    verdict = judged(answer(), changed(constraints=table))
    assert verdict.facts["small"]["code"] == code
    assert said in verdict.text("en")
    assert (verdict.score == 100.0) == (not code)
    for language in LANGUAGES:
        assert "{" not in verdict.text(language)


def test_limits_are_evaluated_for_each_case():
    limits = limits_of(row_task().constraints, {"rows": 10, "cols": 3})
    assert limits["instructions"] == 10 * 20 + 48 * 8


def test_attribute_reaches_the_host_function():
    wrong = answer().replace("rows, eps, cols)", "rows, 100.0, cols)")
    assert wrong != answer()
    assert judged(wrong).facts["small"]["code"] == "accuracy.close"


def test_visible_cases_are_named_by_their_dimensions():
    wrong = answer().replace("asc.add(y_ub", "asc.sub(y_ub")
    assert "case small (rows 4, cols 64): y[" in judged(wrong).text("en")
    assert "用例 small（rows 4, cols 64）" in judged(wrong).text("zh")


def test_task_check_proves_it_sound():
    arguments = ["task", "check", "t1-row-norm"]
    folders = ["--tasks", str(TASKS), "--solutions", str(SOLUTIONS)]
    done = CliRunner().invoke(app, [*arguments, *folders])
    assert done.exit_code == 0, done.output
    assert "task t1-row-norm: sound" in done.output
