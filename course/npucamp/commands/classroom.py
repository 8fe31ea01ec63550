"""`npucamp class …` and `npucamp grade`: an instructor's commands.

Thin: the work is in `npugrade.classroom`, which is imported only when a command runs,
so that the command line starts fast. Every fault is one sentence and exit code 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from npugrade.classroom.grading import Summary

class_app = typer.Typer(
    no_args_is_help=True, help="Make and keep a class. 新建与维护班级。"
)
Folder = Annotated[
    Path, typer.Argument(metavar="DIR", help="folder of the class 班级目录")
]
Here = Annotated[
    Path, typer.Option("--dir", help="folder of the class 班级目录，默认当前目录")
]


@class_app.command("new")
def new_class(
    folder: Folder,
    course: Annotated[str, typer.Option(help="course id, as in nbgrader 课程号")],
    language: Annotated[str, typer.Option(help="en, zh or both")] = "en",
    exchange: Annotated[
        str, typer.Option(help="exchange folder 交换目录")
    ] = "exchange",
) -> None:
    """Make a class; on an existing one, only add what is missing. 新建班级。"""
    with _sentences():
        from npugrade.classroom.errors import sentence
        from npugrade.classroom.folder import create_class
        from npugrade.classroom.learner import learner_config
        from npugrade.classroom.settings import load_settings

        made = create_class(folder, course, language, exchange)
        key = "made" if made else "made-nothing"
        names = ", ".join(made)
        typer.echo(sentence(key, course=course, folder=folder, made=names))
        kept = load_settings(folder)
        if (kept.language, kept.exchange) != (language, exchange):
            facts = {"reports": kept.language, "exchange": kept.exchange}
            typer.echo(sentence("options-kept", **facts))
        typer.echo(sentence("learner-config") + "\n")
        typer.echo(learner_config(folder))
        _warn_of_closed(folder)


@class_app.command("learner-config")
def show_learner_config(folder: Here = Path(".")) -> None:
    """Print the nbgrader settings that learners need. 显示学员的 nbgrader 设置。"""
    with _sentences():
        from npugrade.classroom.learner import learner_config
        from npugrade.classroom.settings import find_class

        root = find_class(folder)
        typer.echo(learner_config(root), nl=False)
        _warn_of_closed(root)


@class_app.command("assign")
def assign_to_class(
    assignment: Annotated[str, typer.Argument(help="e.g. z1-vector-add 作业名")],
    folder: Here = Path("."),
    replace: Annotated[
        bool, typer.Option("--replace", help="keep the old copy beside the new one")
    ] = False,
) -> None:
    """Put an assignment's master notebook into the class. 把作业放入班级。"""
    with _sentences():
        from npucamp.build.assignments import source_notebook
        from npugrade.classroom.assign import assign
        from npugrade.classroom.errors import sentence
        from npugrade.classroom.settings import find_class

        root = find_class(folder)
        _require_assignment(assignment)
        path = assign(root, assignment, source_notebook(assignment), replace=replace)
        typer.echo(sentence("assigned", path=path, assignment=assignment))


@class_app.command("backup")
def back_up_class(
    folder: Folder,
    to: Annotated[Path | None, typer.Option(help="archive to write 备份文件")] = None,
) -> None:
    """Write one archive of the whole class. 备份班级。"""
    with _sentences():
        from npugrade.classroom.backup import backup_class
        from npugrade.classroom.errors import sentence

        typer.echo(sentence("backed-up", path=backup_class(folder, to)))


def grade(
    folder: Folder,
    assignment: Annotated[str, typer.Argument(help="e.g. z1-vector-add 作业名")],
    again: Annotated[
        bool, typer.Option("--again", help="grade everything anew 全部重新评分")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="judges at once, default one a core 并行评测进程数"),
    ] = None,
) -> None:
    """Autograde an assignment, write feedback and sum up. 评分、写反馈并汇总。"""
    with _sentences():
        from npugrade.classroom.ahead import usual_workers
        from npugrade.classroom.errors import sentence
        from npugrade.classroom.grading import grade_assignment
        from npugrade.classroom.settings import find_class

        try:
            summary = grade_assignment(
                find_class(folder),
                assignment,
                again=again,
                workers=workers or usual_workers(),
                progress=_tell,
            )
        except KeyboardInterrupt:
            typer.echo("\n" + sentence("interrupted"), err=True)
            raise typer.Exit(130) from None
        _show(summary)
        if summary.ungraded:
            raise typer.Exit(1)


def _tell(number: int, count: int, student: str) -> None:
    typer.echo(f"[{number}/{count}] {student}", err=True)


def _show(summary: Summary) -> None:
    from npugrade.classroom.errors import sentence

    for grade_ in summary.grades:
        mark = "  *" if grade_.needs_manual else ""
        line = f"{grade_.student:<24}{grade_.score:>8.2f} / {grade_.max_score:g}"
        typer.echo(line + mark)
    waiting = [grade_.student for grade_ in summary.grades if grade_.needs_manual]
    count, manual, ungraded = len(summary.grades), len(waiting), len(summary.ungraded)
    typer.echo(sentence("graded", count=count, manual=manual, ungraded=ungraded))
    if waiting:
        typer.echo(sentence("by-hand", students=", ".join(waiting)))
    if summary.ungraded:
        typer.echo(sentence("ungraded", log=summary.log), err=True)
    for student, reason in summary.ungraded.items():
        typer.echo(f"{student:<24}{reason}", err=True)


def _warn_of_closed(folder: Path) -> None:
    """Goes to the error output: the settings of learners may be sent into a file."""
    from npugrade.classroom.errors import sentence
    from npugrade.classroom.learner import closed_folders

    if closed := closed_folders(folder):
        names = ", ".join(map(str, closed))
        typer.echo("\n" + sentence("closed", folders=names), err=True)


def _require_assignment(assignment: str) -> None:
    from npucamp.paths import repository
    from npugrade.classroom.errors import ClassError

    masters = (repository() / "solutions").glob("*/*.py")
    known = sorted(p.stem for p in masters if p.stem == p.parent.name)
    if assignment not in known:
        names = ", ".join(known)
        raise ClassError("no-assignment", assignment=assignment, known=names)


@contextmanager
def _sentences() -> Iterator[None]:
    """A fault of the class becomes its sentence and exit code 1."""
    from npugrade.classroom.errors import ClassError

    try:
        yield
    except ClassError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
