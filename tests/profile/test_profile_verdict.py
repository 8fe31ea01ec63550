"""The verdict names the bound of labelled kernels, with evidence, in two languages."""

import dataclasses

import pytest

from npusim.profile import PipeCounter, verdict
from npusim.profile.verdict import RULES, verdict_key

LABELLED = {
    "FLOOR": ("queue_add", {"tile": 16384, "tiles": 24}),
    "MOVE": ("queue_add", {"tile": 4096}),
    "SMALL": ("queue_add", {"tiles": 32, "tile": 1024}),
    "CORES": ("queue_add", {"blocks": 8}),
    "START": ("queue_add", {"tiles": 1, "tile": 256}),
    "ISSUE": ("queue_add", {"tiles": 100, "tile": 64}),
    "SYNC": ("in_turns", {}),
    "OVERLAP": ("in_turns", {"loads": 2, "tile": 2048}),
    "V": ("exp", {}),
    "S": ("scalar_add", {}),
    "IMBALANCE": ("scalar_add", {"count": 512, "uneven": 1}),
}


@pytest.mark.parametrize("key", LABELLED)
def test_labelled_kernels(launch, key):
    name, shape = LABELLED[key]
    assert verdict_key(launch(name, **shape).profile) == key


@pytest.mark.parametrize("language", ["en", "zh"])
def test_sentence_holds_its_evidence(launch, language):
    run = launch("queue_add", tile=4096)
    sentence = verdict(run.profile, language)
    busy = run.profile.pipe(run.bound).ratio
    assert f"{busy:.0%}" in sentence
    assert run.bound in sentence
    assert sentence.endswith("." if language == "en" else "。")


@pytest.mark.parametrize("key", [key for key, _ in RULES])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_rule_has_a_sentence(run, key, language):
    """Each rule speaks for a profile made to meet it."""
    profile = dataclasses.replace(run.profile, **MADE[key])
    assert verdict_key(profile) == key
    sentence = verdict(profile, language)
    assert "{" not in sentence
    assert len(sentence) > 15


SLOW = {"floor_us": 0.0}
SERIAL = PipeCounter("MTE2", 7000.0, 3.8, 0.7, 10, 10**6)
SERIAL_V = PipeCounter("V", 3000.0, 1.6, 0.3, 10, 0)
MADE = {
    "STOPPED": {"stopped": True},
    "FLOOR": {"floor_us": 9e9},
    "START": {**SLOW, "bound": "START"},
    "IMBALANCE": {**SLOW, "bound": "IMBALANCE"},
    "S": {**SLOW, "bound": "S", "scalar_accesses": 10**9},
    "CORES": {**SLOW, "bound": "MTE2", "cores_used": 24},
    "ISSUE": {**SLOW, "bound": "S"},
    "SYNC": {**SLOW, "bound": "SYNC"},
    "OVERLAP": {**SLOW, "bound": "MTE2", "pipes": (SERIAL, SERIAL_V)},
    "SMALL": {**SLOW, "bound": "MTE3", "pipes": ()},
    "MOVE": {**SLOW, "bound": "MTE2"},
    "V": {**SLOW, "bound": "V"},
    "OTHER": {**SLOW, "bound": "FIX"},
}


def test_a_launch_near_its_floor_is_not_told_to_move_fewer_bytes(launch):
    run = launch("queue_add", tiles=1, tile=256)
    near = dataclasses.replace(run.profile, floor_us=0.95 * run.profile.time_us)
    assert near.bound == "START" and verdict_key(near) == "START"
