"""Messages that point at the mistake: bytes, elements and cures, as learners see."""

import textwrap

import numpy as np
import pytest

from npusim import asc
from npusim.launch import Kernel

HEAD = """from npusim import asc


@asc.jit
def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    xg = asc.GlobalTensor()
    xg.set_global_buffer(x, n)
    zg = asc.GlobalTensor()
    zg.set_global_buffer(z, n)
"""


def found(body, blocks=1, **options):
    """The diagnostics of a kernel with this body, on 64 elements."""
    text = HEAD + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n"
    kernel = Kernel.from_text(text, "k.py", "kernel", {"asc": asc})
    arrays = np.ones(64, np.float32), np.zeros(64, np.float32)
    try:
        run = kernel.launch(*arrays, 64, blocks=blocks, **options)
    except asc.KernelError as error:
        return error.diagnostics
    return run.found


CASES = {
    "an unaligned address is told as such": (
        """
        t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 20, 8)
        asc.duplicate(t, 1.0, 8)
        """,
        "ASC-ALIGN-02",
        ["starts at byte 20 of UB"],
    ),
    "an unaligned element is told as such": (
        """
        t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 32, 16)
        asc.duplicate(t[1:], 1.0, 8)
        """,
        "ASC-ALIGN-02",
        ["starts at element 1 (byte 4)"],
    ),
    "elements count from the start of the buffer": (
        """
        t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 64, 16)
        zg.set_value(0, t.get_value(3))
        """,
        "ASC-INIT-11",
        ["from element 3, byte 12"],
    ),
    "elements count from the start of a queue's buffer": (
        """
        pipe = asc.TPipe()
        b = asc.TBuf(asc.TPosition.VECCALC)
        pipe.init_buffer(b, 96)
        c = asc.TBuf(asc.TPosition.VECCALC)
        pipe.init_buffer(c, 96)
        t = c.get(asc.float32)
        asc.adds(t, t[8:], 1.0, 8)
        """,
        "ASC-INIT-11",
        ["from element 8, byte 32"],
    ),
    "a tensor set too short is told with its end": (
        """
        zg.set_global_buffer(z + 8, 16)
        zg.set_value(16, 1.0)
        """,
        "ASC-GM-05",
        ["z + 96 B (element 24)", "the tensor zg ends at z + 96 B"],
    ),
    "an address before the buffer is told as such": (
        "zg.set_value(0, xg.get_value(asc.get_block_idx() - 1))",
        "ASC-GM-05",
        ["element -1 (byte -4) lies before the start of x", "negative"],
    ),
    "an index out of a local tensor": (
        """
        t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 16)
        t.set_value(16, 1.0)
        """,
        "ASC-UB-10",
        ["set_value of element 16", "t.get_size() - 1"],
    ),
    "a local tensor made too small": (
        """
        t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 16)
        asc.duplicate(t, 1.0, 24)
        """,
        "ASC-UB-10",
        ["give asc.LocalTensor a larger size"],
    ),
    "a queue without buffers": (
        """
        q = asc.TQue(asc.TPosition.VECIN, 1)
        t = q.alloc_tensor(asc.float32)
        """,
        "ASC-QUE-22",
        ["q, which has no buffers yet", "pipe.init_buffer(q, num, nbytes)"],
    ),
    "a TBuf without a buffer": (
        """
        b = asc.TBuf(asc.TPosition.VECCALC)
        t = b.get(asc.float32)
        """,
        "ASC-QUE-22",
        ["get on b, which has no buffers yet", "pipe.init_buffer(b, nbytes)"],
    ),
    "a plan of any size is an overflow of UB": (
        """
        pipe = asc.TPipe()
        q = asc.TQue(asc.TPosition.VECIN, 1)
        pipe.init_buffer(q, 2, 1 << 45)
        """,
        "ASC-UB-09",
        ["70,368,744,177,664 B of 196,608 B"],
    ),
    "the largest tile that fits": (
        """
        pipe = asc.TPipe()
        q = asc.TQue(asc.TPosition.VECIN, 1)
        pipe.init_buffer(q, 2, 131072)
        t = q.alloc_tensor(asc.float32)
        """,
        "ASC-UB-09",
        ["Largest tile that fits at these settings: 24,576 elements"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_message_tells(name):
    body, code, parts = CASES[name]
    (one,) = [d for d in found(body) if d.code == code]
    text = one.render("en")
    assert all(part in text for part in parts), text
    assert "?" not in one.render("zh")


QUEUE = """
    pipe = asc.TPipe()
    q = asc.TQue(asc.TPosition.VECCALC, 2)
    pipe.init_buffer(q, 2, 32)
    t = q.alloc_tensor(asc.float32)
    asc.duplicate(t, 1.0, 8)
    q.enque(t)
    {calls}
"""


@pytest.mark.parametrize(
    ("calls", "missing"),
    [
        ("q.enque(t)", None),
        ("q.free_tensor(t)", "q.deque(dtype)"),
        ("t = q.deque(asc.float32); q.free_tensor(t); q.free_tensor(t)", None),
        (
            "t = q.deque(asc.float32); q.free_tensor(t); q.enque(t)",
            "q.alloc_tensor(dtype)",
        ),
    ],
)
def test_a_missing_call_is_named_only_where_one_is_missing(calls, missing):
    fault = found(QUEUE.format(calls=calls))[-1]
    assert fault.code == "ASC-QUE-21"
    assert fault.facts.get("missing") == missing
    text = fault.render("en")
    assert ("the missing call is" in text) == (missing is not None)
    assert "whole and once" in text


def test_a_step_limit_does_not_advise_a_larger_budget(monkeypatch):
    monkeypatch.setattr("npusim.core.group.STEP_LIMIT", 50)
    fault = found("while n > 0:\n    zg.set_value(0, 1.0)")[-1]
    assert fault.code == "ASC-RUN-04" and "budget=" not in fault.render("en")
    fault = found("while n > 0:\n    zg.set_value(0, 1.0)", budget=20)[-1]
    assert fault.code == "ASC-RUN-04" and "budget=" in fault.render("en")


@pytest.mark.parametrize("blocks", [1, 4])
def test_a_length_beyond_any_buffer_does_not_wrap(blocks):
    body = """
        zg.set_global_buffer(z, 1 << 62)
        t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 8)
        asc.duplicate(t, 1.0, 8)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(zg[asc.get_block_idx() * 8:], t, 8)
    """
    assert {d.code for d in found(body, blocks)} == {"ASC-TILE-26"}
