"""`nbgrader collect` for a class: takes a submission's own plain files, nothing else.

nbgrader copies with the instructor's rights and follows links, so a link in the
exchange could bring the class' solution or seed into a submission. Here a submission is
what its folder itself holds: notebooks, the time and the secret of submitting. Links,
folders, devices and other files are left behind with a warning. Where one notebook is
missing and one has a name that was never released, that one is taken for it.

The time of a submission is the server's (`servertime`), not the learner's word: it
decides which submission is the last, and how late it is.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from nbgrader.exchange import ExchangeError
from nbgrader.exchange.default import ExchangeCollect
from nbgrader.utils import parse_utc

from npugrade.classroom.errors import sentence
from npugrade.nbgrader.servertime import FORMAT, differs, server_time

TIMESTAMP = "timestamp.txt"
_KNOWN = (TIMESTAMP, "submission_secret.txt")
_STUDENT = re.compile(r"\w[\w.@+-]*")  # no path, no pattern, no hidden name
_NOBODY = ""
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # a pipe must not block


class CollectPlainFiles(ExchangeCollect):
    """The exchange's collecting step, set as `ExchangeFactory.collect`."""

    src_records: list[dict[str, Any]]

    def init_src(self) -> None:
        """Find the submissions; folders whose name no command makes are passed over."""
        super().init_src()
        self.src_records = [r for r in self.src_records if r["username"] != _NOBODY]

    def _path_to_record(self, path: str) -> dict[str, Any]:
        try:
            record = super()._path_to_record(path)
        except (ExchangeError, ValueError, OverflowError):
            record = {"username": _NOBODY}
        if _STUDENT.fullmatch(record["username"]):
            return self._with_server_time(record, Path(path))
        self.log.warning(sentence("left-behind", name=path))
        return {"username": _NOBODY, "filename": path, "timestamp": datetime.min}

    def _with_server_time(self, record: dict[str, Any], path: Path) -> dict[str, Any]:
        """The record with the server's time; a learner's word that differs is named."""
        word, seen = record["timestamp"], server_time(path)
        if seen is None:
            return record
        if differs(word, seen):
            facts = {"word": f"{word:%Y-%m-%d %H:%M}", "seen": f"{seen:%Y-%m-%d %H:%M}"}
            self.log.warning(sentence("clock-differs", name=path.name, **facts))
        return {**record, "timestamp": seen}

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy the plain files of the submission `src` into the new folder `dest`."""
        limit_nbytes = 1000 * self.coursedir.max_file_size
        try:
            left = copy_plain_files(Path(src), Path(dest), limit_nbytes)
        except OSError:  # a link in place of the folder, or no right to read it
            left = [""]
        else:
            if seen := server_time(Path(src)):
                Path(dest, TIMESTAMP).write_text(seen.strftime(FORMAT))
        for name in left:
            self.log.warning(sentence("left-behind", name=Path(src, name)))
        if renamed := name_as_released(Path(dest), self._released_names()):
            odd, wanted = Path(src, renamed[0]), renamed[1]
            self.log.warning(sentence("renamed", name=odd, wanted=wanted))

    def _released_names(self) -> set[str]:
        """The notebooks of the assignment that learners were given."""
        folder = self.coursedir.format_path(
            self.coursedir.release_directory, ".", self.coursedir.assignment_id
        )
        return {path.name for path in Path(folder).glob("*.ipynb")}


def copy_plain_files(source: Path, target: Path, limit_nbytes: int) -> list[str]:
    """Copy what belongs to a submission; the names that were left behind, sorted."""
    folder = os.open(source, _READ | os.O_DIRECTORY)
    try:
        target.mkdir(parents=True)
        return list(_copy_all(folder, target, limit_nbytes))
    finally:
        os.close(folder)


def name_as_released(folder: Path, wanted: set[str]) -> tuple[str, str] | None:
    """Give the one odd notebook the one missing name; (old, new) if that was done."""
    found = {path.name for path in folder.glob("*.ipynb")}
    odd, missing = sorted(found - wanted), sorted(wanted - found)
    if len(odd) != 1 or len(missing) != 1:
        return None
    (folder / odd[0]).rename(folder / missing[0])
    return odd[0], missing[0]


def _copy_all(folder: int, target: Path, limit_nbytes: int) -> Iterator[str]:
    for name in sorted(os.listdir(folder)):
        belongs = name in _KNOWN or name.endswith(".ipynb")
        if not (belongs and _copy(folder, name, target / name, limit_nbytes)):
            yield name
        elif name == TIMESTAMP and not _is_time(target / name):
            (target / name).unlink()
            yield name


def _copy(folder: int, name: str, target: Path, limit_nbytes: int) -> bool:
    """Copy one file if it is a plain one within the limit, never through a link."""
    try:
        handle = os.open(name, _READ, dir_fd=folder)
    except OSError:
        return False
    state = os.fstat(handle)
    if not stat.S_ISREG(state.st_mode) or state.st_size > limit_nbytes:
        os.close(handle)
        return False
    with os.fdopen(handle, "rb") as source, target.open("xb") as copy:
        shutil.copyfileobj(source, copy)
    return True


def _is_time(path: Path) -> bool:
    """Whether nbgrader can read the time of submission; else it would stop at it."""
    try:
        parse_utc(path.read_text("utf-8").strip())
    except (ValueError, OverflowError):
        return False
    return True
