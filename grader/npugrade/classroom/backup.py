"""A backup of a class: one compressed archive, readable by its owner only.

It holds everything in the folder but earlier backups: seed, keys, submissions, grades.
The gradebook is copied through SQLite's own backup, so a command that is writing at
that moment does not tear it. Restoring is unpacking.
"""

from __future__ import annotations

import os
import sqlite3
import tarfile
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from npugrade.classroom.errors import ClassError
from npugrade.classroom.settings import GRADEBOOK, load_settings

BACKUPS = "backups"


def backup_class(folder: Path, target: Path | None = None) -> Path:
    """Write the archive (default: `backups/<course>-<moment>.tar.gz`) and return it.

    ClassError for an existing file, which is never overwritten, and where the archive
    cannot be written; a part of an archive does not stay.
    """
    folder = folder.resolve()
    course = load_settings(folder).course
    path = target or _default_target(folder, course)
    handle = _new_file(path)
    try:
        with (
            os.fdopen(handle, "wb") as stream,
            tarfile.open(None, "w:gz", stream) as archive,
        ):
            _add_all(archive, folder, course, path.resolve())
    except BaseException as error:
        path.unlink()
        if isinstance(error, OSError):
            raise _unwritable(path, error) from None
        raise
    return path


def _new_file(path: Path) -> int:
    try:
        if path.exists():
            raise ClassError("backup-exists", path=path)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> ClassError:
    """Names the file that failed, which may be one that is to be saved."""
    where = path if error.filename is None else error.filename
    return ClassError("backup-failed", path=where, why=error.strerror)


def _default_target(folder: Path, course: str) -> Path:
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    return folder / BACKUPS / f"{course}-{moment}.tar.gz"


def _add_all(archive: tarfile.TarFile, folder: Path, course: str, own: Path) -> None:
    for path in sorted(folder.iterdir()):
        if path.name == GRADEBOOK:
            _add_gradebook(archive, path, f"{course}/{path.name}")
        elif path.name != BACKUPS and path != own:
            archive.add(path, f"{course}/{path.name}")


def _add_gradebook(archive: tarfile.TarFile, path: Path, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        source, target = sqlite3.connect(path), sqlite3.connect(copy)
        source.backup(target)
        source.close()
        target.close()
        copy.chmod(0o600)
        archive.add(copy, name)
