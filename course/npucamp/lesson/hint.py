"""`hint("z1-add")`: the three hints of a task, one more with each call.

Where to look, which quantity, nearly the answer: the texts stand in the task's file.
The steps are counted in this session only.
"""

from __future__ import annotations

from npucamp.speech import LANGUAGES, say
from npusim.diagnostic import language as setting

_shown: dict[str, int] = {}


def hint(task: str) -> None:
    """Print the next hint of `task`; the last one again when all were shown."""
    from npugrade.tasks import TaskError, load_task, task_names

    try:
        texts = load_task(task).hints
    except TaskError:
        print(say("hint-unknown", id=task, known=", ".join(task_names())))
        return
    step = min(_shown.get(task, 0) + 1, len(texts))
    _shown[task] = step
    chosen = setting.current()
    languages = LANGUAGES if chosen == "both" else (chosen,)
    text = "\n".join(getattr(texts[step - 1], one) for one in languages)
    print(say("hint-step", step=step, steps=len(texts), text=text))
    if step < len(texts):
        print(say("hint-more", id=task))
