"""The whole line: text in, verdict out, for honest submissions of z1-add."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from npugrade.cells import Cell
from npugrade.client import BadRequest, JudgeUnavailable, run_judge
from npugrade.judging import all_cases, judge
from npugrade.taskio import master_cells, solutions_folder
from npugrade.tasks import load_task
from npugrade.verdict import Verdict
from tests.judge.judge_samples import (
    GOOD,
    KERNEL,
    LAUNCH,
    SLOW,
    WRONG,
    edited,
    host,
    judged_here,
)

ADD = "        asc.add"
SEED = "a seed of the tests"
TASK = load_task("z1-add")
WEIGHTS = TASK.weights
STARTED = """print('{"stage": "started"}', flush=True)"""


def items(verdict: Verdict) -> dict[str, str]:
    return {item.key: item.status for item in verdict.items}


def texts(verdict: Verdict, language: str = "en") -> str:
    return verdict.text(language)


@pytest.fixture(scope="module")
def graded() -> Verdict:
    return run_judge("z1-add", GOOD, seed=SEED)


def test_right_and_fast_gets_everything(graded):
    assert graded.score == 100.0 == graded.max_score
    assert type(graded.score) is float
    assert set(items(graded).values()) == {"pass"}


def test_the_same_submission_gets_the_same_verdict(graded):
    assert run_judge("z1-add", GOOD, seed=SEED) == graded


def test_visible_cases_alone_give_a_score_and_say_what_is_left():
    verdict = run_judge("z1-add", GOOD)
    assert verdict.score == 100.0
    assert f"{len(TASK.hidden)} hidden cases" in texts(verdict)
    assert not any(fact["hidden"] for fact in verdict.facts.values())


def test_right_and_slow_earns_no_speed():
    verdict = run_judge("z1-add", SLOW, seed=SEED)
    assert verdict.score < WEIGHTS.builds + WEIGHTS.accuracy + 1.0
    assert all(s == "pass" for k, s in items(verdict).items() if "accuracy" in k)


def test_wrong_values_keep_the_builds_points_only():
    verdict = run_judge("z1-add", WRONG, seed=SEED)
    assert verdict.score == WEIGHTS.builds
    assert items(verdict)["performance"] == "not-run"
    assert "should be" in texts(verdict) and "应为" in texts(verdict, "zh")


def test_wrong_tail_loses_the_groups_that_have_one():
    text = edited(("(n + asc.get_block_num() - 1) //", "n //"))
    verdict = run_judge("z1-add", text.replace("[48]", "[8]"))
    status = items(verdict)
    assert status["accuracy/unaligned"] == "fail" == status["accuracy/single"]
    assert status["accuracy/aligned"] == "pass" == status["accuracy/large"]
    assert verdict.score == WEIGHTS.builds + WEIGHTS.accuracy / 2
    assert "ASC-TILE-26" in texts(verdict)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (
            "        asc.pipe_barrier(asc.PipeID.PIPE_ALL)\n        asc.add",
            "",
            "RACE-15",
        ),
        ("        asc.data_copy_pad(b, gy[i:], shape, fill)\n", None, "INIT-11"),
    ],
)
def test_hazards_are_named_with_their_line(old, new, code):
    replacement = "        asc.add" if new is not None else ""
    cell = Cell("Cell [7]", edited((old, replacement)))
    text = texts(run_judge("z1-add", [cell]))
    assert f"ASC-{code}" in text and "Cell [7], line " in text


def test_message_names_the_learners_line():
    text = KERNEL.replace("asc.add(c, a, b, m)", "asc.add(c, a, b, q)")
    line = text.splitlines().index("        asc.add(c, a, b, q)") + 1
    cells = [Cell("Cell [3]", text), Cell("Cell [9]", host(kernel=""))]
    verdict = run_judge("z1-add", cells)
    assert verdict.score == 0.0
    assert f"Cell [3], line {line}" in texts(verdict)
    assert f"单元 [3] 第 {line} 行" in texts(verdict, "zh")


def test_syntax_error_is_a_located_verdict():
    verdict = run_judge("z1-add", [Cell("Cell [2]", "def add(x, y, z)\n    pass")])
    assert verdict.score == 0.0 and "Cell [2], line 1" in texts(verdict)


def test_later_cells_win_and_unrelated_errors_do_not_matter():
    cells = [
        Cell("Cell [1]", WRONG),
        Cell("Cell [2]", "def broken(:"),
        Cell("Cell [3]", "%matplotlib inline\n" + GOOD),
        Cell("Cell [4]", "1 / 0\nprint(add(1))"),
    ]
    assert run_judge("z1-add", cells).score == 100.0


# ----------------------------------------------------------- starters and near-misses
def test_starter_is_not_attempted_in_both_languages():
    cells = master_cells(TASK, solutions_folder(), solved=False)
    verdict = run_judge("z1-add", cells)
    assert (verdict.score, verdict.attempted) == (0.0, False)
    assert "not attempted" in texts(verdict) and "尚未作答" in texts(verdict, "zh")
    assert "Traceback" not in texts(verdict) and "NotImplemented" not in texts(verdict)


def test_released_exercise_is_not_attempted():
    file = solutions_folder().parent / "exercises/z1-vector-add/z1-vector-add.ipynb"
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
    verdict = judged_here_cells(texts)
    assert (verdict.score, verdict.attempted) == (0.0, False)


def judged_here_cells(texts: list[str]) -> Verdict:
    return judge(TASK, [Cell(f"Cell [{n}]", text) for n, text in enumerate(texts)])


def test_no_cell_at_all_is_not_attempted():
    assert not run_judge("z1-add", []).attempted


def test_half_filled_starter_is_an_attempt():
    cells = master_cells(TASK, solutions_folder(), solved=False)
    cells = [*cells, Cell("Cell [9]", "BLOCKS = 8")]
    verdict = run_judge("z1-add", cells)
    assert verdict.attempted and verdict.score <= WEIGHTS.builds


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("pass", "launched no kernel"),
        (LAUNCH + "\nreturn z", "It returned a value of type Tensor"),
        (LAUNCH + "\nreturn 0", "must return nothing"),
        ("x.numpy()", "AttributeError"),
        ("nobody[1](x)", "NameError"),
        ("kernel(x, y, z)", "launched with blocks"),
        ("kernel[1](x, y)", "ASC-ARG"),
        ("kernel[0](x, y, z, x.size, x.dtype, 2)", "ASC-ARG-05"),
        ("kernel[1](x, y, z, object(), x.dtype, 2)", "type object"),
        ("asc.device.tensor(x)", "no data"),
        ("asc.add(x, y, z, 1)", "inside a kernel"),
    ],
)
def test_host_mistakes_have_their_own_message(body, message):
    verdict = judged_here(host(body))
    assert verdict.score <= WEIGHTS.builds and message in texts(verdict)


def test_wrong_arity_names_the_entry():
    verdict = run_judge("z1-add", GOOD.replace("def add(x, y, z)", "def add(x, y)"))
    assert "`add` failed: TypeError" in texts(verdict)


def test_no_launch_names_the_definition_that_was_used():
    cells = [Cell("Cell [2]", GOOD), Cell("Cell [4]", "\n\ndef add(x, y, z):\n    1")]
    verdict = judge(TASK, cells)
    assert "`add` (Cell [4], line 3) launched no kernel" in texts(verdict)
    assert "`add`（单元 [4] 第 3 行）没有启动" in texts(verdict, "zh")


def test_input_must_not_change():
    verdict = run_judge(
        "z1-add", host(LAUNCH + "\n" + LAUNCH.replace("(x, y, z", "(z, y, x"))
    )
    assert "input x was changed" in texts(verdict)


def test_scalar_unit_may_not_compute_the_result():
    value = "gx.get_value(j) + gy.get_value(j)"
    loop = f"for j in range(i, i + m):\n            gz.set_value(j, {value})"
    text = edited(
        ("asc.add(c, a, b, m)", loop),
        ("        asc.data_copy_pad(gz[i:], c, shape)\n", ""),
        (  # whole cache lines a core
            "(n + asc.get_block_num() - 1) // asc.get_block_num()",
            "(n // 32 // asc.get_block_num() + 1) * 32",
        ),
    )
    verdict = run_judge("z1-add", text)
    assert "scalar unit" in texts(verdict)
    assert items(verdict)["accuracy/aligned"] == "fail"


# --------------------------------------------------------------- what hosts may do
@pytest.mark.parametrize(
    "text",
    [
        host("import sys\nprint('hi')\nprint('hi', file=sys.stderr)\n" + LAUNCH),
        host("import warnings\nwarnings.warn('careful')\n" + LAUNCH),
        host(
            LAUNCH.replace("48", "np.int64(48)").replace("x.size", "np.int32(x.size)"),
            "import numpy as np",
        ),
        host(
            "assert x.dtype in (np.float16, np.float32) and x.shape == z.shape\n"
            "assert x.nbytes == x.size * x.dtype.itemsize and x.ndim == len(x.shape)\n"
            "assert x.itemsize == x.dtype.itemsize\n" + LAUNCH,
            "import numpy as np",
        ),
        host("blocks = min(48, asc.chip('910B1').vector_cores)\n" + LAUNCH),
        host("return " + LAUNCH),
        host("with asc.settings(cache='l2'):\n    " + LAUNCH),
        host("kernel.launch(x, y, z, x.size, x.dtype, x.dtype.itemsize, blocks=48)"),
        host("w = asc.device.empty(16, asc.half)\nassert w.nbytes == 32\n" + LAUNCH),
        host(
            "t = plan(x.size)\n" + LAUNCH.replace("48", "t.blocks"),
            "from dataclasses import dataclass\n@dataclass\nclass Plan:\n"
            "    blocks: int\ndef plan(n):\n    return Plan(48)",
        ),
    ],
)
def test_innocent_host_code_gets_full_marks(text):
    assert judged_here(text, cases=4).score == 100.0


def test_helper_kernels_and_constants_travel():
    helper = "OP = (1, 'x', asc.half)\n@asc.jit\ndef plus(c, a, b, m):\n"
    helper += "    asc.add(c, a, b, m)\n"
    kernel = KERNEL.replace("asc.add(c, a, b, m)", "plus(c, a, b, m * OP[0])")
    kernel = kernel.replace("TILE = 4096\n", "TILE = 4096\n" + helper)
    assert run_judge("z1-add", host(kernel=kernel)).score == 100.0


def test_two_launches_are_timed_together():
    one = run_judge("z1-add", GOOD).facts["long"]["cycles"]
    two = run_judge("z1-add", host(LAUNCH + "\n" + LAUNCH)).facts["long"]["cycles"]
    assert 1.5 * one < two < 2.1 * one


# ------------------------------------------------------------------- verdicts, errors
def test_hidden_cases_tell_their_kind_only():
    text = edited(
        ("last = min(first + part, n)", "last = min(first + part, n, 262144)")
    )
    verdict = run_judge("z1-add", text, seed=SEED)
    lines = [d["en"] for i in verdict.items for d in i.details]
    hidden = [line for line in lines if line.startswith("hidden case")]
    assert len(hidden) >= 2 and len(hidden) == len(lines)
    assert all("ASC-TILE-26" in line and "262" not in line for line in hidden)


RACE = edited(("        asc.pipe_barrier(asc.PipeID.PIPE_ALL)\n        asc.add", ADD))


@pytest.mark.parametrize("shown", ["text", "html"])
def test_a_fault_of_many_cases_is_told_once(shown):
    verdict = judged_here(RACE, cases=4)
    text = getattr(verdict, shown)("en")
    assert text.count("ASC-RACE-15") == 2 == text.count("cause:")  # x and y
    assert text.count("same in: unaligned, single, long") == 2
    chinese = getattr(verdict, shown)("zh")
    assert chinese.count("以下用例相同：unaligned、single、long") == 2
    assert set(items(verdict).values()) == {"pass", "fail", "not-run"}


def test_hidden_cases_are_not_named_with_a_visible_fault():
    verdict = judged_here(RACE, cases=2, seed=SEED)
    lines = [d["en"] for i in verdict.items for d in i.details]
    assert lines.count("same in: unaligned") == 2
    for case in TASK.hidden:
        (line,) = (x for x in lines if case.name + ":" in x)
        assert line.startswith(f"hidden case {case.name}: ASC-RACE-1")
        assert "\n" not in line


def test_html_wraps_prose_and_keeps_source_and_marks_together():
    html = judged_here(RACE).html("en")
    prose, _, source = html.partition("ASC-RACE-15")[2].partition("asc.add(c, a, b, m)")
    assert "white-space:pre;" in prose and source.lstrip("\n ").startswith("^^^")
    assert '<td style="text-align:left;white-space:nowrap"><b' in html
    assert "<pre" not in html


@pytest.mark.parametrize(
    "body",
    [
        "raise type(f'N{x.size}', (Exception,), {})('it is ' + str(x.size))",
        "return type(f'N{x.size}', (), {})()",
        "kernel.name = f'N{x.size}'\n" + LAUNCH,
        "kernel[48](x, y, z, type(f'N{x.size}', (), {})(), x.dtype, 2)",
        "import os\nos._exit(x.size % 251)",
    ],
)
def test_host_code_cannot_tell_hidden_lengths(body):
    inside = "".join(f"    {line}\n" for line in body.split("\n"))
    text = host(f"if x.size > 300_000:\n{inside}else:\n    {LAUNCH}")
    verdict = judged_here(text, seed=SEED)
    case = next(d for d in all_cases(TASK, SEED) if d.case.name == "large-half")
    failed = {name for name, fact in verdict.facts.items() if fact["stage"]}
    assert "large-half" in failed
    for language in ("en", "zh"):
        text = texts(verdict, language)
        assert str(case.elements) not in text and "N1" not in text
        assert f"exit code {case.elements % 251}" not in text


def test_verdict_survives_json_and_html_is_escaped(graded):
    assert Verdict.from_json(graded.to_json()) == graded
    attack = host("raise ValueError('<script>alert(1)</script>')")
    verdict = run_judge("z1-add", attack)
    html = verdict._repr_html_()
    assert "&lt;script&gt;" in html and "<script" not in html
    assert verdict.html("zh") != html


def test_unknown_task_is_a_bad_request():
    with pytest.raises(BadRequest, match="no task 'z9'"):
        run_judge("z9", GOOD)


def test_failures_of_ours_are_never_a_zero(monkeypatch):
    monkeypatch.setattr(
        "npugrade.client._start", lambda: _python("import sys; sys.exit(1)")
    )
    with pytest.raises(JudgeUnavailable):
        run_judge("z1-add", GOOD)


def test_missing_base_is_a_failure_of_ours(tmp_path):
    (tmp_path / "nothing").mkdir()
    with pytest.raises(JudgeUnavailable, match="base"):
        run_judge("z1-add", GOOD, seed=SEED, solutions=tmp_path / "nothing")


def test_submission_that_kills_the_judge_gets_a_clean_zero(monkeypatch):
    code = f"import os; {STARTED}; os.kill(os.getpid(), 9)"
    monkeypatch.setattr("npugrade.client._start", lambda: _python(code))
    verdict = run_judge("z1-add", GOOD)
    assert verdict.score == 0.0 and "stopped" in texts(verdict)
    weights = [(item.key, item.max_points) for item in verdict.items]
    assert weights == list(WEIGHTS)


def test_deadline_of_the_whole_judgement(monkeypatch):
    code = f"import time; {STARTED}; time.sleep(60)"
    monkeypatch.setattr("npugrade.client._start", lambda: _python(code))
    verdict = run_judge("z1-add", GOOD, deadline_s=0.5)
    assert verdict.score == 0.0 and "0.5 s" in texts(verdict)


def _python(code: str) -> subprocess.Popen:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", code], stdin=pipe, stdout=pipe, stderr=pipe, text=True,
        start_new_session=True,
    )  # fmt: skip


def test_judge_imports_no_notebook_package():
    code = "import npugrade.judge, sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"nbgrader", "IPython", "matplotlib", "onnx", "simpy"}
