"""Checkers of function tasks, by the name that a task file gives.

A checker takes the arguments of the call by name and the answer (plain data: numbers,
strings, lists, dicts, arrays) and returns an `Outcome`, or raises `Refused`. It runs in
the judge; the learner's function never sees it. An answer of any form must be borne.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from npugrade.checkers import (
    audit,
    collectives,
    descriptor,
    diagnosis,
    knowledge,
    memory_plan,
    splitting,
    tiling,
)
from npugrade.outcome import Outcome

Checker = Callable[[Mapping[str, Any], Any], Outcome]
CHECKERS: Mapping[str, Checker] = {
    "all-reduce-audit": collectives.all_reduce_audit,
    "copy-descriptor": descriptor.copy_descriptor,
    "knowledge": knowledge.knowledge,
    "profile-diagnosis": diagnosis.profile_diagnosis,
    "line-traffic": memory_plan.line_traffic,
    "ub-plan": memory_plan.ub_plan,
    "server-audit": audit.server_audit,
    "vector-split": splitting.vector_split,
    "vector-tiling": tiling.vector_tiling,
}
