"""`npucamp lab`: lay out the workspace and open JupyterLab in it.

The process becomes JupyterLab (exec), so that Ctrl-C and exit codes are its own.
Learners' menus and the language come from a configuration folder inside the workspace;
the user's own Jupyter configuration still applies.
"""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from npucamp.menus import write_learner_menus
from npucamp.paths import course_root
from npucamp.speech import preferred_language, speak
from npucamp.workspace import lay_out

CONFIGURATION = ".npucamp"
START_PAGE = "start-here.ipynb"


def open_lab(workspace: Path, arguments: Sequence[str]) -> None:
    """Bring `workspace` up to date, then become JupyterLab with `arguments`.

    Does not return. WorkspaceError if the folder cannot be used."""
    language = preferred_language()
    workspace = workspace.resolve()
    for copied in lay_out(course_root(), workspace):
        facts = {"path": copied.path, "beside": copied.beside}
        print(speak(f"work-{copied.kind}", language, **facts))
    write_learner_menus(workspace / CONFIGURATION, language)
    print(speak("lab-opening", language, path=workspace))
    browser = has_browser()
    if not browser:
        print(speak("lab-no-browser", language))
    command = lab_command(workspace, language, arguments, browser)
    sys.stdout.flush()
    os.chdir(workspace)
    os.execve(command[0], command, lab_environment(workspace, language))


def lab_command(
    workspace: Path, language: str, arguments: Sequence[str], browser: bool
) -> list[str]:
    """The command that opens JupyterLab on the first lesson; `arguments` come last."""
    command = [sys.executable, "-m", "jupyterlab"]
    command += [f"--ServerApp.root_dir={workspace}"]
    command += [f"--LabApp.default_url={first_page(workspace, language)}"]
    command += ["--ServerApp.log_level=WARN", "--LabApp.log_level=WARN"]
    if os.geteuid() == 0:
        command.append("--allow-root")
    if not browser:
        command.append("--no-browser")
    return command + list(arguments)


def first_page(workspace: Path, language: str) -> str:
    """The address at which JupyterLab opens: for who has begun a lesson the one that
    comes next, else the start page, where there is one."""
    folder = "zh" if language == "zh" else "en"
    for name in (_next_notebook(), START_PAGE):
        page = Path("course", folder, name) if name else None
        if page and (workspace / page).exists():
            return f"/lab/tree/{page.as_posix()}"
    return "/lab"


def _next_notebook() -> str:
    """File name of the lesson to go on with, "" before the first one has begun."""
    from npucamp.coursemap import built_lessons
    from npucamp.material import MaterialError
    from npucamp.standing import course_standing

    try:
        course = course_standing()
    except (MaterialError, OSError):
        return ""
    states = {one.state for one in course.lessons}
    if not states & {"started", "done"} or not course.next:
        return ""
    return built_lessons()[course.next].place.name


def lab_environment(workspace: Path, language: str) -> dict[str, str]:
    """The environment of JupyterLab and its kernels."""
    environment = dict(os.environ, NPUCAMP_LANG=language)
    own = str(workspace / CONFIGURATION)
    others = environment.get("JUPYTER_CONFIG_PATH")
    environment["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, (own, others)))
    binaries = os.path.dirname(sys.executable)
    environment["PATH"] = os.pathsep.join((binaries, environment.get("PATH", "")))
    return environment


def has_browser() -> bool:
    """Whether a browser with a window can be opened from here."""
    screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if sys.platform.startswith("linux") and not screen:
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True
