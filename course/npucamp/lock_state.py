"""What requirements.lock says against what is installed here.

Only the pins that hold for the Python that runs this count.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from npucamp.paths import find_repository


def locked_versions() -> dict[str, str]:
    """Package → version that the lock pins for this Python; {} outside a clone."""
    root = find_repository()
    if root is None:
        return {}
    from packaging.requirements import Requirement

    text = (root / "requirements.lock").read_text(encoding="utf-8")
    lines = (line.strip() for line in text.splitlines())
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    here = [pin for pin in pins if pin.marker is None or pin.marker.evaluate()]
    return {pin.name: next(iter(pin.specifier)).version for pin in here}


def version_differences(
    packages: tuple[str, ...] | None = None,
) -> list[tuple[str, str, str]]:
    """(package, installed or "-", locked) where they differ; [] outside a clone.

    `packages` limits the question to some names."""
    locked = locked_versions()
    names = sorted(locked) if packages is None else packages
    found = ((name, _installed(name), locked.get(name)) for name in names)
    return [(name, has, pin) for name, has, pin in found if pin and has != pin]


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "-"
