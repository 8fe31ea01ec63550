"""Function and driven tasks: proven sound; no answer of any form harms the judge, none
tells a hidden number, none passes data behind the world's back."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from npugrade import checkers, taskcheck, worker_plain
from npugrade.cases import make_case
from npugrade.cells import Cell
from npugrade.extract import extract
from npugrade.host import HostFailure
from npugrade.judging import all_cases, judge
from npugrade.kernels import Opaque
from npugrade.messages import LANGUAGES
from npugrade.outcome import Outcome
from npugrade.plaindata import decode, encode
from npugrade.plainrun import FunctionSubmission
from npugrade.taskmodel import Array, Entry
from npugrade.tasks import load_base, load_task
from npugrade.verdict import Verdict
from tests.judge.row_task import SEED, SOLUTIONS, TASKS

TILING, BROADCAST = (load_task(n, TASKS) for n in ("t2-tiling", "t3-broadcast"))
RIGHT = '{"blocks": 1, "tile": 4096}'


def verdict_on(task, text: str, seed: str | None = None) -> Verdict:
    known = load_base(task.id, TASKS)
    return judge(
        task, [Cell("answer", text)], seed=seed, known=known, solutions=SOLUTIONS
    )


def tiling(answer: str) -> str:
    return f"def tiling(n, cores, ub_nbytes):\n    return {answer}\n"


def program(body: str, top: str = "") -> str:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return f"{top}\n\nasync def broadcast(world, rank, ranks, token):\n{lines}"


@pytest.mark.parametrize("name", ["t2-tiling", "t3-broadcast"])
def test_task_is_sound(name, capsys):
    assert taskcheck.main(name, TASKS, SOLUTIONS) == 0, capsys.readouterr().out


# ---------------------------------------------------------------------------- answers
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (RIGHT, ""),
        ("None", "tiling.form"),
        ("lambda: 1", "tiling.form"),
        ("{'blocks': True, 'tile': 4096}", "tiling.form"),
        ("{'blocks': 1.0, 'tile': 4096}", "tiling.form"),
        ("{'blocks': 49, 'tile': 4096}", "tiling.blocks"),
        ("{'blocks': 10**5000, 'tile': 4096}", "host.ended"),
        ("{'blocks': 1, 'tile': 10**300}", "tiling.form"),
        ("{'blocks': 1, 'tile': 2**60}", "tiling.ub"),
        ("{'blocks': 1, 'tile': 0}", "tiling.aligned"),
        ("{'blocks': 1, 'tile': -16}", "tiling.aligned"),
        ("'x' * 10_000_000", "host.long-message"),
        ("1 / 0", "host.error.call"),
        ("__import__('os')._exit(3)", "host.ended"),
    ],
)
def test_answers_of_every_form(answer, code):
    verdict = verdict_on(TILING, tiling(answer))
    assert verdict.facts["even"]["code"] == code
    assert (verdict.score == 0) == code.startswith("host")
    for language in LANGUAGES:
        assert "{code}" not in verdict.text(language)


def test_endless_function_ends_at_its_deadline():
    budgets = TILING.budgets.model_copy(update={"host_seconds": 0.5})
    task = TILING.model_copy(update={"budgets": budgets})
    verdict = verdict_on(task, tiling("[0 for _ in iter(int, 1)]"))
    assert verdict.facts["even"]["code"] == "host.deadline" and verdict.score == 0


def test_dataclass_is_taken_as_its_fields():
    text = (
        "from dataclasses import dataclass\n\n@dataclass\nclass Plan:\n"
        "    blocks: int\n    tile: int\n\n\n" + tiling("Plan(1, 4096)")
    )
    assert verdict_on(TILING, text).score == 50.0


def test_hidden_numbers_are_not_told():
    prime = next(d for d in all_cases(TILING, SEED) if d.case.name == "prime")
    for body in ("{'blocks': n, 'tile': n}", "{'n': n}[n + n]", "{'blocks': 1, n: n}"):
        verdict = verdict_on(TILING, tiling(body), seed=SEED)
        assert verdict.facts["prime"]["stage"]
        for language in LANGUAGES:
            text = verdict.text(language).replace(",", "")
            assert str(prime.dims["n"]) not in text
            assert str(2 * prime.dims["n"]) not in text


def test_launch_is_no_request_of_a_function():
    text = "from npusim import asc\n\n\n" + tiling("asc.device.empty((1,), asc.half)")
    assert verdict_on(TILING, text).facts["even"]["code"] == "host.malformed"


# ------------------------------------------------------------------------------- data
def test_arrays_travel_both_ways(monkeypatch):
    seen = []

    def checker(arguments, answer):
        seen.append((arguments, answer))
        return Outcome(2, 1)

    monkeypatch.setitem(checkers.CHECKERS, "vector-tiling", checker)
    entry = Entry(host="f", inputs=["x", "i"], attributes=["n"])
    arrays = {
        "x": Array(shape=["n", "2"], dtype="bfloat16"),
        "i": Array(shape=["n"], dtype="int32"),
    }
    update = {"entry": entry, "arrays": arrays, "attributes": {}}
    task = TILING.model_copy(update=update)
    text = (
        "def f(x, i, n):\n    return [x.T, i[::-1], x.dtype.name, n, (x.sum() > 0)]\n"
    )
    case = task.visible[1].model_copy(update={"dims": task.hidden[1].dims})
    data = make_case(task, case, True, SEED)
    result = FunctionSubmission(task, extract([Cell("c", text)], ["f"])).run(data)
    assert result.passed, result.messages
    ((arguments, answer),) = seen
    x, i = arguments["x"], arguments["i"]
    assert x.dtype == ml_dtypes.bfloat16 and x.shape == (data.dims["n"], 2)
    assert np.array_equal(answer[0], x.T) and np.array_equal(answer[1], i[::-1])
    assert answer[2:] == ["bfloat16", data.dims["n"], bool(x.sum() > 0)]


_PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(st.integers(-(2**63), 2**64 - 1) | st.text(), inner)
    ),
    max_leaves=12,
)


@given(_PLAIN)
def test_plain_data_survive_the_journey(value):
    for one, other in ((encode, worker_plain.decode), (worker_plain.encode, decode)):
        try:
            assert other(one(value)) == value
        except HostFailure:  # nested deeper than an answer may be
            assert str(value).count("[") + str(value).count("(") > 5


@pytest.mark.parametrize(
    "forged",
    [
        {"v": {}}, {"v": 1, "list": []}, {}, [], None, {"pickle": "gASVAA=="},
        {"list": 3}, {"dict": [[{"v": 1}]]}, {"dict": [[{"list": []}, {"v": 1}]]},
        {"array": ["float32", [2], "AAAA"]}, {"array": ["float32", [-1], ""]},
        {"array": ["float32", [1], "****"]}, {"array": ["int32", [True], "AAAAAA=="]},
        {"array": ["int32", [10**30], ""]}, {"array": "abc"},
        {"list": [{"list": [{"list": [{"dict": [[]]}]}]}]},
    ],
)  # fmt: skip
def test_forged_values_are_malformed(forged):
    with pytest.raises(HostFailure):
        decode(forged)


def test_deep_and_strange_values():
    deep = {"v": 1}
    for _ in range(40):
        deep = {"list": [deep]}
    with pytest.raises(HostFailure):
        decode(deep)
    assert isinstance(decode({"array": ["object", [1], ""]}), Opaque)
    assert isinstance(decode({"opaque": "function"}), Opaque)


# ---------------------------------------------------------------------------- programs
SHARED = program("if rank == 0:\n    BOX.append(token)\nreturn BOX[0]", "BOX = []")
GUESS = program("return 4711")
SENT_UNHELD = program("await world.send((rank + 1) % ranks, 4711)\nreturn 4711")


LOOP = program(
    "if rank:\n    return await world.receive()\n"
    "while True:\n    await world.send(1, token)"
)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (SHARED, "broadcast.holder"),
        (GUESS, "broadcast.holder"),
        (SENT_UNHELD, "broadcast.holder"),
        (program("return await world.receive()"), "driven.stuck"),
        (program("await world.clock()"), "broadcast.request"),
        (program("await world.send('a', token)"), "broadcast.request"),
        (program("await world.send(99, token)"), "broadcast.rank"),
        (program("await world.receive(1)"), "broadcast.request"),
        (program("import asyncio\nawait asyncio.sleep(1)"), "host.error.call"),
        (program("world.now"), "broadcast.answer"),
        ("def broadcast(world, rank, ranks, token):\n    pass\n", "host.error.call"),
        (
            LOOP,
            "driven.requests",
        ),
    ],
)
def test_programs_that_break_the_rules(text, code):
    verdict = verdict_on(BROADCAST, text)
    assert verdict.facts["eight"]["code"] == code
    assert verdict.score < 50.0


def test_forged_messages_of_a_driven_program():
    reply = '{"op": "finished", "program": 3, "value": {"v": 4711}}'
    top = f"import os\nREPLY = b'{reply}\\n'"
    write = "    try:\n        os.write(fd, REPLY)\n    except OSError:\n        pass\n"
    forged = program(f"for fd in range(3, 256):\n{write}return token", top)
    verdict = verdict_on(BROADCAST, forged)
    assert verdict.facts["eight"]["code"] == "host.malformed"
    assert verdict.score == 0.0


def test_slow_program_is_right_but_earns_no_speed():
    body = (
        "if rank:\n    return await world.receive()\n"
        "for other in range(1, ranks):\n    await world.send(other, token)\n"
        "return token"
    )
    verdict = verdict_on(BROADCAST, program(body))
    assert verdict.score == 50.0
    assert "1,750 ticks" in verdict.text("en")
    assert "1,750 个时刻" in verdict.text("zh")
