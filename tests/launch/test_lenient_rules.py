"""The rules of the replay one by one: order, steering, atomics, what raises."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import npusim.core
from npusim import asc
from npusim.diagnostic import KernelError, render
from npusim.diagnostic.catalogue import CATALOGUE
from npusim.launch.replay.faults import fault_table
from npusim.launch.replay.pattern import pattern


def lenient(kernel, *arguments, blocks: int = 1, **options):
    return kernel.launch(*arguments, blocks=blocks, mode="lenient", **options)


def codes(run) -> set[str]:
    return {d.code for d in run.found}


# ------------------------------------------------------------------------------ pattern
def test_the_pattern_is_finite_and_large_in_every_type():
    for dtype in (np.float32, np.float16, np.int8, np.int16, np.int32, np.int64):
        values = pattern(0, 256).view(dtype)
        assert np.isfinite(values).all() and values.min() > 2
    assert (pattern(5, 300) == pattern(0, 305)[5:]).all()
    assert len(np.unique(pattern(0, 256))) == 8


# ------------------------------------------------------------------------- scalar reads
@asc.jit
def early_read(x: asc.GlobalAddress, z: asc.GlobalAddress, s: asc.GlobalAddress):
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x, 64)
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z, 64)
    gs = asc.GlobalTensor()
    gs.set_global_buffer(s, 8)
    a = asc.LocalTensor(asc.int32, asc.TPosition.VECIN, 0, 64)
    b = asc.LocalTensor(asc.int32, asc.TPosition.VECOUT, 256, 64)
    asc.data_copy(a, gx, 64)
    v = a.get_value(0)  # nothing waits for the copy
    asc.printf(f"v = {v}")
    k = v * 2 + 1
    if k > 100:
        gs.set_value(0, 1)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.duplicate(b, k, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(gz, b, v * 8)


def test_a_damaged_scalar_computes_but_does_not_steer():
    x = np.full(64, 3, np.int32)
    z, s = np.zeros(64, np.int32), np.zeros(8, np.int32)
    run = lenient(early_read, x, z, s)
    damaged = int(pattern(0, 4).view(np.int32)[0])
    wrapped = np.array([damaged * 2 + 1]).astype(np.int32)[0]
    assert run.prints == (f"[core 0] v = {damaged}",)
    assert codes(run) == {"ASC-RACE-18", "ASC-REPLAY-01", "ASC-TILE-26"}
    reasons = {d.facts["reason"] for d in run.found if d.code == "ASC-REPLAY-01"}
    assert {"branch", "address"} <= reasons
    assert (z[24:] == 0).all() and s[0] == 0  # the strict path: 3 × 8 elements
    assert wrapped != damaged * 2 + 1 and (z[:24] == 7).all()  # fits no int32
    assert "fault" in reasons


@asc.jit
def scaled(x: asc.GlobalAddress, z: asc.GlobalAddress, wait: asc.constexpr):
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x, 64)
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z, 64)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 256, 64)
    asc.data_copy(a, gx, 64)
    if wait:
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    v = a.get_value(9) * 0.5
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.muls(b, a, v, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(gz, b, 64)


@pytest.mark.parametrize("wait", [False, True])
def test_a_stale_scalar_reaches_the_vector_instruction(wait):
    x, z = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    run = lenient(scaled, x, z, wait)
    seen = x[9] if wait else pattern(36, 4).view(np.float32)[0]
    np.testing.assert_array_equal(z, x * np.float32(seen * np.float32(0.5)))
    assert codes(run) == (set() if wait else {"ASC-RACE-18"})


# --------------------------------------------------------------------------- many cores
@asc.jit
def neighbour(
    x: asc.GlobalAddress,
    w: asc.GlobalAddress,
    z: asc.GlobalAddress,
    sync: asc.constexpr,
):
    me = asc.get_block_idx()
    cores = asc.get_block_num()
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x + me * 64, 64)
    own = asc.GlobalTensor()
    own.set_global_buffer(w + me * 64, 64)
    next = asc.GlobalTensor()
    next.set_global_buffer(w + (me + 1) % cores * 64, 64)
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z + me * 64, 64)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(a, gx, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(own, a, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    if sync:
        asc.sync_all()
    asc.data_copy(a, next, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(gz, a, 64)


@pytest.mark.parametrize("cores", [2, 5])
def test_cores_without_order_see_what_had_landed(cores):
    x = np.arange(64 * cores, dtype=np.float32)
    wanted = np.roll(x, -64)
    z, w = np.zeros_like(x), np.full_like(x, -5)
    run = lenient(neighbour, x, w, z, True, blocks=cores)
    assert run.found == () and (z == wanted).all()
    z, w = np.zeros_like(x), np.full_like(x, -5)
    run = lenient(neighbour, x, w, z, False, blocks=cores)
    assert codes(run) == {"ASC-GM-06b"} and (w == x).all()
    copies = [
        [e for e in run.events() if e.block == b and e.nbytes == 256]
        for b in range(cores)
    ]
    for block in range(cores):
        written, read = copies[(block + 1) % cores][1], copies[block][2]
        landed = written.end_cycle <= read.start_cycle
        part = slice(block * 64, block * 64 + 64)
        assert (z[part] == (wanted[part] if landed else -5)).all()


@asc.jit
def add_late(z: asc.GlobalAddress, big: float):
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z, 8)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 0, 8)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 4096, 8192)
    me = asc.get_block_idx()
    if me == 0:
        for _i in range(20):
            asc.duplicate(b, 0.0, 8192)
    asc.duplicate(a, big if me == 0 else 1.0, 8)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.set_atomic_add(asc.float32)
    asc.data_copy(gz, a, 8)
    asc.set_atomic_none()


def test_atomic_sums_are_made_in_the_order_of_time():
    """Block 0 adds 2^24 last: ones that came before it are not lost one by one."""
    big, cores = float(1 << 24), 9
    strict, replayed = np.zeros(8, np.float32), np.zeros(8, np.float32)
    one = add_late.launch(strict, big, blocks=cores)
    run = lenient(add_late, replayed, big, blocks=cores)
    assert run.cycles == one.cycles and codes(run) == codes(one) == set()
    assert (strict == big).all() and (replayed == big + (cores - 1)).all()


# ------------------------------------------------------------------- local memory's end
@asc.jit
def spill(x: asc.GlobalAddress, z: asc.GlobalAddress, room: int, at: asc.constexpr):
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x, 128)
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z, 64)
    next = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, at + 256, 64)
    small = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, at, 64)
    asc.duplicate(next, 1.0, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(small, gx, room)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(gz, next, 64)


def test_a_copy_past_its_buffer_overwrites_the_next_one():
    x, z = np.arange(128, dtype=np.float32), np.zeros(64, np.float32)
    run = lenient(spill, x, z, 96, 0)
    assert "ASC-UB-10" in codes(run)
    assert (z[:32] == x[64:96]).all() and (z[32:] == 1).all()


def test_a_copy_past_the_end_of_local_memory_traps():
    x, z = np.arange(128, dtype=np.float32), np.zeros(64, np.float32)
    with pytest.raises(KernelError) as caught:
        lenient(spill, x, z, 144, 196_608 - 512)
    assert caught.value.diagnostics[-1].code in {"ASC-UB-10", "ASC-GM-05"}
    assert (z == 0).all() and caught.value.run.mode == "lenient"


# ---------------------------------------------------------------------------- the table
@asc.jit
def beyond(z: asc.GlobalAddress, n: int):
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z, n)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 0, 64)
    asc.duplicate(a, 1.0, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(gz, a, n)


@asc.jit
def hangs(z: asc.GlobalAddress):
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)


def test_what_stops_a_machine_still_raises():
    z = np.zeros(32, np.float32)
    for kernel, arguments, code in (
        (beyond, (z, 64), "ASC-GM-05"),
        (hangs, (z,), "ASC-FLAG-19"),
    ):
        with pytest.raises(KernelError) as caught:
            lenient(kernel, *arguments)
        assert caught.value.diagnostics[-1].code == code
        assert fault_table()[code]["survives"] is False
    assert (z == 0).all()


def test_every_row_of_the_table_is_an_error_of_the_catalogue_with_a_reason():
    for code, row in fault_table().items():
        assert CATALOGUE[code].severity == "E", code
        assert set(row) == {"survives", "reason"} and len(row["reason"]) > 20


def test_every_fault_that_execution_can_stop_at_has_a_row():
    folder = Path(npusim.core.__file__).parent
    text = "\n".join(file.read_text("utf-8") for file in folder.glob("*.py"))
    stops = set(re.findall(r'\b[sS]top\(\s*"(ASC-[A-Z]+-\w+)"', text))
    assert len(stops) > 20 and stops <= set(fault_table())


def test_outputs_that_stay_unwritten_hold_the_pattern_and_are_reported():
    z = asc.device.empty(64, np.float32)
    run = lenient(beyond, z, 32)
    assert codes(run) == {"ASC-TILE-26"}
    assert (z.numpy()[:32] == 1).all()
    assert (z.numpy()[32:] == pattern(128, 128).view(np.float32)).all()


# ----------------------------------------------------------------------- the same again
def test_the_same_damage_every_time_and_in_both_languages():
    x = np.full(64, 3, np.int32)
    results = []
    for _ in range(2):
        z, s = np.zeros(64, np.int32), np.zeros(8, np.int32)
        run = lenient(early_read, x, z, s)
        texts = [render(d, language) for d in run.found for language in ("en", "zh")]
        assert not any("None" in text or "{" in text for text in texts)
        results.append((z.tobytes(), run.prints, run.cycles, texts))
    assert results[0] == results[1]


def test_the_notebook_shows_a_lenient_run():
    x, z = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    run = lenient(scaled, x, z, False)
    page = run._repr_html_()
    assert "ASC-RACE-18" in page and "lenient" in page
