"""What costs nothing: dump_tensor, and the hint for L2; and the stamp of a cycle.

dump_tensor shows the values that the tensor has in program order; it is no access, so
it neither waits nor counts as a hazard. `set_l2_cache_hint` is recorded with the
execution and changes no byte.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from npusim.core.group import Group
from npusim.core.operands import (
    Lowering,
    Operand,
    check_end,
    check_range,
    resolve_global,
)
from npusim.core.plan import Operation
from npusim.core.scalar import Value
from npusim.core.signals import agree
from npusim.core.stamps import take_stamp
from npusim.core.stream import Cost, Step
from npusim.core.text import add_lines
from npusim.lang.program import Issue, split_address

SHOWN = 64  # elements of a dump that are written out


@dataclass(frozen=True)
class DumpTensor:
    """dump_tensor(tensor, tag, count): one line from each block."""

    name: str = "dump_tensor"

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        tensor, count = (
            lowering.tensor(issue, "tensor"),
            lowering.integer(issue, "count"),
        )
        tag = lowering.scalar(issue, issue.operands["tag"])
        find = _in_global if tensor.memory == "GM" else _in_local

        def operation(group: Group) -> int:
            number, label = agree(count(group.regs)), tag(group.regs)
            check_range(issue.where, self.name, "count", number, 0, 2**31 - 1)
            rows = find(group, tensor, number)
            add_lines(group, _render(tensor, label, rows))
            group.machine.executed += group.lanes
            return pc + 1

        return operation


def _in_local(group: Group, tensor: Operand, count: int) -> np.ndarray:
    address, size = agree(tensor.address(group.regs)), agree(tensor.size(group.regs))
    nbytes = count * tensor.dtype.itemsize
    check_end(group, tensor, address, size, nbytes, "read")
    return group.local[:, address : address + nbytes]


def _in_global(group: Group, tensor: Operand, count: int) -> Any:
    nbytes = count * tensor.dtype.itemsize
    if not nbytes:
        return np.zeros((group.lanes, 0), np.uint8)
    address, size = tensor.address(group.regs), tensor.size(group.regs)
    place = resolve_global(group, tensor, address, size, nbytes, "read")
    if group.machine.deferred:
        shape = (1, nbytes)
        group.machine.deferred.before(group, tensor, place, shape, nbytes, True)
    return [place.data[start : start + nbytes] for start in place.each(group.lanes)]


def _render(
    tensor: Operand, tag: Any, rows: Any
) -> Callable[[Group, int], tuple[str, ...]]:
    dtype = tensor.dtype

    def render(group: Group, row: int) -> tuple[str, ...]:
        label = tag[row].item() if type(tag) is np.ndarray else tag
        values = np.ascontiguousarray(rows[row]).view(dtype.numpy)
        shown = [
            f"{v:g}" if dtype.is_float else str(v) for v in values[:SHOWN].tolist()
        ]
        more = [f"… +{len(values) - SHOWN}"] if len(values) > SHOWN else []
        head = f"dump {label}: {tensor.name} {dtype.name}[{len(values)}]"
        return (" ".join([head, *shown, *more]),)

    return render


@dataclass(frozen=True)
class CacheHint:
    """set_l2_cache_hint: noted by buffer; the last one counts."""

    name: str = "set_l2_cache_hint"

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        tensor: Value = lowering.tensor(issue, "tensor").address
        mode: Any = issue.operands["mode"]
        cost, where, name = Cost("flag", self.name), issue.where, self.name

        def operation(group: Group) -> int:
            address = tensor(group.regs)
            first = int(address[0]) if type(address) is np.ndarray else address
            group.machine.cache_hints[split_address(first)[0]] = mode.name
            steps = group.scalar
            group.record(Step(pc, where, name, "S", (), (), cost, None, steps))
            return pc + 1

        return operation


@dataclass(frozen=True)
class SystemCycle:
    """get_system_cycle: the register holds a Stamp."""

    name: str = "get_system_cycle"

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        target, cost = issue.results[0], Cost("flag", self.name)
        where, name = issue.where, self.name

        def operation(group: Group) -> int:
            group.regs[target] = take_stamp(group)
            steps = group.scalar
            group.record(Step(pc, where, name, "S", (), (), cost, None, steps))
            return pc + 1

        return operation
