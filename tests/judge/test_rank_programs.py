"""The world of rank programs: right sums and times, no data behind its back; the audit
of all-reduce against an oracle of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from npugrade.cases import make_case
from npugrade.cells import Cell
from npugrade.checkers.collectives import all_reduce_audit
from npugrade.extract import extract
from npugrade.messages import LANGUAGES
from npugrade.outcome import Refused
from npugrade.plainrun import DrivenSubmission
from npugrade.tasks import load_task
from npugrade.worlds.repeat import Repeat, Story, same
from npusim import hccl
from npusim.hccl.links import load_link
from npusim.hccl.topology import Topology

TASK = load_task("d3-ring")
RING = """\
    slices = [one.copy() for one in np.array_split(x, p)]
    right, left = (r + 1) % p, (r - 1) % p
    for k in range(p - 1):
        s = comm.send(slices[(r - k) % p], right)
        slices[(r - k - 1) % p] += await comm.recv(left)
        await s
    for k in range(p - 1):
        s = comm.send(slices[(r + 1 - k) % p], right)
        slices[(r - k) % p] = await comm.recv(left)
        await s
"""
BY_HAND = """\
    if r:
        await comm.send(x, 0)
        return await comm.recv(0)
    for other in range(1, p):
        x = x + await comm.recv(other)
    for other in range(1, p):
        await comm.send(x, other)
    return x
"""


def run(body: str, case: str = "five", top: str = ""):
    """The result of one case of the task with this body."""
    text = (
        f"import numpy as np\n{top}\n\nasync def all_reduce(comm, x):\n"
        f"    p, r = comm.size, comm.rank\n{body}"
    )
    submission = DrivenSubmission(TASK, extract([Cell("c", text)], ["all_reduce"]))
    hidden = case not in [one.name for one in TASK.visible]
    data = make_case(TASK, TASK.draws[case], hidden, "seed")
    return submission.run(data)


def line(text: str) -> str:
    return f"    {text}\n"


DONE = line("return np.concatenate(slices)")


# ---------------------------------------------------------------------------- the time
@pytest.mark.parametrize("body", [RING + DONE, BY_HAND])
def test_a_case_takes_as_long_as_in_the_simulator(body):
    """The same program on `hccl.run`, with links slowed as an element is enlarged."""
    result = run(body)
    assert result.passed, result.messages
    data = make_case(TASK, TASK.draws["five"], False, "seed")
    array = data.inputs[0]
    link = load_link("roce-200")
    scale = array.itemsize / data.attributes["element_nbytes"]
    link = replace(link, collective_gb_s=link.collective_gb_s * scale)
    space: dict = {}
    source = f"async def f(comm, x):\n    p, r = comm.size, comm.rank\n{body}"
    exec(source, {"np": np}, space)

    async def rank(comm):
        return await space["f"](comm, array[comm.rank])

    outcome = hccl.run(rank, len(array), Topology("switch", len(array), 1, link, link))
    assert result.cycles == pytest.approx(outcome.time_us * 1e3, abs=1.0)
    assert result.floor < result.cycles


def test_a_ring_is_within_a_tenth_of_the_bound_for_32_cards():
    ring, hand = run(RING + DONE, "cards"), run(BY_HAND, "cards")
    assert ring.passed and ring.cycles <= 1.1 * ring.floor
    assert hand.passed and hand.cycles > 10 * ring.cycles


# ------------------------------------------------------------------------ what is wrong
@pytest.mark.parametrize(
    ("body", "code"),
    [
        (line("return await comm.all_reduce(x)"), "ranks.call"),
        (line("return await comm.all_gather(x)"), "ranks.call"),
        (line("await comm.barrier()"), "ranks.call"),
        (line("await comm.compute(5.0)"), "ranks.call"),
        (line("return await comm.send(x, r)"), "ranks.peer"),
        (line("return await comm.send(x, p)"), "ranks.peer"),
        (line("return await comm.send(x, 'a')"), "ranks.peer"),
        (line("return await comm.recv(-1)"), "ranks.peer"),
        (line("return await comm.recv((r + 1) % p, tag='t')"), "ranks.peer"),
        (line("return await comm.recv((r + 1) % p)"), "ranks.hang"),
        (line("return await comm.send(x.astype(float), (r + 1) % p)"), "ranks.array"),
        (line("return await comm.send([1.0], (r + 1) % p)"), "ranks.array"),
        (line("return x"), "ranks.wrong"),
        (line("return x * np.nan"), "ranks.wrong"),
        (line("return x.tolist()"), "ranks.result"),
        (line("return x[:1]"), "ranks.result"),
        (line("return None"), "ranks.result"),
        (line("return x / 0 + y"), "host.error.call"),
        (line("await 5"), "host.error.call"),
        (line("while True: await comm.send(x, (r + 1) % p)"), "ranks.hang"),
    ],
)
def test_what_breaks_the_rules_is_said(body, code):
    result = run(body)
    assert result.code == code
    for language in LANGUAGES:
        assert result.messages[0][language] and result.kind[language]
        assert "{" not in result.messages[0][language]


def test_a_call_that_was_never_made_cannot_be_awaited():
    forge = "    from types import CodeType\n    one = comm.send(x, (r + 1) % p)\n"
    result = run(forge + line("one._number = 10**6") + line("await one"))
    assert result.code == "ranks.request"


# ------------------------------------------------------------------------ shared memory
SUM = line("SEEN[r] = x")
KNOWN = "sum(SEEN[one] for one in range(p))"
OWN_RING = RING + line(f"total = {KNOWN}") + line("return total.astype(np.float32)")
ONE_KNOWS = (
    SUM
    + line("await comm.recv(p - 1) if r == 0 else None")
    + line("await comm.send(x[:0], 0) if r == p - 1 else None")
    + line(f"x = {KNOWN} if r == 0 else await comm.recv(r - 1)")
    + line("if r < p - 1: await comm.send(x, r + 1)")
    + line("return x")
)
HIDDEN_IN_NUMPY = (
    line("np.__dict__.setdefault('seen', {})[r] = x")
    + RING
    + line("return sum(np.seen[one] for one in range(p))")
)
OTHER_FRAMES = (
    RING
    + line("import gc")
    + line("others = [c.cr_frame.f_locals['x'] for c in gc.get_objects()")
    + line("          if type(c).__name__ == 'coroutine' and c.cr_frame]")
    + line("return sum(others) if len(others) == p else np.zeros_like(x)")
)


@pytest.mark.parametrize("case", ["eight", "two", "prime"])
@pytest.mark.parametrize(
    "body", [SUM + OWN_RING, ONE_KNOWS, HIDDEN_IN_NUMPY], ids=["all", "one", "numpy"]
)
def test_arrays_of_other_cards_are_not_there_the_second_time(body, case):
    result = run(body, case, top="SEEN = {}")
    assert result.code == "ranks.shared"


def test_frames_of_other_programs_are_no_way_either():
    assert run(OTHER_FRAMES).code in ("ranks.shared", "ranks.wrong")


def test_without_the_repeat_it_would_pass(monkeypatch):
    from npugrade.worlds.ranks import AllReduce

    monkeypatch.setattr(AllReduce, "repeats", lambda self: [])
    assert run(SUM + OWN_RING, "eight", top="SEEN = {}").passed


def test_random_numbers_without_a_seed_are_not_repeated():
    noise = "np.random.default_rng().random(3, np.float32)"
    body = line(f"await comm.send({noise}, 1) if r == 0 else None")
    body += line("await comm.recv(0) if r == 1 else None")
    assert run(body + RING + DONE).code == "ranks.shared"


def test_a_cache_of_the_ranks_own_is_allowed():
    top = "from functools import cache\n\n\n@cache\ndef halves(p):\n    return p // 2\n"
    assert run(line("halves(p)") + RING + DONE, top=top).passed


def test_a_story_is_told_again_and_a_difference_is_refused():
    story = Story((1,), [("wait", [[], 0])], [5], end=7)
    again = Repeat([story], "comm", "ranks.shared")
    again.request(0, "wait", [[], 0])
    assert again.next() == (0, 5) and again.also() is None
    with pytest.raises(Refused):
        again.request(0, "wait", [[], 1])
    with pytest.raises(Refused):
        again.finished(0, 8)
    again.finished(0, 7)


def test_equal_to_the_bit():
    nan = float("nan")
    assert same([nan, np.array([nan])], [nan, np.array([nan])])
    assert not same(1, 1.0) and not same([1], [1, 2]) and not same(True, 1)
    assert not same(np.zeros(1, "f4"), np.zeros(1)) and not same((1,), [1])


# ---------------------------------------------------------------------------- the audit
def arguments(**more):
    usual = {
        "nbytes": 1 << 20, "limit_us": 1000.0, "servers": 4, "devices": 8,
        "inside_us": 10.0, "inside_gb_s": 18.3, "between_us": 60.0,
        "between_gb_s": 10.0, "peak_gb_s": 12.5,
    }  # fmt: skip
    return usual | more


def phases(a, nbytes):
    """Reduce-scatter, ring, all-gather, each added up step by step."""
    m, d = a["servers"], a["devices"]
    inside = a["inside_us"] + nbytes / d / (a["inside_gb_s"] * 1e3) if d > 1 else 0.0
    step = a["between_us"] + nbytes / d / m / (a["between_gb_s"] * 1e3)
    return sum([inside, *[step] * (2 * (m - 1)), inside])


def answer_to(a):
    low, high = 0, 1 << 40
    while high - low > 1:
        middle = (low + high) // 2
        fits = phases(a, middle) <= a["limit_us"]
        low, high = (middle, high) if fits else (low, middle)
    time_us = phases(a, a["nbytes"])
    share = 2 * (a["servers"] - 1) / a["servers"] / a["devices"] * a["nbytes"]
    return {
        "time_us": time_us,
        "largest_nbytes": low,
        "port_share": share / (a["peak_gb_s"] * 1e3) / time_us,
    }


@pytest.mark.parametrize(
    "more",
    [
        {}, {"servers": 1}, {"devices": 1}, {"limit_us": 5.0}, {"servers": 3},
        {"nbytes": 1}, {"devices": 6, "servers": 7, "nbytes": 99_999_999},
        {"inside_us": 2.0, "between_us": 5.0, "between_gb_s": 24.3, "peak_gb_s": 25.0},
    ],
)  # fmt: skip
def test_sums_of_steps_are_what_the_simulation_gives(more):
    a = arguments(**more)
    right = answer_to(a)
    assert all_reduce_audit(a, right).cost == 1
    for key in ("time_us", "port_share"):
        wrong = {**right, key: right[key] * 1.01 + 1e-5}
        with pytest.raises(Refused, match="simulated"):
            all_reduce_audit(a, wrong)
    for size in (right["largest_nbytes"] * 101 // 100 + 9000, -1, 0.5, True, 1 << 50):
        with pytest.raises(Refused):
            all_reduce_audit(a, {**right, "largest_nbytes": size})


@pytest.mark.parametrize(
    "answer",
    [None, [], {}, {"time_us": 1}, {"a": 1, "b": 2, "c": 3}, "x", float("nan")],
)
def test_audits_of_every_form_are_borne(answer):
    with pytest.raises(Refused, match="dict"):
        all_reduce_audit(arguments(), answer)


def test_not_a_number_is_no_answer():
    a = arguments()
    for key in ("time_us", "port_share"):
        with pytest.raises(Refused):
            all_reduce_audit(a, answer_to(a) | {key: float("nan")})
