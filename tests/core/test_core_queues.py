"""Queues and TBuf: the life of a buffer, events, limits, what is left at the end."""

import numpy as np
import pytest
from core_builder import Builder, buffers, op, run
from core_kernels import queue_add

from npusim.core import Sync
from npusim.lang.types import TPosition, float32, half

IN, OUT, CALC = TPosition.VECIN, TPosition.VECOUT, TPosition.VECCALC


class Case:
    """One queue with `num` buffers, and shorthand for its calls."""

    def __init__(self, num=1, depth=1, position=IN, nbytes=256):
        self.b = Builder()
        self.pipe = self.b.resource("TPipe", "pipe")
        self.queue = self.make("q", num, depth, position, nbytes)

    def make(self, name, num, depth=1, position=IN, nbytes=256):
        queue = self.b.resource("TQue", name, position, depth)
        self.b.issue(
            "init_buffer", pipe=self.pipe, buffer=queue, num=num, nbytes=nbytes
        )
        return queue

    def take(self, call="alloc_tensor"):
        return self.b.alloc(self.queue, float32, call)

    def give(self, call, tensor):
        self.b.issue(call, queue=self.queue, tensor=tensor)

    def run(self):
        return run(self.b.program(), {}, 3)

    def fault(self):
        (fault,) = self.run().faults
        assert "?" not in fault.render("en") + fault.render("zh")
        return fault.code, fault.facts.get("reason"), fault.facts


def test_events_of_a_whole_life():
    case = Case()
    for _ in range(2):
        t = case.take()
        case.give("enque", t)
        case.give("free_tensor", case.take("deque"))
    done = case.run()
    assert not done.faults and not done.findings
    syncs = [s.sync for s in done.streams[0].steps()]
    full, free = ("queue", 1, 0, "full"), ("queue", 1, 0, "free")
    once = [
        Sync("set", "MTE2", "V", full),
        Sync("wait", "MTE2", "V", full),
        Sync("set", "V", "MTE2", free),
    ]
    assert syncs == [None, None, *once, Sync("wait", "V", "MTE2", free), *once]


@pytest.mark.parametrize(
    "position,way,back",
    [(OUT, ("V", "MTE3"), ("MTE3", "V")), (CALC, ("V", "V"), ("V", "V"))],
)
def test_events_of_other_positions(position, way, back):
    case = Case(position=position)
    case.give("enque", case.take())
    case.give("free_tensor", case.take("deque"))
    syncs = [s.sync for s in case.run().streams[0].steps() if s.sync]
    assert [(s.source, s.target) for s in syncs] == [way, way, back]


def test_buffers_take_turns_and_size_is_in_elements():
    case = Case(num=2, depth=2, nbytes=100)
    tensors = []
    for _ in range(3):
        tensors.append(case.take())
        case.give("enque", tensors[-1])
        case.give("free_tensor", case.take("deque"))
    for tensor, address in zip(tensors, (0, 128, 0), strict=True):
        case.b.check(op("==", tensor.address, address, "bool"))
        case.b.check(op("==", tensor.size, 32, "bool"))  # 100 B round up to 128
    assert not case.run().faults


def test_first_in_first_out():
    case = Case(num=2, depth=2)
    first = case.take()
    second = case.take()
    case.give("enque", second)
    case.give("enque", first)
    for wanted in (second, first):
        taken = case.take("deque")
        case.b.check(op("==", taken.address, wanted.address, "bool"))
        case.give("free_tensor", taken)
    assert not case.run().faults


def test_deque_on_an_empty_queue():
    case = Case()
    case.take()
    case.take("deque")
    code, reason, facts = case.fault()
    assert (code, reason) == ("ASC-QUE-21", None)
    assert facts["states"] == [(0, "ALLOCATED")] and "enque" in facts["missing"]


def test_enque_twice():
    case = Case(depth=2)
    t = case.take()
    case.give("enque", t)
    case.give("enque", t)
    code, reason, facts = case.fault()
    assert (code, reason, facts["state"]) == ("ASC-QUE-21", "enque", "QUEUED")


def test_enque_of_a_foreign_tensor():
    case = Case()
    case.give("enque", case.b.tensor(float32, 4096, 64, "t"))
    code, reason, facts = case.fault()
    assert (code, reason) == ("ASC-QUE-21", "enque") and "state" not in facts


def test_free_before_deque():
    case = Case()
    case.give("free_tensor", case.take())
    code, reason, facts = case.fault()
    assert (code, reason, facts["state"]) == ("ASC-QUE-21", "free", "ALLOCATED")


def test_alloc_without_a_free_buffer():
    case = Case(num=2, depth=2)
    for _ in range(3):
        case.take()
    code, reason, facts = case.fault()
    assert (code, reason, facts["num"]) == ("ASC-QUE-22", None, 2)
    assert "free_tensor" in facts["missing"]


def test_alloc_before_init_buffer():
    case = Case()
    late = case.b.resource("TQue", "late", IN, 1)
    case.b.alloc(late, float32)
    code, _, facts = case.fault()
    assert code == "ASC-QUE-22" and "init_buffer" in facts["missing"]


def test_enque_beyond_the_depth():
    case = Case(num=2, depth=1)
    for _ in range(2):
        case.give("enque", case.take())
    code, reason, facts = case.fault()
    assert (code, reason) == ("ASC-QUE-22", "depth")
    assert (facts["queued"], facts["depth"]) == (1, 1)


def test_nine_buffers_on_one_position():
    case = Case(num=5)
    case.make("other", 3)
    case.make("more", 1)
    code, reason, facts = case.fault()
    assert (code, reason, facts["num"]) == ("ASC-QUE-22", "position", 9)


def test_sixty_five_buffers():
    case = Case()
    for number in range(64):
        buffer = case.b.resource("TBuf", f"b{number}", CALC)
        case.b.issue("init_buffer", pipe=case.pipe, buffer=buffer, nbytes=32)
    code, reason, facts = case.fault()
    assert (code, reason, facts["num"]) == ("ASC-QUE-22", "total", 65)


@pytest.mark.parametrize("nbytes", [0, -32])
def test_buffer_without_bytes(nbytes):
    code, _, facts = Case(nbytes=nbytes).fault()
    assert (code, facts["operand"]) == ("ASC-RUN-07", "nbytes")


def test_buffer_left_at_the_end():
    case = Case(num=2)
    case.take()
    done = case.run()
    (finding,) = done.findings
    assert not done.faults
    assert (finding.code, finding.severity) == ("ASC-QUE-22b", "W")
    assert finding.facts["states"] == [(0, "ALLOCATED"), (1, "FREE")]
    assert (finding.facts["num"], finding.core) == (1, 0)


def test_tbuf_gives_its_bytes_as_any_dtype():
    b = Builder()
    pipe, buffer = b.resource("TPipe", "pipe"), b.resource("TBuf", "b", CALC)
    b.issue("init_buffer", pipe=pipe, buffer=buffer, nbytes=64)
    results = [(b.register(), b.register()) for _ in range(2)]
    b.issue("get", results[0], buffer=buffer, dtype=half)
    b.issue("get", results[1], buffer=buffer, dtype=float32, len=3)
    b.check(op("==", results[0][1], 32, "bool"))
    b.check(op("==", results[1][1], 3, "bool"))
    done = run(b.program(), {})
    assert not done.faults
    assert [s.name for s in done.streams[0].steps()] == ["init_buffer"]


@pytest.mark.parametrize("length", [-1, 17])
def test_tbuf_is_no_larger_than_it_is(length):
    b = Builder()
    pipe, buffer = b.resource("TPipe", "pipe"), b.resource("TBuf", "b", CALC)
    b.issue("init_buffer", pipe=pipe, buffer=buffer, nbytes=64)
    results = (b.register(), b.register())
    b.issue("get", results, buffer=buffer, dtype=float32, len=length)
    (fault,) = run(b.program(), {}).faults
    assert (fault.code, fault.facts["operand"]) == ("ASC-RUN-07", "len")


def test_queue_slots_alternate_in_a_real_kernel():
    x = np.ones(1024, np.float32)
    values = buffers(x=x, y=x, z=x) | {"n": 1024}
    done = run(queue_add(float32, 1024, 256, depth=2), values)
    copies = [s for s in done.streams[0].steps() if s.pipe == "MTE2"]
    assert [c.writes[0].base for c in copies[::2]] == [0, 1024, 0, 1024]
