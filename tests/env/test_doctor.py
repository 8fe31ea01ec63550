"""`npucamp doctor` and the tools that tests need."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from npucamp import doctor


def by_key() -> dict[str, doctor.Finding]:
    return {finding.key: finding for finding in doctor.examine()}


def test_each_thing_is_looked_for_once():
    keys = [finding.key for finding in doctor.examine()]
    assert len(keys) == len(set(keys))
    assert {"python", "venv", "lock", "workspace", "browser", "fonts"} <= set(keys)


def test_a_good_finding_has_no_cure_and_a_bad_one_has(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    findings = by_key()
    assert not findings["git"].good
    assert findings["git"].cure == "sudo apt-get install git"
    assert all(bool(f.cure) != f.good for f in findings.values())


def test_missing_tools_do_not_fail_but_a_wrong_version_does(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    tools = [f for f in doctor.examine() if not f.must]
    assert doctor.exit_code(tools) == 0
    wrong = [("numpy", "2.5.0", "2.4.6")]
    monkeypatch.setattr("npucamp.lock_state.version_differences", lambda: wrong)
    finding = by_key()["lock"]
    assert not finding.good and "numpy 2.5.0 (lock: 2.4.6)" in finding.found
    assert doctor.exit_code([finding]) == 1


def test_a_workspace_that_cannot_be_written(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WORK", str(tmp_path / "file" / "work"))
    assert not by_key()["workspace"].good


def test_a_full_disk(monkeypatch):
    usage = doctor.shutil.disk_usage("/")._replace(free=10_000_000)
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda folder: usage)
    finding = by_key()["disk"]
    assert not finding.good and "1 GB" in finding.cure


def test_the_command_speaks_json():
    command = [sys.executable, "-m", "npucamp.cli", "doctor", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    findings = {f["key"]: f for f in json.loads(done.stdout)}
    bad = [f for f in findings.values() if f["must"] and not f["good"]]
    assert done.returncode == int(bool(bad))


@pytest.mark.bwrap
def test_bubblewrap_runs():
    command = ["bwrap", "--ro-bind", "/", "/", "--unshare-net", "true"]
    subprocess.run(command, check=True, timeout=20)


@pytest.mark.postgres
def test_postgresql_can_make_a_cluster_folder(tmp_path):
    program = next(p for p in doctor.TOOLS["postgres"].found() if "initdb" in p)
    done = subprocess.run([program, "--version"], capture_output=True, check=True)
    assert b"PostgreSQL" in done.stdout
