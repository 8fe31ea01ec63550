"""`npucamp doctor`: what the course needs, what is here, how to mend the rest.

Each finding is data; the command prints it as a table or as JSON. "must" findings
decide the exit code; the others are needed only for some work and say for which.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from npucamp.paths import default_workspace, state_home
from npucamp.speech import say

MINIMUM_GIGABYTES = 1
_CHINESE = "zh"


@dataclass(frozen=True)
class Finding:
    """One thing looked for: `found` says what is there, `cure` how to mend it."""

    key: str
    good: bool
    must: bool
    found: str
    cure: str

    @property
    def title(self) -> str:
        """What was looked for, in the session's language."""
        return say(f"doctor-{self.key}")

    def as_dict(self) -> dict[str, object]:
        """For `npucamp doctor --json`."""
        return asdict(self)


def examine() -> list[Finding]:
    """Every finding, in the order in which to mend them."""
    must = [look() for look in _MUST]
    return [*must, *_tools()]


def exit_code(findings: list[Finding]) -> int:
    """1 if anything that the course needs is missing, else 0."""
    return int(any(f.must and not f.good for f in findings))


# --------------------------------------------------------------- what the course needs
def _must(key: str, good: bool, found: object, **facts: object) -> Finding:
    cure = "" if good else say(f"doctor-{key}-cure", **facts)
    return Finding(key, good, True, str(found), cure)


def _python() -> Finding:
    good = sys.version_info >= (3, 11)
    return _must("python", good, sys.version.split()[0])


def _venv() -> Finding:
    return _must("venv", sys.prefix != sys.base_prefix, sys.prefix)


def _lock() -> Finding:
    from npucamp.lock_state import locked_versions, version_differences

    wrong = version_differences()
    shown = ", ".join(f"{name} {has} (lock: {pin})" for name, has, pin in wrong[:4])
    count = len(locked_versions())
    return _must("lock", not wrong, shown or f"{count} packages")


def _workspace() -> Finding:
    folder = default_workspace()
    return _must("workspace", _can_write(folder), folder)


def _state() -> Finding:
    return _must("state", _can_write(state_home()), state_home())


def _disk() -> Finding:
    folder = _nearest(default_workspace())
    free = shutil.disk_usage(folder).free / 1e9
    good = free >= MINIMUM_GIGABYTES
    return _must("disk", good, f"{free:.1f} GB", gigabytes=MINIMUM_GIGABYTES)


def _locale() -> Finding:
    encoding = sys.getfilesystemencoding()
    return _must("locale", encoding.lower() == "utf-8", encoding)


_MUST: tuple[Callable[[], Finding], ...] = (
    _python,
    _venv,
    _lock,
    _workspace,
    _state,
    _disk,
    _locale,
)


def _nearest(path: Path) -> Path:
    return next(p for p in (path, *path.absolute().parents) if p.exists())


def _can_write(path: Path) -> bool:
    nearest = _nearest(path)
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)


# --------------------------------------------------------------- tools for some work
@dataclass(frozen=True)
class Tool:
    """Programs of which each group needs one, and the Debian packages that bring
    them."""

    key: str
    programs: tuple[tuple[str, ...], ...]
    packages: str

    def found(self) -> list[str]:
        """One path for each group that is satisfied."""
        paths = (_first(group) for group in self.programs)
        return [path for path in paths if path]

    def complete(self) -> bool:
        """Whether every group is satisfied."""
        return len(self.found()) == len(self.programs)


TOOLS = {
    tool.key: tool
    for tool in (
        Tool("git", (("git",),), "git"),
        Tool("make", (("make",),), "make"),
        Tool(
            "browser",
            (("chromium", "chromium-browser", "google-chrome"), ("chromedriver",)),
            "chromium chromium-driver",
        ),
        Tool("bwrap", (("bwrap",),), "bubblewrap"),
        Tool("postgres", (("postgres",), ("initdb",)), "postgresql"),
    )
}


def _first(programs: tuple[str, ...]) -> str | None:
    return next(filter(None, map(_which, programs)), None)


def _which(program: str) -> str | None:
    """The program on PATH, or where Debian keeps PostgreSQL's own binaries."""
    found = shutil.which(program)
    if found:
        return found
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"))
    return str(places[-1]) if places else None


def _tools() -> Iterator[Finding]:
    for tool in TOOLS.values():
        yield _tool(tool.key, tool.complete(), ", ".join(tool.found()), tool.packages)
    font = chinese_font()
    yield _tool("fonts", bool(font), font, "fonts-noto-cjk")


def _tool(key: str, good: bool, found: str, packages: str) -> Finding:
    cure = "" if good else say("doctor-install", packages=packages)
    return Finding(key, good, False, found, cure)


def chinese_font() -> str:
    """A font that has Chinese characters, by name; "" if fontconfig knows none."""
    if not shutil.which("fc-list"):
        return ""
    command = ["fc-list", f":lang={_CHINESE}", "family"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = sorted(done.stdout.splitlines())
    return lines[0].split(",")[0] if lines else ""
