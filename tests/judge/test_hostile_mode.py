"""A submission cannot choose lenient mode: the judge's launches are strict ones."""

from __future__ import annotations

import pytest

from npugrade.device import Device
from tests.judge.judge_samples import GOOD, LAUNCH, edited, judged_here

BARRIER = "        asc.pipe_barrier(asc.PipeID.PIPE_ALL)\n        asc.add(c, a, b, m)\n"
RACE = (BARRIER, "        asc.add(c, a, b, m)\n")
OPTION = LAUNCH.replace("kernel[48](", "kernel.launch(")[:-1]
CHOICES = {
    "none": LAUNCH,
    "option": f'{OPTION}, blocks=48, mode="lenient")',
    "settings": f'with asc.settings(mode="lenient"): {LAUNCH}',
    "keyword": f'{LAUNCH[:-1]}, mode="lenient")',
}


@pytest.mark.parametrize("way", CHOICES)
def test_a_race_stays_an_error_whatever_mode_is_asked_for(way):
    verdict = judged_here(edited(RACE, (LAUNCH, CHOICES[way])))
    expected = "ASC-ARG-03b" if way == "keyword" else "ASC-RACE-15"
    assert expected in verdict.text("en")


@pytest.mark.parametrize("way", ["option", "settings"])
def test_asking_for_lenient_mode_changes_nothing_for_a_right_kernel(way, monkeypatch):
    modes = []
    options = Device._options
    monkeypatch.setattr(
        Device, "_options", lambda self: modes.append(found := options(self)) or found
    )
    asked = judged_here(edited((LAUNCH, CHOICES[way])), cases=4)
    assert asked.facts == judged_here(GOOD, cases=4).facts
    assert {row["mode"] for row in modes} == {"strict"}
