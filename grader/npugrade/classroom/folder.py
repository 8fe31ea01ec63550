"""Making the folder of a class. What exists is kept: making it twice changes nothing.

Modes: the folder can be entered by all (learners on the same machine reach `exchange/`
through it), everything else is for its owner only; `exchange/` is writable to all,
which nbgrader requires.
"""

from __future__ import annotations

import os
from pathlib import Path

from npucamp.paths import find_repository
from npugrade.classroom.config import CONFIG_FILE
from npugrade.classroom.errors import ClassError
from npugrade.classroom.gradebook import create_gradebook
from npugrade.classroom.keys import new_key_pair
from npugrade.classroom.settings import (
    FILE_NAME,
    GRADEBOOK,
    load_settings,
    new_settings_text,
    read_settings,
)

PRIVATE_FOLDERS = ("source", "release", "submitted", "autograded", "feedback", "keys")


def create_class(
    folder: Path, course: str, language: str = "en", exchange: str = "exchange"
) -> list[str]:
    """Make the class in `folder`; returns what was made, empty if all existed.

    An existing class of another course, or a folder with other things in it, is refused
    with a ClassError before anything is written.
    """
    text = new_settings_text(course, language, exchange)
    _refuse_other(folder, course)
    made = _make_folder(folder, 0o711)
    made += _make_exchange(folder, text)  # before class.toml: it may be refused
    made += _write(folder / FILE_NAME, text.encode())
    for name in PRIVATE_FOLDERS:
        made += _make_folder(folder / name, 0o700)
    made += _write(folder / "nbgrader_config.py", CONFIG_FILE.encode())
    made += _write_keys(folder / "keys")
    made += _make_gradebook(folder / GRADEBOOK, course)
    return made


def _refuse_other(folder: Path, course: str) -> None:
    if (folder / FILE_NAME).exists():
        found = load_settings(folder).course
        if found != course:
            raise ClassError("other-course", folder=folder, found=found, course=course)
    elif _is_inside_clone(folder):
        raise ClassError("inside-clone", folder=folder.resolve())
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ClassError("not-empty", folder=folder)


def _is_inside_clone(folder: Path) -> bool:
    """A seed inside the clone would be published with the next commit."""
    clone = find_repository()
    return clone is not None and folder.resolve().is_relative_to(clone.resolve())


def _make_exchange(folder: Path, text: str) -> list[str]:
    """The exchange of the class, or of the settings `text` if it has none yet."""
    file = folder / FILE_NAME
    settings = load_settings(folder) if file.exists() else read_settings(text, file)
    return _make_folder(settings.exchange_path(folder), 0o777)


def _make_folder(path: Path, mode: int) -> list[str]:
    if path.is_dir():
        return []
    try:
        path.mkdir(parents=True)
    except OSError as error:
        raise ClassError("unwritable", path=path, why=error.strerror) from None
    path.chmod(mode)  # the mode of mkdir is cut by the umask
    return [path.name + "/"]


def _write(path: Path, content: bytes) -> list[str]:
    """A new file that only its owner can read; an existing one is left alone."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return []
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
    return [path.name]


def _write_keys(folder: Path) -> list[str]:
    """Both halves or none: a half pair is a fault that a person must look at."""
    private, public = folder / "private.pem", folder / "public.pem"
    if private.exists() != public.exists():
        raise ClassError("half-pair", folder=folder)
    contents = new_key_pair()
    return _write(private, contents[0]) + _write(public, contents[1])


def _make_gradebook(path: Path, course: str) -> list[str]:
    if path.exists():
        return []
    create_gradebook(path, course)
    path.chmod(0o600)
    return [path.name]
