"""Order between cores: what is silent, what is reported, with real kernels.

Each case is the body of a kernel over x, z (64 elements a core) and a shared w; `mine`
and `next_` are the element offsets of the own and the next core's share.
"""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from npusim import asc
from npusim.diagnostic import KernelError
from npusim.launch import Kernel

BLOCKS = 6
HEAD = """
@asc.jit
def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, w: asc.GlobalAddress):
    me, cores = asc.get_block_idx(), asc.get_block_num()
    mine, next_ = me * 64, (me + 1) % cores * 64
    gx, gz, gw = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, 64 * cores)
    gz.set_global_buffer(z, 64 * cores)
    gw.set_global_buffer(w, 64)
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    s = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 256, 64)
    asc.data_copy(t, gx[mine:], 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
"""
WRITE, READ = "asc.data_copy(gz[mine:], t, 64)\n", "asc.data_copy(s, gz[next_:], 64)\n"
ALL = "asc.pipe_barrier(asc.PipeID.PIPE_ALL)\n"
MEET = "asc.sync_all()\n"


def cross_set(flag: int, pipe: str = "MTE3") -> str:
    return f"asc.cross_core_set_flag({flag}, 0, asc.PipeID.PIPE_{pipe})\n"


def cross_wait(flag: int, pipe: str = "S") -> str:
    return f"asc.cross_core_wait_flag({flag}, 0, asc.PipeID.PIPE_{pipe})\n"


def atomic(kind: str, target: str = "gw", source: str = "t") -> str:
    return (
        f"asc.set_atomic_{kind}(asc.float32)\nasc.data_copy({target}, {source}, 64)\n"
        "asc.set_atomic_none()\n"
    )


SILENT = {
    "a meeting": WRITE + MEET + READ,
    "two meetings, back again": WRITE + MEET + READ + MEET + WRITE,
    "meetings in a loop": "for i in range(3):\n"
    + textwrap.indent(WRITE + MEET + READ + MEET, "    "),
    "two places of one meeting": WRITE
    + "if me % 2:\n    asc.sync_all()\nelse:\n    asc.sync_all()\n"
    + READ,
    "a flag": WRITE + cross_set(3) + cross_wait(3, "MTE2") + READ,
    "a flag that S waits for": WRITE + cross_set(3) + cross_wait(3) + READ,
    "a barrier carries what V knows": WRITE
    + ALL
    + cross_set(3, "V")
    + cross_wait(3)
    + READ,
    "a narrow write after a wider one, by a flag": (
        "if me == 0:\n    asc.data_copy(gw, t, 64)\n"
        + cross_set(3)
        + cross_wait(3, "MTE3")
        + "if me == 1:\n    asc.data_copy(gw[8:], t, 16)\n"
    ),
    "a flag by way of another": WRITE
    + cross_set(1)
    + cross_wait(1, "MTE2")
    + cross_set(2, "MTE2")
    + cross_wait(2)
    + READ,
    "flags in a loop": "for i in range(4):\n"
    + textwrap.indent(
        WRITE
        + cross_set(0)
        + cross_wait(0)
        + READ
        + ALL
        + cross_set(1)
        + cross_wait(1),
        "    ",
    ),
    "atomic adds meet": atomic("add") + ALL + atomic("add"),
    "atomic adds, a meeting, a read": atomic("add")
    + MEET
    + "asc.data_copy(s, gw, 64)\n",
    "add, meeting, max": atomic("add") + MEET + atomic("max"),
    "own contribution read": atomic("add", "gz[mine:]")
    + ALL
    + "asc.data_copy(s, gz[mine:], 64)\n",
    "whole lines by the scalar unit": "gz.set_value(mine, 1.0)\n"
    + "gz.set_value(mine + 63, 1.0)\n",
}
REPORTED = {
    "no order": (WRITE + READ, "ASC-GM-06b"),
    "the meeting is too early": (MEET + WRITE + READ, "ASC-GM-06b"),
    "the second write is not ordered": (WRITE + MEET + READ + WRITE, "ASC-GM-06b"),
    "set by a pipe that does not know": (
        WRITE + cross_set(3, "V") + cross_wait(3) + READ, "ASC-GM-06b",
    ),
    "waited for by a pipe that does not read": (
        WRITE + cross_set(3) + cross_wait(3, "V") + READ, "ASC-GM-06b",
    ),
    "set before the write": (cross_set(3) + WRITE + cross_wait(3) + READ, "ASC-GM-06b"),
    "the next round overtakes": (
        "for i in range(3):\n"
        + textwrap.indent(WRITE + cross_set(0) + cross_wait(0) + READ + ALL, "    "),
        "ASC-GM-06b",
    ),
    "two writes behind a wider one that a flag orders": (
        "if me == 0:\n    asc.data_copy(gw, t, 64)\n"
        + cross_set(3) + cross_wait(3, "MTE3")
        + "if (me == 1) | (me == 2):\n    asc.data_copy(gw[8:], t, 16)\n",
        "ASC-GM-06",
    ),
    "add and max": (
        f"if me == 0:\n{textwrap.indent(atomic('max'), '    ')}else:\n"
        + textwrap.indent(atomic("add"), "    "), "ASC-GM-06",
    ),
    "add and a plain write": (
        "if me == 0:\n    asc.data_copy(gw, t, 64)\nelse:\n"
        + textwrap.indent(atomic("add"), "    "), "ASC-GM-06",
    ),
    "add and a read": (
        "if me == 0:\n    asc.data_copy(s, gw, 64)\nelse:\n"
        + textwrap.indent(atomic("add"), "    "), "ASC-GM-06b",
    ),
    "own add and own write without order": (
        "asc.data_copy(gz[mine:], t, 64)\n" + atomic("add", "gz[mine:]"), "ASC-RACE-17",
    ),
    "own add, own read without order": (
        atomic("add", "gz[mine:]") + "asc.data_copy(s, gz[mine:], 64)\n", "ASC-RACE-17",
    ),
    "one cache line": ("gz.set_value(me, 1.0)\n", "ASC-DCACHE-25"),
    "one cache line, cores far apart": (
        "if me % 5 == 0:\n    gz.set_value(me, 1.0)\n", "ASC-DCACHE-25",
    ),
    "one cache line in two epochs": (
        "if me == 0:\n    gz.set_value(3, 1.0)\nasc.sync_all()\nif me == 1:\n"
        "    gz.set_value(4, 1.0)\n", "ASC-DCACHE-25",
    ),
    "the same element": ("gz.set_value(5, 1.0)\n", "ASC-GM-06"),
    "a core leaves early": ("if me == 2:\n    return\n" + MEET, "ASC-SYNC-23"),
    "one meeting too few": ("for i in range(me):\n    asc.sync_all()\n", "ASC-SYNC-23"),
    "flag and meeting crossed": (
        "if me == 0:\n    asc.sync_all()\nelse:\n    asc.cross_core_wait_flag(1, 0)\n",
        "ASC-SYNC-23",
    ),
    "waited twice": (cross_set(1) + cross_wait(1) + cross_wait(1), "ASC-SYNC-23b"),
    "set twice": (cross_set(1) + cross_set(1) + cross_wait(1), "ASC-SYNC-23c"),
    "no such flag": (cross_set(11), "ASC-RUN-07"),
}  # fmt: skip


def codes(body: str, blocks: int = BLOCKS) -> set[str]:
    """Codes of the errors and warnings of a kernel; both executions agree on them."""
    text = HEAD + textwrap.indent(body, "    ")
    kernel = Kernel.from_text(text, "k.py", "kernel", {"asc": asc})
    x = np.arange(64 * blocks, dtype=np.float32)
    try:
        run = kernel[blocks](x, np.zeros_like(x), np.zeros(64, np.float32))
        found = run.found
    except KernelError as error:
        found = error.diagnostics
        for diagnostic in found:
            assert "?" not in diagnostic.render("en") + diagnostic.render("zh")
    return {d.code for d in found} - {"ASC-TILE-26"}  # parts of z are left out


@pytest.mark.parametrize("name", SILENT)
def test_ordered_cores_are_silent(name):
    assert codes(SILENT[name]) == set()


@pytest.mark.parametrize("name", REPORTED)
def test_unordered_cores_are_reported(name):
    body, code = REPORTED[name]
    found = codes(body)
    assert code in found
    also = {"ASC-SYNC-23b"} if code == "ASC-SYNC-23" else set()
    assert found <= {code} | also


def test_nothing_is_wrong_with_one_core():
    for name, body in SILENT.items():
        assert codes(body, 1) == set(), name


def test_where_a_deadlock_is_told():
    text = HEAD + textwrap.indent("if me == 4:\n    return\n" + MEET, "    ")
    kernel = Kernel.from_text(text, "k.py", "kernel", {"asc": asc})
    x = np.zeros(64 * BLOCKS, np.float32)
    with pytest.raises(KernelError) as info:
        kernel[BLOCKS](x, x.copy(), np.zeros(64, np.float32))
    found = info.value.diagnostics[-1]
    assert found.where.text.strip() == "asc.sync_all()"
    assert (found.facts["waiting"], found.facts["missing"]) == (0, 4)
    assert "core 4 has ended before it (5 of 6 cores arrived)" in found.render()
    assert info.value.run.events()
