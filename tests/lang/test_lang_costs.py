"""help(asc.add) shows the cost of an instruction, from the chip's own table."""

import pydoc

import pytest

from npusim import asc
from npusim.chip import load_chip
from npusim.lang.costs import CHIP
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
