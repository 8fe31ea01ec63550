"""The learner's workspace: lessons and exercises are copied there, never over a change.

WORK/course/<language>/*.ipynb and WORK/exercises/<assignment>/*.ipynb.
WORK/.npucamp.json remembers the hash of every file as it was copied: a file that still
has that hash is the course's and is updated; any other is the learner's and stays, and
a newer version of ours is laid beside it as <name>.new.ipynb.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MANIFEST = ".npucamp.json"
# where in a clone, where in the installed package, which files
_PLACES = (
    ("course/en", "notebooks/en", "*.ipynb"),
    ("course/zh", "notebooks/zh", "*.ipynb"),
    ("exercises", "notebooks/exercises", "*/*.ipynb"),
)


@dataclass(frozen=True)
class Copied:
    """What happened to one file: kind is "new", "updated" or "kept".

    `path` is relative to the workspace; `beside` names the new version, if any."""

    kind: str
    path: str
    beside: str = ""


class WorkspaceError(OSError):
    """The workspace cannot be used; `key` names the message, `facts` its facts."""

    def __init__(self, key: str, path: Path, reason: object) -> None:
        super().__init__(f"{path}: {reason}")
        self.key = key
        self.facts = {"path": path, "reason": reason}


def notebooks(root: Path) -> Iterator[tuple[Path, Path]]:
    """(file, its place below the workspace) of all that a learner receives.

    `root` is a clone or the folder of the installed package."""
    for place, packaged, pattern in _PLACES:
        for folder in (root / place, root / packaged):
            for path in sorted(folder.glob(pattern)):
                yield path, place / path.relative_to(folder)


def lay_out(root: Path, workspace: Path) -> list[Copied]:
    """Bring `workspace` up to date with `root`; returns what was done.

    WorkspaceError if the folder cannot be written or its manifest not be read."""
    try:
        workspace.mkdir(parents=True, exist_ok=True)
        manifest = read_manifest(workspace)
        done = [_lay(file, workspace, p, manifest) for file, p in notebooks(root)]
        _write_manifest(workspace, manifest)
    except WorkspaceError:
        raise
    except OSError as error:
        raise WorkspaceError("work-not-a-folder", workspace, error.strerror) from error
    return [copied for copied in done if copied is not None]


# -------------------------------------------------------------------------- manifest
def read_manifest(workspace: Path) -> dict[str, str]:
    """Path → hash of what was copied; {} for a new workspace."""
    path = workspace / MANIFEST
    if not path.exists():
        return {}
    try:
        copied = json.loads(path.read_text(encoding="utf-8"))["copied"]
        return {str(name): str(digest) for name, digest in copied.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise WorkspaceError("work-manifest", path, error) from error


def _write_manifest(workspace: Path, manifest: dict[str, str]) -> None:
    text = json.dumps({"copied": manifest}, indent=1, sort_keys=True) + "\n"
    temporary = workspace / f"{MANIFEST}.part"
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(workspace / MANIFEST)


# -------------------------------------------------------------------------- one file
def _lay(
    source: Path, workspace: Path, relative: Path, manifest: dict[str, str]
) -> Copied | None:
    content = source.read_bytes()
    digest = _hash(content)
    name = relative.as_posix()
    target = workspace / relative
    before = _hash(target.read_bytes()) if target.exists() else None
    known, manifest[name] = manifest.get(name), digest
    if before == digest:
        return None
    if before is None or before == known:
        _copy(content, target)
        return Copied("new" if before is None else "updated", name)
    if known == digest:
        return None
    beside = _beside(workspace, relative, digest, manifest)
    _copy(content, workspace / beside)
    return Copied("kept", name, beside)


def _beside(
    workspace: Path, relative: Path, digest: str, manifest: dict[str, str]
) -> str:
    """A free name for the new version, or one that still holds what we laid there."""
    number = 1
    while True:
        word = "new" if number == 1 else f"new{number}"
        name = relative.with_suffix(f".{word}{relative.suffix}").as_posix()
        place = workspace / name
        if not place.exists() or _hash(place.read_bytes()) == manifest.get(name):
            manifest[name] = digest
            return name
        number += 1


def _copy(content: bytes, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.part")
    temporary.write_bytes(content)
    temporary.replace(target)


def _hash(content: bytes) -> str:
    """Of what a notebook says: JupyterLab lays out JSON anew and adds the version of
    Python and the state of widgets when it saves a notebook that was only opened."""
    with suppress(ValueError, TypeError, AttributeError, KeyError):
        notebook = json.loads(content)
        for key in ("language_info", "widgets"):
            notebook["metadata"].pop(key, None)
        content = json.dumps(notebook, sort_keys=True).encode()
    return hashlib.sha256(content).hexdigest()
