"""Lesson helpers of NPU Camp and its command line.

A lesson uses the names below and no others (`from npucamp import begin, check, …`).
Each is loaded when it is first used, so that the command line starts fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from npucamp.lesson.begin import begin
    from npucamp.lesson.check import check
    from npucamp.lesson.draw import draw
    from npucamp.lesson.expect import expect
    from npucamp.lesson.explain import explain
    from npucamp.lesson.hint import hint
    from npucamp.lesson.predict import predict
    from npucamp.lesson.progress import progress
    from npucamp.lesson.quiz import quiz

__all__ = [
    "begin",
    "check",
    "draw",
    "expect",
    "explain",
    "hint",
    "predict",
    "progress",
    "quiz",
]
__version__ = "0.1.0"

_HOMES = {
    "begin": "npucamp.lesson.begin",
    "check": "npucamp.lesson.check",
    "draw": "npucamp.lesson.draw",
    "expect": "npucamp.lesson.expect",
    "explain": "npucamp.lesson.explain",
    "hint": "npucamp.lesson.hint",
    "predict": "npucamp.lesson.predict",
    "progress": "npucamp.lesson.progress",
    "quiz": "npucamp.lesson.quiz",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'npucamp' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
