"""TPipe, TQue and TBuf: laying out UB, and the life of a queue's buffers.

enque publishes what the pipe that filled the buffer did, deque waits for it;
free_tensor publishes that the buffer has been read, the next alloc_tensor of the same
buffer waits for that. Limits: 8 queue buffers a position, 64 buffers a kernel (public
Ascend C documentation of TPipe and TQue).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from npusim.core.group import Group
from npusim.core.memory import REPEAT_NBYTES, round_up
from npusim.core.operands import Lowering, check_range
from npusim.core.pipe import ALLOCATED, FREE, QUEUED, TAKEN, Queue, Slot
from npusim.core.plan import Operation, issue_cost
from npusim.core.signals import agree, stop
from npusim.core.stream import Cost, Step, Sync
from npusim.lang.program import Issue, Resource

QUEUE_BUFFERS_A_POSITION = 8
BUFFERS_A_KERNEL = 64

PRODUCED = {"VECIN": ("MTE2", "V"), "VECOUT": ("V", "MTE3"), "VECCALC": ("V", "V")}
CONSUMED = {"VECIN": ("V", "MTE2"), "VECOUT": ("MTE3", "V"), "VECCALC": ("V", "V")}


@dataclass(frozen=True)
class _Call:
    """One queue instruction of the program. `position`: of its queue, by name."""

    issue: Issue
    pc: int
    resource: Resource
    position: str
    cost: int

    @property
    def where(self) -> int:
        return self.issue.where

    def queue(self, group: Group) -> Queue:
        known = group.pipe.queues.get(self.resource.index)
        return known if known is not None else Queue(self.resource.name)

    def record(
        self, group: Group, cost: str, kind: str = "", slot: int = 0, mark: str = ""
    ) -> int:
        """Record the call; `kind`, `slot` and `mark` tell its Sync if it has one."""
        steps = group.scalar + self.cost
        key = (self.pc, steps, kind, slot)
        step = group.plans.get(key)
        if step is None:
            step = self._step(cost, self._sync(kind, slot, mark), steps)
            group.plans[key] = step
        group.record(step)
        return self.pc + 1

    def _step(self, cost: str, sync: Sync | None, steps: int) -> Step:
        name = self.issue.name
        return Step(
            self.pc, self.where, name, "S", (), (), Cost(cost, name), sync, steps
        )

    def _sync(self, kind: str, slot: int, mark: str) -> Sync | None:
        if not kind:
            return None
        ways = PRODUCED if mark == "full" else CONSUMED
        source, target = ways[self.position]
        return Sync(kind, source, target, ("queue", self.resource.index, slot, mark))

    def started(self, group: Group) -> Queue:
        """The queue; ASC-QUE-22 where init_buffer has given it no buffer."""
        queue = self.queue(group)
        if not queue.slots:
            counts = "num, nbytes" if self.resource.kind == "TQue" else "nbytes"
            facts = self.facts(queue, f"pipe.init_buffer({queue.name}, {counts})")
            stop("ASC-QUE-22", self.where, num=0, reason="none", **facts)
        return queue

    def facts(
        self, queue: Queue, missing: str | None, state: str | None = None
    ) -> dict[str, Any]:
        """Facts of a wrong call; those that are None are left out."""
        call = {"operation": self.issue.name, "queue": self.resource.name}
        found = {**call, "states": queue.states, "missing": missing, "state": state}
        return {name: fact for name, fact in found.items() if fact is not None}


@dataclass(frozen=True)
class QueueCall:
    """One row of the table: the role of the resource, and how the call is lowered."""

    name: str
    role: str
    build: Callable[[_Call, Lowering], Operation]

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        resource: Any = issue.operands[self.role]
        position = resource.position.name if resource.position else "VECCALC"
        call = _Call(issue, pc, resource, position, issue_cost(issue))
        return self.build(call, lowering)


# ------------------------------------------------------------------------ init_buffer
def init_buffer(call: _Call, lowering: Lowering) -> Operation:
    number = lowering.integer(call.issue, "num", 1)
    length = lowering.integer(call.issue, "nbytes")

    def operation(group: Group) -> int:
        count, nbytes = agree(number(group.regs)), agree(length(group.regs))
        capacity = group.pipe.capacity
        check_range(call.where, "init_buffer", "num", count, 1)
        check_range(call.where, "init_buffer", "nbytes", nbytes, 1)
        _check_limits(group, call, count)
        nbytes = round_up(nbytes)
        _check_plan(
            group, call, [*group.pipe.plan, (call.resource.name, count, nbytes)]
        )
        _lay_out(group, call, count, nbytes)
        group.fill(min(group.pipe.top, capacity))
        return call.record(group, "setup")

    return operation


def _check_limits(group: Group, call: _Call, count: int) -> None:
    facts = {"operation": "init_buffer", "queue": call.resource.name}
    known = group.pipe.queues.get(call.resource.index)
    if known is not None:
        related = (group.machine.program.location(known.where),)
        more = {"num": len(known.slots), "limit": 1, "related": related}
        stop("ASC-QUE-22", call.where, **facts, **more, reason="again")
    if call.resource.kind == "TQue":
        position = call.position
        total = group.pipe.positions.get(position, 0) + count
        if total > QUEUE_BUFFERS_A_POSITION:
            facts |= {"position": position, "reason": "position"}
            limit = {"num": total, "limit": QUEUE_BUFFERS_A_POSITION}
            stop("ASC-QUE-22", call.where, **facts, **limit)
    total = group.pipe.buffers + count
    if total > BUFFERS_A_KERNEL:
        limit = {"num": total, "limit": BUFFERS_A_KERNEL}
        stop("ASC-QUE-22", call.where, **facts, **limit, reason="total")


def _check_plan(group: Group, call: _Call, plan: list[tuple[str, int, int]]) -> None:
    needed = sum(number * nbytes for _, number, nbytes in plan)
    available = group.pipe.capacity
    if needed <= available:
        return
    facts: dict[str, Any] = {"needed": needed, "available": available, "plan": plan}
    largest = _largest_tile(group, call, plan)
    if largest:
        facts["largest"] = largest
    stop("ASC-UB-09", call.where, **facts)


def _largest_tile(
    group: Group, call: _Call, plan: list[tuple[str, int, int]]
) -> int | None:
    """Elements of the largest tile that would fit, in whole 256 B repeats.

    None where it cannot be told: more buffers are still to come, a buffer's dtype is
    not known, or the buffers do not all hold the same number of elements.
    """
    code = group.machine.program.code
    later = (op for op in code[call.pc + 1 :] if isinstance(op, Issue))
    if any(op.name == "init_buffer" for op in later):
        return None
    sizes = _itemsizes(code)
    if any(name not in sizes for name, _, _ in plan):
        return None
    if len({nbytes // sizes[name] for name, _, nbytes in plan}) > 1:
        return None
    an_element = sum(number * sizes[name] for name, number, _ in plan)
    repeat = REPEAT_NBYTES // min(sizes[name] for name, _, _ in plan)
    return group.pipe.capacity // an_element // repeat * repeat


def _itemsizes(code: Sequence[Any]) -> dict[str, int]:
    """Bytes of an element by the name of the queue or buffer it is taken from."""
    sizes: dict[str, int] = {}
    for op in code:
        if isinstance(op, Issue) and "dtype" in op.operands:
            operands: Mapping[str, Any] = op.operands
            owner = operands.get("queue", operands.get("buffer"))
            sizes[owner.name] = operands["dtype"].itemsize
    return sizes


def _lay_out(group: Group, call: _Call, count: int, nbytes: int) -> None:
    pipe, resource = group.pipe, call.resource
    queue = pipe.queues.setdefault(resource.index, Queue(resource.name))
    queue.where = call.where
    for _ in range(count):
        queue.slots.append(Slot(pipe.top, nbytes))
        group.placed.append((pipe.top, pipe.top + nbytes))
        pipe.top += nbytes
    pipe.plan.append((resource.name, count, nbytes))
    if resource.kind == "TQue":
        pipe.positions[call.position] = pipe.positions.get(call.position, 0) + count


# ------------------------------------------------------- alloc, enque, deque, free, get
def alloc_tensor(call: _Call, lowering: Lowering) -> Operation:
    dtype: Any = call.issue.operands["dtype"]

    def operation(group: Group) -> int:
        queue = call.started(group)
        index = queue.next_free()
        if index is None:
            facts = call.facts(queue, f"{queue.name}.free_tensor(…)")
            stop("ASC-QUE-22", call.where, num=len(queue.slots), **facts)
        slot = queue.slots[index]
        kind = "wait" if slot.used else ""  # nobody has to leave a new buffer first
        slot.state, slot.used = ALLOCATED, True
        _give(group, call.issue, slot, slot.nbytes // dtype.itemsize)
        return call.record(group, "queue", kind, index, "free")

    return operation


def enque(call: _Call, lowering: Lowering) -> Operation:
    address = lowering.tensor(call.issue, "tensor").address
    depth = call.resource.depth

    def operation(group: Group) -> int:
        queue = call.started(group)
        index = queue.slot_at(agree(address(group.regs)))
        state = None if index is None else queue.slots[index].state
        if index is None or state is not ALLOCATED:
            missing = f"{queue.name}.alloc_tensor(dtype)" if state is FREE else None
            facts = call.facts(queue, missing, state)
            stop("ASC-QUE-21", call.where, reason="enque", **facts)
        if depth and len(queue.order) >= depth:
            facts = call.facts(queue, f"{queue.name}.deque(dtype)")
            facts |= {"queued": len(queue.order), "depth": depth, "reason": "depth"}
            stop("ASC-QUE-22", call.where, **facts)
        queue.slots[index].state = QUEUED
        queue.order.append(index)
        return call.record(group, "queue", "set", index, "full")

    return operation


def deque(call: _Call, lowering: Lowering) -> Operation:
    dtype: Any = call.issue.operands["dtype"]

    def operation(group: Group) -> int:
        queue = call.started(group)
        if not queue.order:
            facts = call.facts(queue, f"{queue.name}.enque(…)")
            stop("ASC-QUE-21", call.where, **facts)
        index = queue.order.pop(0)
        slot = queue.slots[index]
        slot.state = TAKEN
        _give(group, call.issue, slot, slot.nbytes // dtype.itemsize)
        return call.record(group, "queue", "wait", index, "full")

    return operation


def free_tensor(call: _Call, lowering: Lowering) -> Operation:
    address = lowering.tensor(call.issue, "tensor").address

    def operation(group: Group) -> int:
        queue = call.started(group)
        index = queue.slot_at(agree(address(group.regs)))
        state = None if index is None else queue.slots[index].state
        if index is None or state is not TAKEN:
            missing = None if state in (None, FREE) else f"{queue.name}.deque(dtype)"
            facts = call.facts(queue, missing, state)
            stop("ASC-QUE-21", call.where, reason="free", **facts)
        queue.slots[index].state = FREE
        return call.record(group, "queue", "set", index, "free")

    return operation


def get(call: _Call, lowering: Lowering) -> Operation:
    """A TBuf's tensor: no hand-over, so no step; it costs one scalar step."""
    issue = call.issue
    dtype: Any = issue.operands["dtype"]
    length = lowering.integer(issue, "len")

    def operation(group: Group) -> int:
        queue = call.started(group)
        elements = agree(length(group.regs))
        room = queue.slots[0].nbytes // dtype.itemsize
        wanted = room if elements is None else elements
        check_range(call.where, "get", "len", wanted, 0, room)
        _give(group, issue, queue.slots[0], wanted)
        group.scalar += 1 + call.cost
        return call.pc + 1

    return operation


def _give(group: Group, issue: Issue, slot: Slot, elements: int) -> None:
    address, size = issue.results
    group.regs[address], group.regs[size] = slot.address, elements
