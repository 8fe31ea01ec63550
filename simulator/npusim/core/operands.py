"""Tensor operands: where they lie, and the checks that every instruction makes.

Checks are made in the order that a reader mends them: sign and size of the numbers,
start alignment, end of the tensor, end of the buffer. All raise through `stop`, before
the instruction changes anything. An error names bytes and elements counted from the
start of the buffer that holds the tensor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from npusim.core.group import Group
from npusim.core.memory import DATA_BLOCK_NBYTES, Buffer, Place
from npusim.core.scalar import ScalarCompiler, Value, operators
from npusim.core.signals import Stop, agree, stop
from npusim.lang.program import Const, Issue, Record, Tensor, split_address
from npusim.lang.types import DType

FAR = 1 << 40  # elements: beyond every buffer


@dataclass(frozen=True)
class Operand:
    """A tensor operand of one instruction: `address` in bytes, `size` in elements."""

    role: str  # the documented parameter: dst, src0, …
    operation: str
    name: str
    dtype: DType
    memory: str  # "GM", "UB", …
    address: Value
    size: Value
    where: int

    def element(self, byte: int) -> int:
        return byte // self.dtype.itemsize


class Lowering:
    """What lowering of one program shares: the scalar compiler and small helpers."""

    def __init__(self, registers: int, inputs: Mapping[int, str] | None = None):
        self.scalars = ScalarCompiler(registers, inputs)

    def tensor(self, issue: Issue, role: str) -> Operand:
        """The tensor operand `role` of `issue`."""
        tensor: Any = issue.operands[role]
        return Operand(
            role,
            issue.name,
            tensor.name,
            tensor.dtype,
            tensor.position.memory,
            self.scalars.converted(tensor.address, "int", issue.where),
            self.scalars.converted(tensor.size, "int", issue.where),
            issue.where,
        )

    def integer(self, issue: Issue, role: str, default: int | None = None) -> Value:
        """A scalar operand as int; a number that is no expression is a constant."""
        return self.scalar(issue, issue.operands.get(role, default))

    def scalar(self, issue: Issue, operand: Any) -> Value:
        if isinstance(operand, Const):  # not yet rounded: the tensor's dtype does it
            operand = operand.value
        elif hasattr(operand, "type"):
            return self.scalars.compile(operand, issue.where)
        return lambda r: operand

    def fields(self, issue: Issue, role: str, names: tuple[str, ...]) -> list[Value]:
        """Values of a record's fields in the order of `names`; a missing one is 0."""
        record = issue.operands.get(role)
        fields = record.fields if isinstance(record, Record) else {}
        return [self.scalar(issue, fields.get(name, 0)) for name in names]


def scalar_cost(operand: Any) -> int:
    """Scalar steps that evaluating an operand takes."""
    if isinstance(operand, Tensor):
        return operators(operand.address) + operators(operand.size)
    if isinstance(operand, Record):
        return sum(map(scalar_cost, operand.fields.values()))
    return operators(operand)


# ----------------------------------------------------------------------------- numbers
def check_range(
    where: int,
    operation: str,
    operand: str,
    value: Any,
    low: int,
    high: int | None = None,
) -> None:
    """ASC-RUN-07 where `value` is outside low..high (None: no upper end)."""
    if value < low or high is not None and value > high:
        required = f"≥ {low}" if high is None else f"{low}..{high}"
        facts = {"operand": operand, "value": value, "required": required}
        stop("ASC-RUN-07", where, operation=operation, **facts)


# ------------------------------------------------------------------------ local memory
def check_local(
    group: Group, operand: Operand, address: int, size: int, nbytes: int, kind: str
) -> None:
    """ASC-ALIGN-02 unless it starts on a data block; ASC-UB-10 unless it fits."""
    if address % DATA_BLOCK_NBYTES:
        check_alignment(group, operand, address, DATA_BLOCK_NBYTES)
    check_end(group, operand, address, size, nbytes, kind)


def check_alignment(
    group: Group, operand: Operand, address: int, required: int, **facts: Any
) -> None:
    """ASC-ALIGN-02, with `facts`, unless the address is a multiple of `required`."""
    if address % required:
        start = group.segment.origin(address)
        reason = {"reason": "placed"} if start % required else {}
        byte = address if reason else address - start
        stop(
            "ASC-ALIGN-02",
            operand.where,
            operation=operand.operation,
            operand=operand.role,
            buffer=operand.name,
            element=operand.element(byte),
            byte=byte,
            memory=operand.memory,
            required=required,
            **{**reason, **facts},
        )


def check_end(
    group: Group,
    operand: Operand,
    address: int,
    size: int,
    nbytes: int,
    kind: str,
    offset: int | None = None,
) -> None:
    """ASC-UB-10 unless `nbytes` lie inside the tensor and UB.

    `offset`: of the element that an index names; without one, from the start on.
    """
    at = offset or 0
    capacity = group.machine.chip.ub_nbytes
    room = min(size * operand.dtype.itemsize, capacity - address)
    if address >= 0 and at >= 0 and at + nbytes <= room:
        group.fill(address + at + nbytes)
        return
    before = address - group.segment.origin(address)
    facts = {
        "kind": kind,
        "operation": operand.operation,
        "nbytes": nbytes,
        "buffer": operand.name,
        "element": operand.element(before + at),
        "byte": before + at,
        "buffer_nbytes": max(0, before + room),
        "dtype": operand.dtype.name,
        **_overrun(group, address, offset),
    }
    fault = Stop("ASC-UB-10", operand.where, facts)
    in_memory = address >= 0 and at >= 0 and address + at + nbytes <= capacity
    if not (in_memory and group.outlives(fault)):
        raise fault
    group.fill(address + at + nbytes)


def _overrun(group: Group, address: int, offset: int | None) -> dict[str, str]:
    """Which mistake an access that does not fit is likely to be."""
    if offset is not None:
        return {"reason": "index"}
    return {} if group.pipe.holds(address) else {"reason": "placed"}


# ----------------------------------------------------------------------- global memory
def resolve_global(
    group: Group, operand: Operand, address: Any, size: Any, nbytes: int, kind: str
) -> Place:
    """Where the blocks find `nbytes` at `address` (one, or one a block).

    ASC-GM-05 where they leave the tensor's own range or its buffer. Blocks that mean
    different buffers part.
    """
    first, step, span, offsets = _spread(address)
    buffer_id, start = split_address(first)
    data = group.machine.memory.get(buffer_id)
    if data is None or start < 0 or start + span + nbytes > data.nbytes:
        _leave_buffer(group, operand, address, nbytes, kind)
    bad = size < -(-nbytes // operand.dtype.itemsize)  # a product might not fit
    if bad if type(bad) is bool else bad.any():
        inside = np.maximum(size, -FAR) * operand.dtype.itemsize
        _leave_tensor(group, operand, address, bad, nbytes, kind, inside)
    assert data is not None
    if offsets is not None:
        offsets = offsets + start
    elif step < 0:
        start += span
    return Place(data, start, step, offsets)


def _spread(address: Any) -> tuple[int, int, int, np.ndarray | None]:
    """(lowest address, step, highest - lowest, distances to the lowest if uneven)."""
    if type(address) is int:
        return address, 0, 0, None
    first, step = int(address[0]), int(address[1] - address[0])
    if (address[1:] - address[:-1] == step).all():
        span = step * (len(address) - 1)
        return min(first, first + span), step, abs(span), None
    lowest = int(address.min())
    return lowest, 0, int(address.max()) - lowest, address - lowest


def _leave_buffer(
    group: Group, operand: Operand, address: Any, nbytes: int, kind: str
) -> NoReturn:
    numbers, offset = split_address(address)
    buffer = group.machine.buffers.get(agree(numbers))
    room = 0 if buffer is None else buffer.nbytes
    bad = (offset < 0) | (offset + nbytes > room)
    before = agree(offset < 0)  # blocks that leave at different ends part
    facts = {"buffer_nbytes": room} | ({"reason": "before"} if before else {})
    _stop_global(operand, buffer, bad, offset, nbytes, kind, facts)


def _leave_tensor(
    group: Group,
    operand: Operand,
    address: Any,
    bad: Any,
    nbytes: int,
    kind: str,
    inside: Any,
) -> NoReturn:
    """`inside`: bytes from `address` to the end of the tensor, which is set too short.

    It is negative where the address lies beyond that end.
    """
    numbers, offset = split_address(address)
    buffer = group.machine.buffers.get(agree(numbers))
    facts = {"tensor": operand.name, "end_byte": offset + inside, "reason": "tensor"}
    _stop_global(operand, buffer, bad, offset, nbytes, kind, facts)


def _stop_global(
    operand: Operand,
    buffer: Buffer | None,
    bad: Any,
    offset: Any,
    nbytes: int,
    kind: str,
    facts: dict[str, Any],
) -> NoReturn:
    stop(
        "ASC-GM-05",
        operand.where,
        bad,
        operation=operand.operation,
        kind=kind,
        buffer=buffer.name if buffer else operand.name,
        element=offset // operand.dtype.itemsize,
        byte=offset,
        nbytes=nbytes,
        **facts,
    )
