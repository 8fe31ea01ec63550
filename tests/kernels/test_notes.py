"""Performance notes: slow kernels get theirs, mended ones and neighbours get none.

A note is about speed alone: every form is right, and no launch raises.
"""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

from npusim import asc
from npusim.check.notes.work import _table
from npusim.launch.kernel import Kernel
from tests.launch.kernels import queue_add

from .test_triples import FOLDER, assert_facts, edited

TRIPLES = tomllib.loads((FOLDER / "notes.toml").read_text("utf-8"))["triple"]
IDS = [f"{t['code']}-{t.get('reason', '')}".rstrip("-") for t in TRIPLES]


def launch(triple: dict, form: str):
    """The run of one form; its result has been checked."""

    def value(name):
        given = triple[name]
        return given[form] if isinstance(given, dict) else given

    text = edited(triple, form)
    kernel = Kernel.from_text(text, f"{form}.py", "kernel", {"asc": asc})
    n = value("n")
    x = np.arange(n, dtype=np.float32) % 1024
    z = np.zeros_like(x)
    run = kernel.launch(x, z, n, value("tile"), blocks=value("blocks"))
    assert (z == x + 1).all() and not run.found
    return run


@pytest.mark.parametrize("triple", TRIPLES, ids=IDS)
def test_the_slow_kernel_gets_its_note(triple):
    run = launch(triple, "failing")
    assert all(d.severity == "P" for d in run.diagnostics)
    found = [d for d in run.diagnostics if d.code == triple["code"]]
    assert [d.code for d in run.diagnostics] == [triple["code"]]
    note = found[0]
    assert note.facts.get("reason") == triple.get("reason", note.facts.get("reason"))
    assert (note.where is None) == (note.code == "ASC-CORE-27")
    for language in ("en", "zh"):
        assert "?" not in note.render(language) and "None" not in note.render(language)
        assert_facts(note, language)


@pytest.mark.parametrize("form", ["fixed", "silent"])
@pytest.mark.parametrize("triple", TRIPLES, ids=IDS)
def test_of_mended_kernels_and_neighbours_nothing_is_said(triple, form):
    run = launch(triple, form)
    allowed = triple.get("silent_codes", []) if form == "silent" else []
    assert [d.code for d in run.diagnostics] == allowed, [
        d.render() for d in run.diagnostics
    ]


def test_mending_saves_what_the_note_says():
    """Time at barriers is told to a twentieth of the launch; all mended ones gain."""
    for triple in TRIPLES:
        slow, fast = launch(triple, "failing"), launch(triple, "fixed")
        if slow.nbytes_read == fast.nbytes_read:
            saved = 1 - fast.cycles / slow.cycles
            assert saved > 0.03, (triple["code"], saved)
            if "ALL" in slow.diagnostics[0].render():
                told = slow.diagnostics[0].facts["share"]
                assert abs(saved - float(told.rstrip("%")) / 100) < 0.05, triple["code"]


def test_notes_come_after_faults_and_never_raise():
    triple = next(t for t in TRIPLES if t["code"] == "ASC-PERF-37")
    run = launch(triple, "failing")
    assert "diagnostics" not in vars(run)  # notes are made on the first use
    assert run.diagnostics and "diagnostics" in vars(run)
    severities = [d.severity for d in run.diagnostics]
    assert severities == sorted(severities, key="EWP".index) and len(severities) <= 20


def test_every_threshold_gives_its_unit_and_reason():
    for name, row in _table().items():
        assert set(row) == {"value", "unit", "source"}, name


@pytest.mark.parametrize("n", [1, 1003, 16384, 65536, 262144, 4_000_000])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_the_solution_of_the_first_task_is_left_in_peace(root, n, dtype):
    text = (root / "solutions/z1-vector-add/z1-vector-add.py").read_text("utf-8")
    kernel = Kernel.from_text(text, "z1.py", "add_kernel", {"asc": asc})
    x = np.ones(n, dtype)
    element = asc.half if dtype == np.float16 else asc.float32
    run = kernel[24](x, x, np.zeros_like(x), n, x.itemsize, element, 8192)
    many_tiles = {"ASC-BAR-20", "ASC-CORE-27"}  # by barriers, on half of the cores
    assert {d.code for d in run.diagnostics} == (many_tiles if n > 10**6 else set())


@pytest.mark.parametrize("blocks", [1, 8, 48])
@pytest.mark.parametrize("share", [4096, 32768, 131072])
def test_queues_with_two_buffers_are_left_in_peace(blocks, share):
    x = np.ones(blocks * share, np.float16)
    run = queue_add[blocks](x, x, np.zeros_like(x), share, min(share, 8192))
    small = blocks < 48 and share * blocks > 50_000
    assert {d.code for d in run.diagnostics} <= ({"ASC-CORE-27"} if small else set())
