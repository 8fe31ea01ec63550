"""Is a diagnosis of a profile right: what bounds the run, and what overlap could reach?

A profile is six whole numbers: cycles of the launch, those before a core begins, busy
cycles of S, V, MTE2 and MTE3 on a core. Labels as in the simulator's profile: START
from half of all cycles on, else the busiest pipe from 60 % of the core's time on, else
SYNC. Left out: uneven cores, other pipes. The limits stand in the task's text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from npugrade.outcome import Outcome, Refused

PIPES = ("s", "v", "mte2", "mte3")
LABELS = ("START", *(pipe.upper() for pipe in PIPES), "SYNC")


def profile_diagnosis(arguments: Mapping[str, Any], answer: Any) -> Outcome:
    """Refused unless `answer` is `[label, least cycles]` of the profile."""
    if not isinstance(answer, (list, tuple)) or len(answer) != 2:
        raise Refused("diagnosis.form", labels=", ".join(LABELS))
    label, least = answer
    if label not in LABELS or type(label) is not str or type(least) is not int:
        raise Refused("diagnosis.form", labels=", ".join(LABELS))
    numbers = {name: int(value) for name, value in arguments.items()}
    due = bound(**numbers)
    if label != due:
        raise Refused("diagnosis.label", label=label)
    if least != floor_of_overlap(**numbers):
        raise Refused("diagnosis.least", least=least)
    return Outcome(1, 1)


def bound(cycles: int, launch: int, **busy: int) -> str:
    """The label of a profile, the busiest pipe first in the order of `PIPES`."""
    if 2 * launch >= cycles:
        return "START"
    busiest = max(PIPES, key=lambda pipe: busy[pipe])
    core = cycles - launch
    return busiest.upper() if 5 * busy[busiest] >= 3 * core else "SYNC"


def floor_of_overlap(cycles: int, launch: int, **busy: int) -> int:
    """Cycles if everything overlapped: the launch, then the busiest pipe alone."""
    return min(cycles, launch + max(busy.values()))
