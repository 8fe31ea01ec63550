"""What authors use: the page on lessons, and the check of one lesson."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import npucamp
from npucamp.cli import app
from npucamp.commands.lesson import complaints
from npucamp.coursemap import STEPS
from npucamp.material import Material, MaterialError, parse
from npusim.diagnostic import language

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "lessons.md").read_text(encoding="utf-8")


def test_the_page_shows_a_data_file_that_is_read():
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    made = parse(Material, text, "lessons.md")
    assert made.term and made.quiz and made.hint and made.explain


def test_the_page_names_every_helper():
    named = set(re.findall(r"\| `(?:with )?(\w+)\(", PAGE))
    assert named == set(npucamp.__all__) - {"begin"}
    assert set(STEPS.values()) <= named


@pytest.mark.parametrize("lesson", ["start-here", "glossary"])
def test_a_page_needs_no_frame(lesson):
    assert complaints(lesson) == []


def test_the_command_names_what_is_wrong(small):
    language.use("en")
    source = ROOT / "course" / "src" / "z1.py"
    text = source.read_text(encoding="utf-8").replace("id: z1", "id: t1")
    path = small / "course" / "src" / "t1.py"
    path.write_text(text.replace("seed:B030.1", "seed:B999.9"), encoding="utf-8")
    lines = complaints("t1", small)
    assert "t1.py: cell t1-goal: no sentence 'B999.9'" in lines
    assert "t1: quiz 't1-several' is never asked" in lines
    data = path.with_suffix(".toml")
    data.write_text(
        data.read_text("utf-8").replace("right = true", "x = 1", 1), "utf-8"
    )
    with pytest.raises(MaterialError, match=r"t1\.toml:\d+: "):
        complaints("t1", small)


def test_the_command_line_says_how_to_go_on():
    language.use("en")
    shown = CliRunner().invoke(app, ["lesson", "check", "z3"])
    assert shown.exit_code == 0 and "has the form" in shown.stdout
    failed = CliRunner().invoke(app, ["lesson", "check", "z99"])
    assert failed.exit_code == 1 and "z99" in failed.stderr and "z3" in failed.stderr
