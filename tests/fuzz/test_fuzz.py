"""Fuzzed kernels end in a diagnostic or a result (`make fuzz` runs many more)."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fuzz.fuzzing import outcome, shares
from tests.fuzz.grammar import RULES, SYMBOL, Grammar

PROGRAMS = 300
BATCH = 50
COUNTS: dict[int, Counter[str]] = {}


def batch(first: int) -> Counter[str]:
    if first not in COUNTS:
        COUNTS[first] = Counter(outcome(s) for s in range(first, first + BATCH))
    return COUNTS[first]


@pytest.mark.parametrize("first", range(0, PROGRAMS, BATCH))
def test_every_program_ends_in_a_diagnostic_or_a_result(first):
    assert sum(batch(first).values()) == BATCH


def test_most_compile_and_many_run_to_the_end():
    total = sum(map(batch, range(0, PROGRAMS, BATCH)), Counter())
    compiled, ended = shares(total)
    assert compiled >= 0.5 and ended >= 0.25, total
    assert total["refused"] and total["fault"] and total["end"]


def test_the_grammar_is_closed_and_its_texts_are_the_same_every_time():
    used = {s for rules in RULES.values() for _, t in rules for s in SYMBOL.findall(t)}
    assert used <= {*RULES, "block"}
    assert Grammar(5).kernel() == Grammar(5).kernel() != Grammar(6).kernel()
