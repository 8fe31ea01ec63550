"""help(asc.add) shows the cost of an instruction, from the chip's own table."""

import pydoc
import re

import pytest

from npusim import asc
from npusim.chip import load_chip
from npusim.diagnostic import language
from npusim.lang.costs import CHIP
from npusim.lang.names import EXPORTS, InstructionName, RecordName, ResourceName
from npusim.lang.vector_signatures import VECTOR


def shown(name: str) -> str:
    return pydoc.render_doc(getattr(asc, name), renderer=pydoc.plaintext)


@pytest.mark.parametrize("signature", VECTOR, ids=lambda s: s.name)
def test_every_vector_instruction_tells_its_cost(signature):
    assert f"Cost ({CHIP}): start-up" in shown(signature.name)


def test_the_numbers_are_those_of_the_chip():
    chip = load_chip(CHIP)
    start, add = chip.constant("vector_start"), chip.vector_cost("add", "float32")
    text = shown("add")
    assert f"start-up {start:g} cycles" in text
    assert f"{add.free:g} cycle ({add.conflict:g} where both sources" in text
    half, full = (chip.vector_cost("exp", d).free for d in ("half", "float32"))
    assert f"half: {half:g} cycles" in shown("exp")
    assert f"float32: {full:g} cycles" in shown("exp")
    assert "from bfloat16" in shown("cast")


def test_a_guess_says_so():
    assert "no public number" in shown("fused_mul_add")


def test_copies_have_no_cost_per_repeat():
    assert "Cost (" not in shown("data_copy")


# ------------------------------------------------------------------------- in Chinese
FORMULA = re.compile(r"[\w\[\]().,=+*/&|~<>≈ -]*\Z")
HELPED = sorted(
    name
    for name, value in EXPORTS.items()
    if isinstance(value, (InstructionName, ResourceName, RecordName))
)


@pytest.fixture
def chinese(monkeypatch):
    monkeypatch.setattr(language, "_chosen", ["zh"])


@pytest.mark.parametrize("name", HELPED)
def test_a_summary_in_words_is_chinese_in_a_chinese_session(name, chinese):
    body = EXPORTS[name].__doc__.partition("\n\n")[2]
    said = body.splitlines()[0]
    if not FORMULA.match(said) or "=" not in said:
        assert re.search(r"[\u4e00-\u9fff]", said), said
    for line in body.splitlines()[1:]:
        assert not line or re.search(r"[\u4e00-\u9fff]|dtype", line), line


def test_a_formula_and_the_numbers_are_the_same_in_both(monkeypatch):
    english = asc.exp.__doc__
    monkeypatch.setattr(language, "_chosen", ["zh"])
    numbers = re.compile(r"[\d.]*\d")
    assert asc.exp.__doc__ != english
    assert numbers.findall(asc.exp.__doc__) == numbers.findall(english)
    assert "e ** src[i]" in asc.exp.__doc__


def test_both_shows_one_after_the_other(monkeypatch):
    monkeypatch.setattr(language, "_chosen", ["both"])
    assert "start-up" in asc.exp.__doc__
    assert "周期" in asc.exp.__doc__
