"""The scalar pipe's access to single elements: get_value and set_value, UB and GM.

An index in UB is the same for all blocks of a group; in GM each block may have its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from npusim.core.convert import to_element, to_scalar
from npusim.core.group import Group
from npusim.core.operands import (
    FAR,
    Lowering,
    Operand,
    check_alignment,
    check_end,
    resolve_global,
)
from npusim.core.plan import Operation, issue_cost
from npusim.core.scalar import Value
from npusim.core.signals import agree
from npusim.core.stamps import StampStore
from npusim.core.stream import Access, Cost, Step
from npusim.lang.program import Issue, split_address


@dataclass(frozen=True)
class Element:
    """One row of the table: reads or writes one element."""

    name: str
    writes: bool

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        tensor = lowering.tensor(issue, "tensor")
        index = lowering.integer(issue, "index")
        locate = _locate_global if tensor.memory == "GM" else _locate_local
        place = locate(tensor, index, "write" if self.writes else "read")
        maker = _StepMaker(issue, pc, tensor, issue_cost(issue))
        if self.writes:
            value: Any = issue.operands["value"]
            setter = _stamper if getattr(value, "type", "") == "stamp" else _setter
            return setter(maker, place, lowering.scalar(issue, value))
        return _getter(maker, place, issue.results[0])


def _locate_local(tensor: Operand, index: Value, kind: str) -> Any:
    itemsize = tensor.dtype.itemsize

    def locate(group: Group) -> tuple[Any, np.ndarray]:
        registers = group.regs
        start, size = agree(tensor.address(registers)), agree(tensor.size(registers))
        number = agree(index(registers))
        offset = number * itemsize
        check_end(group, tensor, start, size, itemsize, kind, offset)
        address = start + offset
        if address % itemsize:
            check_alignment(group, tensor, address, itemsize)
        return address, group.local[:, address : address + itemsize]

    return locate


def _locate_global(tensor: Operand, index: Value, kind: str) -> Any:
    itemsize = tensor.dtype.itemsize
    lanes = np.arange(itemsize)

    def locate(group: Group) -> tuple[Any, Any]:
        registers = group.regs
        number = _near(index(registers))
        address = tensor.address(registers) + number * itemsize
        room = tensor.size(registers) - number
        place = resolve_global(group, tensor, address, room, itemsize, kind)
        if deferred := group.machine.deferred:
            shape = (1, itemsize)
            deferred.before(group, tensor, place, shape, itemsize, kind == "read")
        if place.offsets is None and (place.step == 0 or abs(place.step) >= itemsize):
            ((_, window),) = place.windows(group.lanes, (1, itemsize), itemsize, True)
            return address, window[:, 0]
        offsets = np.array(place.each(group.lanes))
        return address, _Scattered(place.data, offsets[:, None] + lanes)

    return locate


def _near(number: Any) -> Any:
    """An index, or one as far outside: keeps products in 64 bits."""
    if type(number) is np.ndarray:
        return np.minimum(np.maximum(number, -FAR), FAR)
    return max(-FAR, min(FAR, number))


@dataclass
class _Scattered:
    """Bytes `data[places]`, one row a block; reads and writes as a view would."""

    data: np.ndarray
    places: np.ndarray

    def view(self, dtype: np.dtype) -> np.ndarray:
        return self.data[self.places].view(dtype)

    def __setitem__(self, key: Any, rows: np.ndarray) -> None:
        for place, row in zip(self.places, rows, strict=True):  # the last block's stays
            self.data[place] = row


@dataclass(frozen=True)
class _StepMaker:
    issue: Issue
    pc: int
    tensor: Operand
    cost: int

    def record(self, group: Group, address: Any, writes: bool) -> None:
        tensor, issue = self.tensor, self.issue
        nbytes = tensor.dtype.itemsize
        touched = (Access(tensor.memory, address, nbytes, 1, nbytes, tensor.name),)
        reads, written = ((), touched) if writes else (touched, ())
        cost = Cost("scalar", issue.name, 1, tensor.dtype.name)
        steps = group.scalar + self.cost
        group.record(
            Step(
                self.pc, issue.where, issue.name, "S", reads, written, cost, None, steps
            )
        )


def _getter(maker: _StepMaker, place: Any, target: int) -> Operation:
    dtype, issue, following = maker.tensor.dtype, maker.issue, maker.pc + 1

    def operation(group: Group) -> int:
        address, window = place(group)
        elements = window.view(dtype.numpy)[:, 0]
        value = to_scalar(elements, dtype, issue.where, issue.name)
        group.regs[target] = value
        maker.record(group, address, False)
        return following

    return operation


def _setter(maker: _StepMaker, place: Any, scalar: Value) -> Operation:
    dtype, issue, following = maker.tensor.dtype, maker.issue, maker.pc + 1

    def operation(group: Group) -> int:
        address, window = place(group)
        number = to_element(scalar(group.regs), dtype, issue.where, issue.name, "value")
        _store(window, number, group.lanes, dtype.numpy)
        maker.record(group, address, True)
        return following

    return operation


def _stamper(maker: _StepMaker, place: Any, scalar: Value) -> Operation:
    """set_value of a stamp in GM: zero until the launch has been timed."""
    dtype, following = maker.tensor.dtype, maker.pc + 1
    zero = np.zeros((), dtype.numpy)

    def operation(group: Group) -> int:
        address, window = place(group)
        stamp = scalar(group.regs)
        _store(window, zero, group.lanes, dtype.numpy)
        buffer_ids, starts = split_address(address)
        ids = np.broadcast_to(buffer_ids, (group.lanes,)).tolist()
        offsets = np.broadcast_to(starts, (group.lanes,)).tolist()
        stores = group.machine.deferred.stamps
        for block, number, start in zip(
            group.blocks.tolist(), ids, offsets, strict=True
        ):
            stores.append(StampStore(block, number, start, dtype.numpy, stamp))
        maker.record(group, address, True)
        return following

    return operation


def _store(window: Any, number: np.ndarray, lanes: int, dtype: np.dtype) -> None:
    """Write one element a block; into one place, the last block's stays."""
    if isinstance(window, np.ndarray):
        elements = window.view(dtype)[:, 0]
        elements[...] = number[-1:] if len(window) == 1 and number.ndim else number
        return
    rows = np.ascontiguousarray(np.broadcast_to(number, (lanes,)))
    rows = rows.view(np.uint8).reshape(lanes, -1)
    window[...] = rows
