"""`npucamp certify`, `verify` and the keys of a class, with a real gradebook."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from npucamp.cli import app

from .graded_class import EXAMINATION, make


@pytest.fixture
def camp(graded, tmp_path, monkeypatch):
    """A class of one's own, the examination graded."""
    folder = tmp_path / "camp"
    shutil.copytree(graded, folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    return make(tmp_path_factory.mktemp("class") / "camp")


def run(*words: str):
    return CliRunner().invoke(app, list(words))


def records(folder) -> dict[str, dict]:
    paths = (folder / "certificates").glob("*.json")
    found = [json.loads(path.read_text("utf-8")) for path in paths]
    return {one["certificate"]["learner"]: one["certificate"] for one in found}


def test_who_passed_gets_one_and_who_has_no_name_is_named(camp):
    said = run("certify", EXAMINATION)
    assert said.exit_code == 1  # somebody is left
    assert "nameless has no name" in said.output
    found = records(camp)
    assert set(found) == {"ada", "xiaotong"}
    assert found["ada"]["grade"] == "distinction"
    assert found["xiaotong"]["name"] == "欧阳晓彤"
    assert found["xiaotong"]["grade"] == "pass"
    assert len(list((camp / "certificates").glob("*.pdf"))) == 2


def test_asked_for_by_name_the_reason_is_said(camp):
    for student, reason in (("bob", "50 of 100"), ("nobody", "no graded submission")):
        said = run("certify", EXAMINATION, "--student", student)
        assert said.exit_code == 1 and reason in said.output
    said = run("certify", EXAMINATION, "--student", "nameless", "--name", "N. Ames")
    assert said.exit_code == 0
    assert records(camp)["nameless"]["name"] == "N. Ames"
    assert run("certify", EXAMINATION, "--name", "One").exit_code == 1


def test_an_unfinished_grading_gives_no_certificate(camp):
    with Gradebook(f"sqlite:///{camp / 'gradebook.db'}", "npu101") as book:
        grade = book.find_grade("k2-a5-check", "exam", EXAMINATION, "ada")
        grade.needs_manual_grade = True
        book.db.commit()
    said = run("certify", EXAMINATION, "--student", "ada")
    assert said.exit_code == 1 and "not graded completely" in said.output


def test_verify_and_the_life_of_keys(camp):
    assert run("certify", EXAMINATION, "--student", "ada").exit_code == 0
    (path,) = (camp / "certificates").glob("ada-*.json")
    ring = ("--keys", "keys/keys.json")
    assert "GOOD" in run("verify", str(path), *ring).output
    assert run("class", "new-key").exit_code == 0
    good = run("verify", str(path), *ring)
    assert good.exit_code == 0 and good.output.count("GOOD") == 1
    key = json.loads(path.read_text("utf-8"))["key"]
    assert run("class", "revoke-key", key, "--why", "stolen").exit_code == 0
    said = run("verify", str(path), *ring)
    assert said.exit_code == 1 and "stolen" in said.output


def test_withdraw_and_page(camp):
    run("certify", EXAMINATION, "--student", "ada")
    (path,) = (camp / "certificates").glob("ada-*.json")
    serial = path.stem.split("-")[1]
    assert run("class", "withdraw", serial, "--why", "by mistake").exit_code == 0
    said = run("verify", str(path), "--keys", "keys/keys.json")
    assert said.exit_code == 1 and "by mistake" in said.output
    assert run("class", "verify-page").exit_code == 0
    assert serial in (camp / "verify.html").read_text("utf-8")


def test_bad_input_is_one_sentence(camp):
    for words in (
        ("verify", "nothing.json", "--keys", "keys/keys.json"),
        ("verify", "class.toml", "--keys", "class.toml"),
        ("class", "revoke-key", "0" * 16, "--why", "x"),
        ("class", "withdraw", "zz", "--why", "x"),
    ):
        said = run(*words)
        assert said.exit_code == 1
        assert "Traceback" not in said.output and said.output.strip()


def test_the_commands_of_the_page_run_as_they_stand(camp):
    page = (Path(__file__).parents[2] / "docs/certificates.md").read_text("utf-8")
    blocks = re.findall(r"^```sh class\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.strip().splitlines()]
    assert len(lines) == 4
    for line in lines:
        words = [
            word
            for part in shlex.split(line)[1:]
            for word in (sorted(map(str, camp.glob(part))) if "*" in part else [part])
        ]
        said = run(*words)
        left = "nameless has no name" in said.output  # who is named stays without one
        assert said.exit_code == 0 or left, (line, said.output)
    assert "GOOD" in said.output and "NOT GOOD" not in said.output
