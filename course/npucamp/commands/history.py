"""`npucamp history [TASK]`: a learner's attempts as a descending ladder."""

from __future__ import annotations

from collections.abc import Iterable

from npucamp.history import Attempt, ladder, read
from npucamp.paths import state_home
from npucamp.speech import say

_WIDTH = 32  # characters of the longest bar


def history_text(task: str | None) -> str:
    """The ladder of one task, or of every task with an attempt.

    ValueError names the tasks with attempts where `task` has none.
    """
    home = state_home()
    attempts = read(home)
    tasks = sorted({attempt.task for attempt in attempts})
    if task is not None and task not in tasks:
        key = "history-none" if tasks else "history-empty"
        raise ValueError(say(key, task=task, known=", ".join(tasks), home=home))
    if not tasks:
        return say("history-empty", task="", home=home)
    chosen = tasks if task is None else [task]
    return "\n\n".join(
        _one_task(name, [a for a in attempts if a.task == name]) for name in chosen
    )


def _one_task(task: str, attempts: list[Attempt]) -> str:
    timed = sum(bool(a.cases) for a in attempts)
    best = max(a.score for a in attempts)
    lines = [say("history-task", task=task, count=len(attempts), best=f"{best:.4g}")]
    if not timed:
        return "\n".join([*lines, say("history-untimed")])
    steps = ladder(attempts)
    lines += [_step(number, attempt, steps) for number, attempt in steps]
    lines.append(f"  {say('history-floor'):>10}  {'─' * _floor_width(steps)}")
    return "\n".join(lines)


def _mean_ratio(attempt: Attempt) -> float:
    """Mean over the cases of cycles over floor: how many times the floor."""
    ratios = [case.cycles / case.floor for case in attempt.cases if case.floor]
    return sum(ratios) / len(ratios) if ratios else 0.0


def _step(number: int, attempt: Attempt, steps: Iterable[tuple[int, Attempt]]) -> str:
    longest = max(_mean_ratio(other) for _, other in steps)
    ratio = _mean_ratio(attempt)
    bar = "█" * max(1, round(_WIDTH * ratio / longest)) if longest else ""
    name = say("history-attempt", number=number)
    times = say("history-times", ratio=f"{ratio:.2f}", score=f"{attempt.score:.4g}")
    return f"  {name:>10}  {bar:<{_WIDTH}}  {times}"


def _floor_width(steps: list[tuple[int, Attempt]]) -> int:
    longest = max(_mean_ratio(attempt) for _, attempt in steps)
    return max(1, round(_WIDTH / longest)) if longest else 1
