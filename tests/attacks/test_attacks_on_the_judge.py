"""Every hostile submission gets at most what the wrong answer in it is worth."""

from __future__ import annotations

import glob
from collections import Counter

import pytest

from npugrade.cases import make_case
from npugrade.isolation import VARIABLE, level_names, offered
from tests.attacks.batch import (
    ATTACKS,
    DUE,
    judged,
    small_task,
    source,
)
from tests.judge.judge_samples import GOOD, KERNEL, LAUNCH, WRONG, judged_here

SEED = "5a" * 32
PLANTED = ("/tmp", "/var/tmp", "/dev/shm")
SPIES = [n for n in ATTACKS if n.startswith("people/")] + ["files/reads_the_grader"]


def planted() -> list[str]:
    return [p for folder in PLANTED for p in glob.glob(f"{folder}/npucamp_planted*")]


@pytest.fixture(scope="module", autouse=True)
def controls():
    """Honest right, honest wrong and untouched: before and after the attacks."""
    _honest_people_get_their_due()
    yield
    _honest_people_get_their_due()
    assert planted() == []


def _honest_people_get_their_due() -> None:
    assert judged_here(GOOD, cases=4).score == 100.0
    assert judged_here(WRONG).score == DUE
    assert not judged("").attempted


def test_the_suite_has_three_of_each_kind():
    kinds = Counter(name.partition("/")[0] for name in ATTACKS)
    assert len(ATTACKS) >= 40 and min(kinds.values()) >= 3, kinds


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_gains_nothing(name):
    verdict = judged(source(name))
    assert verdict.score <= DUE
    assert verdict.items[0].status in ("pass", "fail")
    for language in ("en", "zh"):
        text = verdict.text(language)
        assert "Traceback" not in text and "\x1b" not in text and len(text) < 5000
        assert "<script" not in verdict.html(language)
        assert "<img" not in verdict.html(language)


@pytest.mark.parametrize("name", [n for n in ATTACKS if n.startswith("executor/")])
def test_an_attack_on_an_executor_reaches_its_end(name):
    """It is no NameError that stops it: without IPython it turns on our process."""
    assert "NameError" not in judged(source(name)).text("en")


# Ways to tell a length: each is seen in a visible case, and never in a hidden one.
TELLING = (
    "raise ValueError(x.size)",
    "raise type(f'Size{x.size}', (Exception,), {})",
    "assert not x.size, [x.size]",
    "{}[x.size]",
    f"{LAUNCH}; return type(f'Size{{x.size}}', (), {{}})()",
    LAUNCH.replace("[48]", "[x.size * 10**6]"),
    "kernel[48](x, y, z, **{f'size_{x.size}': 1})",
)


VISIBLE = (
    "    if x.size == 1003:\n        return kernel[48](x, y, z, x.size, x.dtype, 4)\n"
)


@pytest.mark.parametrize("telling", TELLING)
def test_a_verdict_tells_no_hidden_length(telling):
    task = small_task()
    length = make_case(task, task.hidden[0], True, SEED).elements
    start, end = f"{KERNEL}\n\ndef add(x, y, z):\n", f"    {telling}\n"
    assert "1003" in judged(start + end).text("en"), "in a visible case it is told"
    found = judged(start + VISIBLE + end, SEED)
    assert str(length) not in found.text("en") + found.html("zh")
    assert "special-values: " in found.text("en"), "it was tried in the hidden case"


@pytest.mark.parametrize("name", SPIES)
def test_a_verdict_tells_no_secret(name):
    verdict = judged(source(name), SEED)
    assert SEED not in verdict.text("en") and verdict.score <= DUE


STRONG = ("machine/network", "files/plants_a_start_up_file", "machine/fork_bomb")


@pytest.mark.parametrize("level", level_names())
@pytest.mark.parametrize("name", STRONG)
def test_an_attack_gains_nothing_at_any_level(level, name, monkeypatch):
    if offered()[level]:
        pytest.skip(offered()[level])
    if level == "limits" and "plants" in name:
        pytest.skip("docs/security.md: at this level names of files can be left")
    monkeypatch.setenv(VARIABLE, level)
    assert judged(source(name)).score <= DUE
    assert planted() == []
