"""The world of the training loop: what is right by plain Python, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from npugrade.cases import make_case
from npugrade.cells import Cell
from npugrade.extract import extract
from npugrade.plainrun import DrivenSubmission
from npugrade.tasks import load_task
from npugrade.worlds.training import Training

TASK = load_task("d5-repair")
RIGHT = """\
    total, steps = 0.0, 0
    while True:
        has, bad = steps < len(samples), steps == fails_at
        sample = samples[steps] if has and not bad else 0.0
        s = await comm.all_reduce(np.array([sample, has, bad], np.float32))
        if s[2] > 0 or s[1] == 0:
            return np.array([total, steps])
        total += s[0]
        steps += 1
"""


def run(body: str, case: str = "failing", seed: str = "seed"):
    """The result of one case with this body."""
    text = f"import numpy as np\n\nasync def train(comm, samples, fails_at):\n{body}"
    submission = DrivenSubmission(TASK, extract([Cell("c", text)], ["train"]))
    hidden = case not in [one.name for one in TASK.visible]
    return submission.run(make_case(TASK, TASK.draws[case], hidden, seed))


@pytest.mark.parametrize("case", [one.name for one in TASK.cases])
def test_the_right_loop_passes_every_case(case):
    assert run(RIGHT, case).passed


@pytest.mark.parametrize("case", [one.name for one in TASK.cases])
@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_what_is_due_is_what_a_plain_loop_gives(case, seed):
    """The oracle: the rules of the job, step by step, in the words of the statement."""
    hidden = case not in [one.name for one in TASK.visible]
    data = make_case(TASK, TASK.draws[case], hidden, seed)
    world = Training({"data": data.inputs[0], **data.attributes})
    ranks = [world.arguments(program) for program in range(world.programs)]
    total, step = 0.0, 0
    while any(step < len(samples) for _, _, samples, _ in ranks):
        if any(step == fails_at for *_, fails_at in ranks):
            break
        total += sum(float(s[step]) for _, _, s, _ in ranks if step < len(s))
        step += 1
    due_total, due_steps = world.due()
    assert due_steps == step
    assert due_total == pytest.approx(total, abs=1e-5)


def test_the_cases_are_what_their_names_say():
    def world(case: str) -> Training:
        data = make_case(TASK, TASK.draws[case], True, "seed")
        return Training({"data": data.inputs[0], **data.attributes})

    def lengths(case: str) -> set[int]:
        it = world(case)
        return {len(it.arguments(r)[2]) for r in range(it.programs)}

    assert len(lengths("healthy")) == 1 and len(lengths("many")) > 2
    assert 0 in {n for seed in "abc" for n in lengths("empty")} | {0}
    failing = [world("two-fail").arguments(r)[3] for r in range(6)]
    assert sum(step >= 0 for step in failing) <= 2


@pytest.mark.parametrize(
    "body, code",
    [
        ("    await comm.send(samples, 0)\n", "training.call"),
        ("    await comm.barrier()\n", "training.call"),
        ("    await comm.all_reduce([1.0])\n", "training.array"),
        ("    await comm.all_reduce(np.zeros(2))\n", "training.array"),
        (
            "    await comm.all_reduce(np.zeros(2, np.float32), 'mean')\n",
            "training.operation",
        ),
        (
            "    await comm.all_reduce(np.zeros(1 + comm.rank, np.float32))\n",
            "training.fault",
        ),
        (
            "    if comm.rank:\n"
            "        await comm.all_reduce(np.zeros(1, np.float32))\n"
            "    else:\n        return np.array([0.0, 0])\n",
            "training.steps",
        ),
        ("    return 5\n", "training.result"),
        ("    return np.zeros(3)\n", "training.result"),
        (RIGHT.replace("[total, steps]", "[total + 1, steps]"), "training.total"),
        (RIGHT.replace("[total, steps]", "[float('nan'), steps]"), "training.total"),
        (RIGHT.replace("[total, steps]", "[total, float('nan')]"), "training.steps"),
        ("    while True:\n        pass\n", "host.time"),
        ("    await other\n", "host.error.call"),
    ],
)
def test_what_is_wrong_is_named(body, code):
    result = run(body)
    assert not result.passed
    assert result.code.startswith(code.split(".")[0])
    if not code.startswith("host"):
        assert result.code == code


def test_a_rank_that_leaves_alone_lets_the_others_hang():
    body = RIGHT.replace("        sample =", "        if bad: break\n        sample =")
    body += "    return np.array([total, steps])\n"
    result = run(body)
    assert result.code == "ranks.hang"
    assert "all_reduce" in result.messages[0]["en"]


def test_data_shared_behind_the_worlds_back_is_found():
    """All programs run in one process: a list at the top of the cell is shared."""
    body = (
        "    SHARED.append(1)\n"
        "    s = await comm.all_reduce(np.zeros(1, np.float32))\n"
        "    if len(SHARED) != comm.size:\n"
        "        return np.zeros(2)\n" + RIGHT
    )
    text = (
        "import numpy as np\nSHARED = []\n\n"
        f"async def train(comm, samples, fails_at):\n{body}"
    )
    submission = DrivenSubmission(TASK, extract([Cell("c", text)], ["train"]))
    data = make_case(TASK, TASK.draws["uneven"], False, "seed")
    assert submission.run(data).code == "ranks.shared"


def test_the_sum_is_that_of_float32_samples():
    data = make_case(TASK, TASK.draws["many"], True, "seed")
    world = Training({"data": data.inputs[0], **data.attributes})
    assert data.inputs[0].dtype == np.float32
    assert abs(world.due()[0]) < data.inputs[0].size
