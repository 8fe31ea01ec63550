"""requirements.in → requirements.lock → environment.yml.

The lock pins every direct and indirect requirement for Python 3.11 to 3.14: pip
resolves for the oldest (its patch level 0: Debian 12 has 3.11.2), run on that same
version, since pip takes environment markers from the Python that runs it; then the
closure of each version is walked with its own environment markers. A package that only
some of the versions need gets a marker. `--check` asks pip, for each version, whether
all the pins install from wheels.

    python -m npucamp.build.lock           # resolve, write both files
    python -m npucamp.build.lock --check   # resolve nothing, only check

Left out: platforms other than the one that runs this; hashes.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from npucamp.paths import repository

PYTHON_VERSIONS = ("3.11", "3.12", "3.13", "3.14")
BINDER_PYTHON = "3.12"
LOCK_HEADER = """\
# Every package of NPU Camp, for Python 3.11 to 3.14, wheels only.
# Made by: python -m npucamp.build.lock (from course/npucamp/build/requirements.in)
"""
ENVIRONMENT_HEADER = """\
# For Binder and conda. Made from requirements.lock by: python -m npucamp.build.lock
name: npucamp
channels:
  - conda-forge
dependencies:
  - python={python}
  - pip
  - pip:
"""

Metadata = Mapping[str, dict]


def requirements_in() -> Path:
    """The hand-written list of direct requirements."""
    return Path(__file__).with_name("requirements.in")


def direct_requirements(text: str) -> list[Requirement]:
    """The requirements of a requirements.in text, comments removed."""
    lines = (line.split("#")[0].strip() for line in text.splitlines())
    return [Requirement(line) for line in lines if line]


# ------------------------------------------------------------------------- resolving
def pip_report(arguments: Iterable[str]) -> dict:
    """pip's own report of what `pip install` would do; RuntimeError with pip's
    words."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet"]
        command += ["--ignore-installed", "--only-binary=:all:"]
        command += ["--report", str(report), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"pip cannot resolve: {done.stderr.strip()[-2000:]}")
        return json.loads(report.read_text())


def resolve(arguments: Iterable[str]) -> Metadata:
    """Canonical name → core metadata of what pip would install on the oldest Python.

    pip reads "3.11" as 3.11.0, so that Debian 12 (3.11.2) is served too."""
    oldest = ["--python-version", PYTHON_VERSIONS[0], "--target", "unused"]
    installs = pip_report([*oldest, *arguments])["install"]
    return {canonicalize_name(i["metadata"]["name"]): i["metadata"] for i in installs}


def environment_of(python: str) -> dict[str, str]:
    """What environment markers see on Python `python` ("3.13") on this platform."""
    return {"python_version": python, "python_full_version": f"{python}.0"}


def needed(
    roots: Iterable[Requirement], packages: Metadata, python: str
) -> tuple[set[str], set[str]]:
    """(names needed on Python `python`, names needed there but not in `packages`)."""
    seen: set[tuple[str, str]] = set()
    missing: set[str] = set()
    stack = [(root, "") for root in roots]
    while stack:
        requirement, extra = stack.pop()
        if not _applies(requirement, python, extra):
            continue
        name = canonicalize_name(requirement.name)
        if name not in packages:
            missing.add(name)
            continue
        for wanted in ("", *requirement.extras):
            if (name, wanted) not in seen:
                seen.add((name, wanted))
                lines = packages[name].get("requires_dist", ())
                stack += [(Requirement(line), wanted) for line in lines]
    return {name for name, _ in seen}, missing


def _applies(requirement: Requirement, python: str, extra: str) -> bool:
    marker = requirement.marker
    return marker is None or marker.evaluate({**environment_of(python), "extra": extra})


def complete(roots: list[Requirement], packages: Metadata) -> Metadata:
    """`packages` and what newer versions of Python need besides."""
    while True:
        missing = set().union(*(needed(roots, packages, v)[1] for v in PYTHON_VERSIONS))
        if not missing:
            return packages
        packages = {**packages, **_unmet(missing)}


def _unmet(names: set[str]) -> Metadata:
    return resolve(["--no-deps", *sorted(names)])


# --------------------------------------------------------------------------- writing
def marker_of(versions: list[str]) -> str:
    """The marker of a package that only `versions` need ("" if all do).

    ValueError if the versions are not the oldest or the newest ones."""
    count = len(versions)
    if count == len(PYTHON_VERSIONS):
        return ""
    if tuple(versions) == PYTHON_VERSIONS[:count]:
        return f' ; python_version < "{PYTHON_VERSIONS[count]}"'
    if tuple(versions) == PYTHON_VERSIONS[-count:]:
        return f' ; python_version >= "{versions[0]}"'
    raise ValueError(f"needed on {versions} only: no simple marker says so")


def lock_lines(roots: list[Requirement], packages: Metadata) -> list[str]:
    """One `name==version ; marker` line for each package, in order of name."""
    sets = {version: needed(roots, packages, version)[0] for version in PYTHON_VERSIONS}
    lines = []
    for name in sorted(set().union(*sets.values())):
        versions = [version for version in PYTHON_VERSIONS if name in sets[version]]
        lines.append(f"{name}=={packages[name]['version']}{marker_of(versions)}")
    return lines


def read_lock(text: str) -> list[str]:
    """The pins of a lock's text, in order."""
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def environment_text(pins: Iterable[str]) -> str:
    """environment.yml with the lock's lines in its pip block."""
    header = ENVIRONMENT_HEADER.format(python=BINDER_PYTHON)
    quoted = (pin.replace("'", '"') for pin in pins)
    return header + "".join(f"      - '{pin}'\n" for pin in quoted)


def pins_for(pins: Iterable[str], python: str) -> list[str]:
    """`name==version` of the pins that hold on Python `python`."""
    parsed = [Requirement(pin) for pin in pins]
    return [f"{r.name}{r.specifier}" for r in parsed if _applies(r, python, "")]


def check_wheels(pins: Iterable[str], python: str) -> None:
    """Ask pip whether every pin has a wheel for Python `python`; RuntimeError if
    not."""
    arguments = ["--no-deps", "--python-version", python, "--target", "unused"]
    pip_report([*arguments, *pins_for(pins, python)])


def main() -> int:
    """Command line: write the lock and environment.yml, or `--check` the lock."""
    parser = argparse.ArgumentParser(prog="npucamp.build.lock")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--constraint", help="versions to prefer (a pip freeze)")
    options = parser.parse_args()
    lock = repository() / "requirements.lock"
    if not options.check:
        roots = direct_requirements(requirements_in().read_text(encoding="utf-8"))
        limits = ["-c", options.constraint] if options.constraint else []
        packages = resolve(["-r", str(requirements_in()), *limits])
        pins = lock_lines(roots, complete(roots, packages))
        lock.write_text(LOCK_HEADER + "\n".join(pins) + "\n", encoding="utf-8")
        environment = repository() / "environment.yml"
        environment.write_text(environment_text(pins), encoding="utf-8")
    for version in PYTHON_VERSIONS:
        check_wheels(read_lock(lock.read_text(encoding="utf-8")), version)
        print(f"Python {version}: every pin has a wheel")
    return 0


if __name__ == "__main__":
    sys.exit(main())
