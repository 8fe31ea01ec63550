"""Each diagnostic through the whole chain: failing kernel, fixed kernel, neighbour.

A failing kernel raises exactly its code and no other error; its fixed form and its
neighbour finish without any message, and with the right result.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from npusim import asc
from npusim.diagnostic import KernelError, render, render_html
from npusim.diagnostic.catalogue import CATALOGUE, TEXTS
from npusim.diagnostic.template import facts_used
from npusim.launch.kernel import Kernel

FOLDER = Path(__file__).parent / "triples"
TRIPLES = [
    triple
    for name in ("triples.toml", "vector.toml")
    for triple in tomllib.loads((FOLDER / name).read_text("utf-8"))["triple"]
]
IDS = [f"{i}-{triple['code']}" for i, triple in enumerate(TRIPLES)]
WANTED = """
    MTE-01 ALIGN-02 GM-05 GM-06 UB-09 INIT-11 RACE-15 RACE-16 RACE-17 RACE-18 FLAG-19
    QUE-21 QUE-22 TILE-26 ALIAS-12 REDUCE-13 TMP-14 REP-29 MASK-30 STRIDE-31 CMP-32
    NUM-33 NUM-34 CAST-35
"""


def edited(triple: dict, form: str) -> str:
    """The base kernel's text with the edits of `form`."""
    text = (FOLDER / f"{triple['base']}.py").read_text("utf-8")
    for old, new in triple.get(form, []):
        assert text.count(old) == 1, f"{triple['code']} {form}: {old!r}"
        text = text.replace(old, new)
    return text


def launch(triple: dict, form: str, blocks: int | None = None):
    """(run, result, expected result) of one form."""
    text = edited(triple, form)
    kernel = Kernel.from_text(text, f"{form}.py", "kernel", {"asc": asc})
    n = triple["n"]
    x = np.arange(n, dtype=np.float32)
    expected = x + 1
    z = asc.device.empty(n, np.float32) if triple.get("empty") else np.zeros_like(x)
    z = x if triple.get("alias") else z
    options = {k: triple[k] for k in ("budget", "overflow") if k in triple}
    blocks = blocks or triple.get("blocks", 1)
    run = kernel.launch(x, z, n, triple["tile"], blocks=blocks, **options)
    return run, z if isinstance(z, np.ndarray) else z.numpy(), expected


def diagnostics_of(triple: dict, form: str):
    try:
        return launch(triple, form)[0].found
    except KernelError as error:
        return error.diagnostics


def test_every_mistake_has_a_triple():
    assert {f"ASC-{code}" for code in WANTED.split()} <= {t["code"] for t in TRIPLES}


@pytest.mark.parametrize("triple", TRIPLES, ids=IDS)
def test_failing_kernel_raises_its_code_and_no_other(triple):
    found = diagnostics_of(triple, "failing")
    severity = triple.get("severity", "E")
    assert {d.code for d in found if d.severity == "E"} <= {triple["code"]}
    assert {d.code for d in found if d.severity == severity} == {triple["code"]}
    raises = severity == "E"
    if raises:
        with pytest.raises(KernelError):
            launch(triple, "failing")


@pytest.mark.parametrize("triple", TRIPLES, ids=IDS)
def test_message_is_located_and_complete_in_both_languages(triple):
    for found in diagnostics_of(triple, "failing"):
        assert found.where is not None and found.where.label == "failing.py"
        line = edited(triple, "failing").splitlines()[found.where.line - 1]
        assert found.where.text.strip() == line.strip()
        for language in ("en", "zh"):
            text = render(found, language)
            assert "?" not in text and "^" in text and "None" not in text
            assert render_html(found, language)
            assert_facts(found, language)


def assert_facts(found, language: str) -> None:
    """The floor that reports gives every fact that the templates cannot do without."""
    entry = CATALOGUE[found.code].variant(found.facts)
    for key in TEXTS:
        needed = facts_used(getattr(entry, key)[language], required_only=True)
        assert needed <= set(found.facts), (found.code, key)


@pytest.mark.parametrize("form", ["fixed", "silent"])
@pytest.mark.parametrize("triple", TRIPLES, ids=IDS)
def test_fixed_kernel_and_neighbour_are_silent_and_right(triple, form):
    run, result, expected = launch(triple, form)
    assert [d.render() for d in run.found] == []
    assert (result == expected).all()


@pytest.mark.parametrize("blocks", [1, 2, 3, 7, 48])
@pytest.mark.parametrize("base", ["flags", "queues", "scalar"])
def test_base_kernels_are_silent_for_any_split(base, blocks):
    n = {"flags": blocks * 512, "queues": 5003, "scalar": 331}[base]
    triple = {"base": base, "code": base, "n": n, "tile": 128}
    run, result, expected = launch(triple, "fixed", blocks)
    assert [d.render() for d in run.found] == []
    assert (result == expected).all()


def test_messages_name_the_line_that_must_change():
    """The place of a message is the mistake's, not the first line of the kernel."""
    for triple in TRIPLES:
        lines = {d.where.line for d in diagnostics_of(triple, "failing")}
        text = edited(triple, "failing").splitlines()
        body = next(i for i, line in enumerate(text, 1) if re.match("def kernel", line))
        assert all(line > body for line in lines)
