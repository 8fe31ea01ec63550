"""Shared by every test: the root of the clone, tools that a test needs.

A test marked `browser`, `bwrap` or `postgres` is skipped where the tool is missing,
with the command that brings it; where NPUCAMP_REQUIRE names the tool, it fails.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from npucamp.doctor import TOOLS

# The same examples on every run and machine; NPUCAMP_EXPLORE=1 draws new ones.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile("explore" if os.environ.get("NPUCAMP_EXPLORE") else "fixed")

ROOT = Path(__file__).resolve().parents[1]
MARKERS = ("browser", "bwrap", "postgres")


def required_tools() -> set[str]:
    """The tools that must be here, from NPUCAMP_REQUIRE=browser,bwrap,postgres."""
    wanted = os.environ.get("NPUCAMP_REQUIRE", "")
    return {name.strip() for name in wanted.split(",") if name.strip()}


def missing_tool_message(name: str) -> str:
    """Why a test that needs the tool `name` cannot run, and the cure."""
    return f"{name} is missing: sudo apt-get install {TOOLS[name].packages}"


def pytest_configure(config: pytest.Config) -> None:
    unknown = required_tools() - set(MARKERS)
    if unknown:
        raise pytest.UsageError(f"NPUCAMP_REQUIRE: unknown tool {sorted(unknown)}")


def pytest_runtest_setup(item: pytest.Item) -> None:
    for name in MARKERS:
        if item.get_closest_marker(name) is None or TOOLS[name].complete():
            continue
        message = missing_tool_message(name)
        if name in required_tools():
            pytest.fail(f"NPUCAMP_REQUIRE={name}, but {message}", pytrace=False)
        pytest.skip(message)


@pytest.fixture(scope="session")
def root() -> Path:
    """The clone."""
    return ROOT


@pytest.fixture(autouse=True)
def _own_state(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """No test reads or writes the user's own progress or language."""
    from npusim.diagnostic import language

    home = tmp_path_factory.getbasetemp() / "npucamp-home"
    monkeypatch.setenv("NPUCAMP_HOME", str(home))
    monkeypatch.delenv("NPUCAMP_LANG", raising=False)
    before = list(language._chosen)
    yield
    language._chosen[:] = before
