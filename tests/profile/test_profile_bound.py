"""The named bound is the resource whose doubling shortens the run most.

An independent check of the verdict on operators of the library: each resource of the
chip is made twice as fast, one at a time, and the run repeated.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from npusim import asc, ops
from npusim.chip import load_chip
from npusim.profile.verdict import verdict, verdict_key

CHIP = load_chip("910B1")
FASTER = {
    "MOVE": ("hbm_read", "hbm_write_back", "l2_read", "l2_write", "read_cap",
             "write_cap", "l2_cap"),
    "S": (),
    "V": (),
    "START": (),
}  # fmt: skip
SLOWER = {
    "S": ("scalar_issue", "scalar_queue", "scalar_access", "scalar_operation",
          "scalar_setup"),
    "START": ("launch", "warm_core", "cold_core"),
    "V": ("vector_start", "vector_dependent"),
    "MOVE": (),
}  # fmt: skip


def doubled(resource):
    """The chip with one resource twice as fast."""
    constants = dict(CHIP.constants)
    for names, factor in ((FASTER[resource], 2.0), (SLOWER[resource], 0.5)):
        for name in names:
            old = constants[name]
            constants[name] = replace(old, value=old.value * factor)
    rows = CHIP.vector
    if resource == "V":
        rows = {
            key: replace(row, free=row.free / 2, conflict=row.conflict / 2)
            for key, row in rows.items()
        }
    return replace(CHIP, constants=constants, vector=rows, _values={})


CHIPS = {name: doubled(name) for name in FASTER}
GROUPS = {"MTE2": "MOVE", "MTE3": "MOVE", "V": "V", "S": "S", "START": "START"}
WIDE = np.linspace(-3, 3, 1 << 20, dtype=np.float32).reshape(1024, 1024)
SMALL = np.linspace(-3, 3, 64, dtype=np.float16)
CASES = {
    "add": lambda: ops.add(WIDE, WIDE),
    "sigmoid": lambda: ops.sigmoid(WIDE),
    "gelu": lambda: ops.gelu(WIDE),
    "exp": lambda: ops.exp(WIDE),
    "softmax": lambda: ops.softmax(WIDE),
    "rms_norm": lambda: ops.rms_norm(WIDE, WIDE[0]),
    "tanh": lambda: ops.tanh(WIDE),
    "cast": lambda: ops.cast(WIDE, np.float16),
    "relu": lambda: ops.relu(SMALL),
}


def time_on(call, name, chip):
    with asc.settings(chip=chip):
        call()
    return getattr(ops, name).run


@pytest.mark.parametrize("name", CASES)
def test_the_bound_is_what_helps_most(name):
    run = time_on(CASES[name], name, CHIP)
    gains = {
        resource: run.cycles - time_on(CASES[name], name, chip).cycles
        for resource, chip in CHIPS.items()
    }
    best = max(gains, key=lambda resource: gains[resource])
    if run.bound in GROUPS:
        helped = gains[GROUPS[run.bound]]
        assert helped >= 0.8 * gains[best], (run.bound, gains)
    else:  # pipes wait for each other: no single resource gives half of the time
        assert gains[best] < 0.5 * run.cycles, (run.bound, gains)


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_names_its_evidence(name):
    shown = time_on(CASES[name], name, CHIP).profile
    for language in ("en", "zh"):
        sentence = verdict(shown, language)
        assert any(c.isdigit() for c in sentence) and "{" not in sentence
    assert verdict_key(shown) != "OTHER"
