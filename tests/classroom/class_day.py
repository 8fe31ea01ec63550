"""Plays the page docs/instructor.md with a class: one instructor, many learners.

Everybody has a home and nbgrader settings of their own. All run under one user of the
machine, so each learner's settings hold a name, where in life the account has one.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import ExchangeSubmit
from traitlets.config import PyFileConfigLoader

from .instructor_page import Step, steps
from .learners import LEARNERS, Edit, Texts, answer_cell

ASSIGNMENT = "z1-vector-add"
STOWAWAY = "import pathlib\npathlib.Path('ran').touch()\n"
REPOSITORY = Path(__file__).parents[2]
TYPING = ("tail",)  # who types every command; the others use nbgrader's API


@dataclass
class Day:
    """The homes of all, where the instructor stands, and what each command said."""

    root: Path
    said: dict[str, str] = field(default_factory=dict)
    here: Path = Path()

    @property
    def folder(self) -> Path:
        """The folder of the class."""
        return self.root / "instructor/classes/npu101"

    def play(self) -> None:
        """All steps of the page, in order."""
        self._scripts()
        self.here = self._home("instructor")
        for step in steps():
            if step.who == "instructor":
                self.said[step.line] = self.instruct(step.line)
            elif step.who == "learner":
                self._learn(step)

    def instruct(self, line: str) -> str:
        """What a command of the instructor says."""
        if line.startswith("cd "):
            self.here = Path(line[3:].replace("~", str(self.root / "instructor")))
            return ""
        return self._run("instructor", line, self.here)

    def _learn(self, step: Step) -> None:
        if step.line.startswith("nbgrader fetch_assignment"):
            self._fetch(step.line)
            return
        for name in TYPING:
            said = self._run(name, step.line, self.root / name)
            self.said[f"{name}: {step.line}"] = said
        if " submit " in step.line:
            for name in LEARNERS:
                if name not in TYPING:
                    self._submit(name)
            self._plant_link()

    def _submit(self, name: str) -> None:
        """`nbgrader submit` for this learner, without starting another Python."""
        home = self.root / name
        config = PyFileConfigLoader(
            str(home / ".jupyter/nbgrader_config.py")
        ).load_config()
        config.Exchange.cache = str(home / "cache")
        course = CourseDirectory(config=config, assignment_id=ASSIGNMENT)
        ExchangeSubmit(
            coursedir=course,
            authenticator=Authenticator(config=config),
            assignment_dir=str(home),
            config=config,
        ).start()

    def _plant_link(self) -> None:
        """Mallory's submission, made by hand: a link to the class' own solution."""
        inbound = self.folder / "exchange/npu101/inbound"
        planted = inbound / f"mallory+{ASSIGNMENT}+2027-01-01 00:00:00.0 UTC+x"
        planted.mkdir()
        name = f"{ASSIGNMENT}.ipynb"
        (planted / name).symlink_to(self.folder / "source" / ASSIGNMENT / name)

    def _fetch(self, line: str) -> None:
        """The first learner fetches, the others get a copy; then all do their work."""
        settings = self.said["npucamp class learner-config"]
        for name in LEARNERS:
            home = self._home(name)
            config = home / ".jupyter/nbgrader_config.py"
            named = f"{settings}c.CourseDirectory.student_id = {name!r}\n"
            config.write_text(named, "utf-8")
        first = TYPING[0]
        others = [name for name in LEARNERS if name != first]
        self.said[line] = self._run(first, line, self.root / first)
        fetched = self.root / first / ASSIGNMENT
        for name in others:
            shutil.copytree(fetched, self.root / name / ASSIGNMENT)
        for name, edit in LEARNERS.items():
            self._work(self.root / name / ASSIGNMENT / f"{ASSIGNMENT}.ipynb", edit)
        for module in ("numpy.py", "sitecustomize.py"):
            (self.root / "skip-tests" / ASSIGNMENT / module).write_text(STOWAWAY)

    def _work(self, path: Path, edit: Edit) -> None:
        notebook = json.loads(path.read_text("utf-8"))
        text = edit(notebook, self.texts())
        path.write_text(text or json.dumps(notebook), "utf-8")

    def texts(self) -> Texts:
        """The master's answer, from the class' source, and the task's base kernel."""
        path = self.folder / "source" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
        source = "".join(answer_cell(json.loads(path.read_text("utf-8")))["source"])
        kept = (s for s in source.splitlines(True) if not s.strip().startswith("###"))
        base = REPOSITORY / "solutions" / ASSIGNMENT / "z1-add/base.py"
        return Texts("".join(kept), base.read_text("utf-8"))

    def _home(self, name: str) -> Path:
        home = self.root / name
        (home / ".jupyter").mkdir(parents=True)
        return home

    def _scripts(self) -> None:
        """The commands `npucamp` and `nbgrader` of this very Python."""
        folder = self.root / "bin"
        folder.mkdir()
        for name, module in (("npucamp", "npucamp.cli"), ("nbgrader", "nbgrader")):
            path = folder / name
            path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m {module} "$@"\n')
            path.chmod(0o755)

    def _run(self, who: str, line: str, where: Path) -> str:
        """The output of a command line typed by `who` in `where`; it must succeed."""
        home = self.root / who
        environment = {
            "PATH": f"{self.root / 'bin'}:/usr/bin:/bin",
            "HOME": str(home),
            "JUPYTER_CONFIG_DIR": str(home / ".jupyter"),
            "JUPYTER_DATA_DIR": str(home / ".local/share/jupyter"),
            "NPUCAMP_HOME": str(home / ".npucamp"),
            "NPUCAMP_LANG": "en",
            "LANG": os.environ.get("LANG", "C.UTF-8"),
        }
        done = subprocess.run(
            ["/bin/sh", "-c", line],
            cwd=where,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        said = done.stdout + done.stderr
        assert done.returncode == 0, f"{who}: {line}\n{said}"
        return done.stdout if line.endswith("learner-config") else said
