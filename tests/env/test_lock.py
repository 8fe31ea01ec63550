"""One source of versions: requirements.in, the lock, environment.yml, what is here."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from npucamp.build import lock
from npucamp.lock_state import locked_versions, version_differences


@pytest.fixture(scope="module")
def pins(root) -> list[str]:
    return lock.read_lock((root / "requirements.lock").read_text(encoding="utf-8"))


def test_every_line_pins_one_version(pins):
    assert len(pins) > 100
    for pin in pins:
        assert re.fullmatch(r"[a-z0-9-]+==[0-9][\w.+]*( ; python_version .+)?", pin)


def test_environment_yml_is_made_from_the_lock(root, pins):
    text = (root / "environment.yml").read_text(encoding="utf-8")
    assert text == lock.environment_text(pins)


def test_environment_yml_as_conda_reads_it(root, pins):
    text = (root / "environment.yml").read_text(encoding="utf-8")
    python, pip, block = yaml.safe_load(text)["dependencies"]
    assert (python, pip) == ("python=3.12", "pip")
    assert [Requirement(p) for p in block["pip"]] == [Requirement(p) for p in pins]


def test_what_is_installed_is_what_the_lock_says():
    assert len(locked_versions()) > 100
    assert version_differences() == []


def test_a_difference_would_be_noticed(monkeypatch):
    locked = {"numpy": "0.0.1", "no-such-package": "1"}
    monkeypatch.setattr("npucamp.lock_state.locked_versions", lambda: locked)
    found = version_differences()
    assert found == [
        ("no-such-package", "-", "1"),
        ("numpy", version("numpy"), "0.0.1"),
    ]


def test_direct_requirements_are_in_the_lock(pins):
    text = lock.requirements_in().read_text(encoding="utf-8")
    names = {canonicalize_name(r.name) for r in lock.direct_requirements(text)}
    assert names <= {canonicalize_name(Requirement(pin).name) for pin in pins}


def test_every_direct_requirement_has_its_reason():
    lines = lock.requirements_in().read_text(encoding="utf-8").splitlines()
    bare = [x for x in lines if x and not x.startswith("#") and " # " not in x]
    assert bare == []


def test_the_package_asks_for_nothing_that_the_lock_lacks(root, pins):
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    locked = {r.name: r for r in map(Requirement, pins)}
    for line in project["project"]["dependencies"]:
        wanted = Requirement(line)
        pinned = next(iter(locked[canonicalize_name(wanted.name)].specifier)).version
        assert wanted.specifier.contains(pinned), line


def test_no_index_is_named(root):
    for name in ("requirements.lock", "environment.yml", "postBuild", "Makefile"):
        text = (root / name).read_text(encoding="utf-8")
        assert "://" not in text and "--index" not in text, name


@pytest.mark.parametrize(
    ("versions", "marker"),
    [
        (["3.11", "3.12", "3.13", "3.14"], ""),
        (["3.11"], ' ; python_version < "3.12"'),
        (["3.11", "3.12"], ' ; python_version < "3.13"'),
        (["3.14"], ' ; python_version >= "3.14"'),
    ],
)
def test_markers(versions, marker):
    assert lock.marker_of(versions) == marker


def test_a_gap_in_the_versions_has_no_marker():
    with pytest.raises(ValueError, match="no simple marker"):
        lock.marker_of(["3.11", "3.13"])


def test_the_closure_follows_markers_and_extras():
    packages = {
        "a": {"requires_dist": ["b[x]", "c ; python_version < '3.12'"]},
        "b": {"requires_dist": ["d ; extra == 'x'", "e ; extra == 'y'"]},
        "c": {},
    }
    roots = [Requirement("a")]
    assert lock.needed(roots, packages, "3.11") == ({"a", "b", "c"}, {"d"})
    assert lock.needed(roots, packages, "3.13") == ({"a", "b"}, {"d"})


@pytest.mark.slow
@pytest.mark.parametrize("python", lock.PYTHON_VERSIONS)
def test_every_pin_has_a_wheel(pins, python):
    lock.check_wheels(pins, python)


@pytest.mark.slow
def test_a_pin_without_a_wheel_is_found():
    with pytest.raises(RuntimeError, match="pip cannot resolve"):
        lock.check_wheels(["numpy==2.5.0"], "3.11")
