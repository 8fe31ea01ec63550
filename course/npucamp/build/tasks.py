"""Base cycles of each task's visible cases: grader/npugrade/tasks/<task>.base.json.

The judge measures them (`npugrade.taskio`) from the task's base kernel, which stands in
solutions/; learners receive only the numbers.
"""

from __future__ import annotations

import json
from pathlib import Path


def task_outputs(root: Path) -> dict[Path, str]:
    """Path below `root` → text of each task's base cycles, measured now.

    ValueError that names the file if a task or its solution is wrong."""
    from npugrade.taskio import measure_base
    from npugrade.tasks import TaskError, load_task, task_names

    folder = root / "grader" / "npugrade" / "tasks"
    outputs = {}
    for name in task_names(folder):
        try:
            measured = measure_base(load_task(name, folder), root / "solutions")
        except TaskError as error:
            raise ValueError(str(error)) from error
        place = (folder / f"{name}.base.json").relative_to(root)
        outputs[place] = json.dumps(measured, indent=2, sort_keys=True) + "\n"
    return outputs
