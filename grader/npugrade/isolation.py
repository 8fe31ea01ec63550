"""How strongly the host process is shut in: levels, probing, the starting command.

A level (`isolation.toml`) is a set of mechanisms: bwrap (own namespaces, no network, an
almost empty read-only file system), uid (a user of its own, as root only), landlock (no
file but the interpreter's), seccomp (an allow-list of system calls). Resource limits
belong to every level. The strongest level that the machine offers is taken, or exactly
the one that NPUCAMP_ISOLATION names; nothing falls back after the choice.

Left out: control groups, nsjail, containers, and systems other than Linux (which have
the level `limits`).
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

WORKER_FILES = ("host_worker.py", "host_lockdown.py", "host_tiling.py")
VARIABLE = "NPUCAMP_ISOLATION"
_ARCHITECTURES = ("x86_64", "aarch64")
_PR_SET_SECCOMP, _SECCOMP_FILTER = 22, 2
_LANDLOCK_CREATE_RULESET, _LANDLOCK_VERSION = 444, 1
_PROBE_SECONDS = 10.0


class IsolationError(OSError):
    """The wanted level is not offered by this machine; the message says why."""


@dataclass(frozen=True)
class Level:
    """A level as it is in force: its name and its mechanisms."""

    name: str
    mechanisms: frozenset[str]


@cache
def table() -> Mapping[str, Any]:
    """The content of `isolation.toml`."""
    file = resources.files("npugrade").joinpath("isolation.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def level_names() -> tuple[str, ...]:
    """All levels, strongest first."""
    return tuple(row["name"] for row in table()["level"])


def level_in_force() -> Level:
    """The level for host processes started now; IsolationError: there is none."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted and wanted not in level_names():
        known = ", ".join(level_names())
        raise IsolationError(f"{VARIABLE}={wanted}: no such level (levels: {known})")
    found = _first_offered((wanted,) if wanted else level_names())
    if isinstance(found, str):
        raise IsolationError(f"isolation level {found}")
    return found


def offered() -> dict[str, str]:
    """Per level "" where this machine offers it, else what is missing."""
    found = {name: _first_offered((name,)) for name in level_names()}
    return {n: f if isinstance(f, str) else "" for n, f in found.items()}


@cache
def _first_offered(names: Sequence[str]) -> Level | str:
    reason = ""
    for row in table()["level"]:
        if row["name"] not in names:
            continue
        takes = frozenset(m for m in row["takes"] if not missing(m))
        lacking = [f"{m}: {missing(m)}" for m in row["needs"] if missing(m)]
        reason = f"{row['name']} is not available ({'; '.join(lacking)})"
        if not lacking:
            return Level(row["name"], takes | frozenset(row["needs"]))
    return reason


# --------------------------------------------------------------------------- probing
@cache
def missing(mechanism: str) -> str:
    """Why this machine does not offer a mechanism; "" where it does."""
    if not sys.platform.startswith("linux"):
        return "needs Linux"
    return _PROBES[mechanism]()


def _probe_bwrap() -> str:
    if not shutil.which("bwrap"):
        return "sudo apt-get install bubblewrap"
    command = [*bwrap_prefix(()), sys.executable, "-I", "-S", "-c", ""]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_PROBE_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    said = done.stderr.decode(errors="replace").strip()
    return f"exit code {done.returncode}: {said[:200]}" if done.returncode else ""


def _probe_uid() -> str:
    if os.getuid() != 0:
        return "only root can give a process another user"
    done = subprocess.run(["/bin/true"], check=False, **_as_user())
    return f"exit code {done.returncode}" if done.returncode else ""


def _probe_landlock() -> str:
    abi = _libc().syscall(_LANDLOCK_CREATE_RULESET, None, 0, _LANDLOCK_VERSION)
    return "" if abi >= 1 else f"the kernel refuses: {os.strerror(ctypes.get_errno())}"


def _probe_seccomp() -> str:
    """A filter at address 0 is a bad address where filters exist."""
    if platform.machine() not in _ARCHITECTURES:
        return f"no table of system calls for {platform.machine()}"
    _libc().prctl(_PR_SET_SECCOMP, _SECCOMP_FILTER, None, 0, 0)
    found = ctypes.get_errno()
    return "" if found == errno.EFAULT else f"the kernel refuses: {os.strerror(found)}"


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


_PROBES: Mapping[str, Callable[[], str]] = {
    "bwrap": _probe_bwrap,
    "uid": _probe_uid,
    "landlock": _probe_landlock,
    "seccomp": _probe_seccomp,
}


# ------------------------------------------------------------------ starting a process
def host_user() -> int:
    """The user id for the host processes of this judge, one that nobody has."""
    from npugrade.host import limits

    host = limits()["host"]
    return host["first_uid"] + os.getpid() % host["uids"]


def _as_user() -> dict[str, Any]:
    return {"user": host_user(), "group": host_user(), "extra_groups": []}


def before_command(level: Level) -> list[str]:
    """What stands before the worker's command at `level`."""
    if "bwrap" not in level.mechanisms:
        return []
    folder = Path(__file__).parent
    return bwrap_prefix([str(folder / name) for name in WORKER_FILES])


def lockdown(level: Level) -> dict[str, Any]:
    """What the worker does to itself at `level`, as data for `host_lockdown`."""
    inside = level.mechanisms
    return {
        "uid": host_user() if "uid" in inside else 0,
        "readable": readable() if "landlock" in inside else [],
        "calls": _calls() if "seccomp" in inside else {},
    }


def _calls() -> dict[str, Any]:
    column = _ARCHITECTURES.index(platform.machine())
    rows = table()
    return {
        "audit": rows["audit"][platform.machine()],
        "again": [n[column] for n in rows["again"].values() if n[column] >= 0],
        "allow": [n[column] for n in rows["allow"].values() if n[column] >= 0],
        "rules": [
            [r["call"][column], r["argument"], r["mask"], r["values"]]
            for r in rows["rule"]
            if r["call"][column] >= 0
        ],
    }


@cache
def readable() -> tuple[str, ...]:
    """Existing files and folders that a bare interpreter with numpy reads."""
    library = [Path(p) / "lib" for p in (sys.prefix, sys.base_prefix)]
    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    own = [*map(str, library), *(sysconfig.get_path(kind) for kind in kinds)]
    own.append(str(Path(sys.prefix) / "pyvenv.cfg"))
    rows = table()["readable"]
    every = dict.fromkeys([*rows["folders"], *own, *rows["files"]])
    return tuple(path for path in every if Path(path).exists())


def bwrap_prefix(extra: Sequence[str]) -> list[str]:
    """bwrap and its options: `readable()`, the interpreter and `extra`, read only.

    Started by root, it makes no user namespace: the worker needs the right to take a
    user of its own, and loses every right by it.
    """
    command = [
        shutil.which("bwrap") or "bwrap",
        "--unshare-ipc",
        "--unshare-pid",
        "--unshare-net",
    ]
    command += ["--unshare-uts", "--unshare-cgroup-try", "--die-with-parent"]
    command += ["--cap-drop", "ALL"]
    if os.getuid() == 0:
        command += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        command += ["--unshare-user"]
    command += ["--tmpfs", "/tmp", "--dev", "/dev"]
    files = [p for p in readable() if not p.startswith("/dev/")]
    programs = [sys.executable, os.path.realpath(sys.executable)]
    shown = dict.fromkeys([*files, *programs, *extra])
    folders = {str(parent) for path in shown for parent in Path(path).parents}
    for folder in sorted(folders - {"/", "/tmp", "/dev"}):
        command += ["--perms", "0755", "--dir", folder]
    for path in shown:
        command += ["--ro-bind", path, path]
    return [*command, "--remount-ro", "/", "--chdir", "/tmp", "--"]
