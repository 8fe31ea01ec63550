"""The command line `npucamp`.

Every command is thin and loads what it needs when it runs. Faults that a person can
cause are one located line on stderr and exit code 1; a traceback means an error of
ours.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from npucamp.commands.certificates import certify, verify
from npucamp.commands.classroom import class_app, grade

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="NPU Camp: learn to program an NPU. 学习 NPU 编程。",
)
task_app = typer.Typer(no_args_is_help=True, help="Tasks, for authors. 题目（作者）。")
app.add_typer(task_app, name="task")
lesson_app = typer.Typer(
    no_args_is_help=True, help="Lessons, for authors. 课程（作者）。"
)
app.add_typer(lesson_app, name="lesson")
app.add_typer(class_app, name="class")

Work = Annotated[
    Path | None,
    typer.Option("--work", help="workspace, default ~/npucamp 工作区", metavar="DIR"),
]
Tasks = Annotated[
    Path | None,
    typer.Option("--tasks", help="folder of task files 题目文件夹", metavar="DIR"),
]
Solutions = Annotated[
    Path | None,
    typer.Option("--solutions", help="folder of solutions 答案文件夹", metavar="DIR"),
]


def main() -> None:
    """Entry point of the `npucamp` script."""
    from npucamp.speech import preferred_language
    from npusim.diagnostic import language

    language.use(preferred_language())
    app()


@contextmanager
def located() -> Iterator[None]:
    """Turn faults that a person can cause into one line and exit code 1."""
    from npucamp.speech import say
    from npucamp.workspace import WorkspaceError

    try:
        yield
    except typer.Exit:
        raise
    except WorkspaceError as error:
        _stop(say(error.key, **error.facts))
    except (OSError, ValueError, RuntimeError) as error:
        _stop(str(error))


def _stop(message: str) -> None:
    typer.echo(f"npucamp: {message}", err=True)
    raise typer.Exit(1)


# --------------------------------------------------------------------------- learners
@app.command(
    "lab",
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def lab(context: typer.Context, work: Work = None) -> None:
    """Bring the workspace up to date and open JupyterLab. 打开 JupyterLab。

    Further arguments go to JupyterLab, e.g. --port 9000."""
    from npucamp.lab import open_lab
    from npucamp.paths import default_workspace

    with located():
        open_lab(work or default_workspace(), context.args)


@app.command("doctor")
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="for programs")] = False,
) -> None:
    """What is missing here, and how to mend it. 检查环境。"""
    from npucamp import doctor as examination

    findings = examination.examine()
    if as_json:
        typer.echo(json.dumps([f.as_dict() for f in findings], indent=1))
    else:
        from npucamp.commands.report import print_findings

        print_findings(findings)
    raise typer.Exit(examination.exit_code(findings))


@app.command("run")
def run(
    notebook: Annotated[Path, typer.Argument(metavar="FILE.ipynb")],
    timeout_s: Annotated[int, typer.Option(help="seconds for one cell")] = 120,
) -> None:
    """Run a notebook top to bottom, without saving it. 从头到尾运行笔记本。"""
    from npucamp.commands.run import run_notebook

    with located():
        typer.echo(run_notebook(notebook, timeout_s))


@app.command("check")
def check(
    notebook: Annotated[Path, typer.Argument(metavar="FILE.ipynb")],
    task: Annotated[
        str, typer.Argument(metavar="TASK", help="task id, e.g. z1-add 题目编号")
    ],
) -> None:
    """The verdict on a notebook's answer to TASK. 评判一道题。"""
    from npucamp.commands.check import check_notebook

    with located():
        verdict = check_notebook(notebook, task)
        typer.echo(verdict.text())
        raise typer.Exit(int(verdict.score < verdict.max_score))


@app.command("history")
def history(
    task: Annotated[str | None, typer.Argument(metavar="TASK")] = None,
) -> None:
    """Your attempts, as a ladder down to the floor. 查看尝试记录。"""
    from npucamp.commands.history import history_text

    with located():
        typer.echo(history_text(task))


@app.command("progress")
def progress(
    lesson: Annotated[str | None, typer.Argument(metavar="LESSON")] = None,
) -> None:
    """What you have done, and what comes next. 查看学习进度。"""
    from npucamp.commands.progress import progress_text

    with located():
        typer.echo(progress_text(lesson))


# ---------------------------------------------------------------------------- authors
@task_app.command("check")
def check_task(
    name: Annotated[str, typer.Argument(help="task id 题目编号")],
    tasks: Tasks = None,
    solutions: Solutions = None,
) -> None:
    """Prove that a task is sound: reference, base, mutants. 验证题目。"""
    from npugrade import taskcheck
    from npugrade.tasks import FOLDER

    with located():
        raise typer.Exit(taskcheck.main(name, tasks or FOLDER, solutions))


@task_app.command("new")
def new_task(
    name: Annotated[str, typer.Argument(help="task id 题目编号")],
    assignment: Annotated[str, typer.Option(help="assignment 作业名")],
    kind: Annotated[str, typer.Option(help="kernel, function, driven")] = "kernel",
    tasks: Tasks = None,
    solutions: Solutions = None,
) -> None:
    """Write a sound task under a new name, to be changed. 新建题目。"""
    from npucamp.speech import say
    from npugrade.scaffold import new_task as write
    from npugrade.tasks import FOLDER, TaskError

    with located():
        try:
            paths = write(
                name, kind, assignment, tasks=tasks or FOLDER, solutions=solutions
            )
        except TaskError as error:
            _stop(str(error))
        typer.echo("\n".join(str(path) for path in paths))
        typer.echo(say("task-new", task=name))


@lesson_app.command("check")
def check_lesson(
    name: Annotated[str, typer.Argument(help="lesson id 课程编号")],
) -> None:
    """What keeps a lesson from the course's form. 检查课程的形式。"""
    from npucamp.commands.lesson import complaints
    from npucamp.speech import say

    with located():
        found = complaints(name)
        typer.echo("\n".join(found) or say("lesson-good", lesson=name))
        raise typer.Exit(int(bool(found)))


@app.command("build")
def build(
    check: Annotated[
        bool, typer.Option("--check", help="write nothing; fail if files differ")
    ] = False,
) -> None:
    """Build lessons and exercises from their sources. 生成课程与练习。"""
    from npucamp.commands.build import build_all, check_all

    with located():
        good = check_all() if check else build_all()
        raise typer.Exit(0 if good else 1)


app.command("grade")(grade)
app.command("certify")(certify)
app.command("verify")(verify)


@app.command("workspace")
def workspace(work: Work = None) -> None:
    """Only bring the workspace up to date. 仅更新工作区。"""
    from npucamp.commands.report import print_copies
    from npucamp.paths import course_root, default_workspace
    from npucamp.workspace import lay_out

    with located():
        print_copies(lay_out(course_root(), work or default_workspace()))


if __name__ == "__main__":
    main()
