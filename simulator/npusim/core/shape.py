"""The form of a vector instruction: from its operands' numbers to lanes and layouts.

The count form takes the first `count` elements of contiguous operands. The mask form
takes masked repeats with strides between blocks and between repeats, in 32 B blocks.
Every operand is checked here: strides, alignment, end of the tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from npusim.core.group import Group
from npusim.core.layout import Lanes, Layout, accesses, contiguous, extent
from npusim.core.masks import mask_operands, mask_state, per_repeat
from npusim.core.memory import DATA_BLOCK_NBYTES
from npusim.core.operands import Lowering, Operand, check_local, check_range
from npusim.core.scalar import Value
from npusim.core.stream import Access
from npusim.lang.program import Issue, Record

MAX_BLOCK_STRIDE = 65_535  # 16 bits
MAX_REPEAT_STRIDE = 255  # 8 bits


class Shaped(NamedTuple):
    """What one execution touches: `layouts` and `runs` one an operand, dst first."""

    lanes: Lanes
    layouts: list[Layout]
    runs: list[tuple[Access, ...]]
    masked: bool

    @property
    def banks(self) -> tuple[tuple[int, int, int, int], ...]:
        """For timing: (address, block pitch, repeat pitch, blocks of a repeat)."""
        if not self.masked or not self.lanes.parts:
            return ()
        last = self.lanes.parts[0].runs[-1][1] - 1
        return tuple(
            (x.address, x.block, x.repeat, last * x.itemsize // DATA_BLOCK_NBYTES + 1)
            for x in self.layouts
        )


class Shape(NamedTuple):
    """`values` are the numbers that `read(group, numbers)` understands."""

    values: list[Value]
    read: Callable[[Group, Sequence[int]], Shaped]
    state: Callable[[Group], tuple] | None

    def split(self, numbers: Sequence[int], own: int) -> tuple[Sequence, Sequence]:
        """A plan's numbers: `own` ones that stand before the shape's, and those."""
        head = 0 if self.state is None else len(numbers) - own - len(self.values)
        return numbers[head : head + own], (*numbers[:head], *numbers[head + own :])


def shape_of(
    issue: Issue, lowering: Lowering, tensors: Sequence[Operand], width: int = 0
) -> Shape:
    """The form of `issue` for the operands `tensors`, the destination first.

    `width`: elements of a repeat, if not what fills 256 B of the widest operand.
    """
    if issue.form == "count":
        return _count_form(issue, lowering, tensors)
    width = width or per_repeat(*(t.dtype.itemsize for t in tensors))
    return _mask_form(issue, lowering, tensors, width)


def _count_form(issue: Issue, lowering: Lowering, tensors: Sequence[Operand]) -> Shape:
    values = [f for t in tensors for f in (t.address, t.size)]
    values.append(lowering.integer(issue, "count"))
    widest = max(t.dtype.itemsize for t in tensors)

    def read(group: Group, numbers: Sequence[int]) -> Shaped:
        count = numbers[-1]
        limit = group.machine.chip.ub_nbytes // widest
        check_range(issue.where, issue.name, "count", count, 0, limit)
        layouts = [
            Layout(address, tensor.dtype.itemsize)
            for tensor, address in zip(tensors, numbers[::2], strict=False)
        ]
        return checked(
            group, tensors, layouts, numbers[1::2], contiguous(count), masked=False
        )

    return Shape(values, read, None)


def _mask_form(
    issue: Issue, lowering: Lowering, tensors: Sequence[Operand], width: int
) -> Shape:
    lanes_of = mask_operands(issue, lowering)
    values: list[Value] = []
    for tensor in tensors:
        values += [
            tensor.address,
            tensor.size,
            *strides(issue, lowering, tensor, width),
        ]
    taken = len(values)

    def read(group: Group, numbers: Sequence[int]) -> Shaped:
        state, numbers = tuple(numbers[:2]), numbers[2:]
        lanes = lanes_of.resolve(group, state, width, tuple(numbers[taken:]))
        rows = [numbers[i : i + 4] for i in range(0, taken, 4)]
        layouts = [
            placed(tensor, row[0], row[2], row[3])
            for tensor, row in zip(tensors, rows, strict=True)
        ]
        sizes = [row[1] for row in rows]
        return checked(group, tensors, layouts, sizes, lanes, masked=True)

    return Shape([*values, *lanes_of.values], read, mask_state)


def placed(tensor: Operand, address: int, block: int, repeat: int) -> Layout:
    """A layout from strides in blocks. ASC-RUN-07 where a field cannot hold them."""
    fields = (
        ("blk_stride", block, MAX_BLOCK_STRIDE),
        ("rep_stride", repeat, MAX_REPEAT_STRIDE),
    )
    for field, value, high in fields:
        role = f"{tensor.role}_{field}"
        check_range(tensor.where, tensor.operation, role, value, 0, high)
    unit = DATA_BLOCK_NBYTES
    return Layout(address, tensor.dtype.itemsize, block * unit, repeat * unit)


def checked(
    group: Group,
    tensors: Sequence[Operand],
    layouts: list[Layout],
    sizes: Sequence[int],
    lanes: Lanes,
    masked: bool,
) -> Shaped:
    """The exact bytes of every operand, each inside its tensor."""
    for i, (tensor, layout) in enumerate(zip(tensors, layouts, strict=True)):
        kind = "write" if tensor.role == "dst" and not i else "read"
        check_local(
            group, tensor, layout.address, sizes[i], extent(layout, lanes), kind
        )
    runs = [
        accesses(layout, lanes, tensor.name)
        for tensor, layout in zip(tensors, layouts, strict=True)
    ]
    return Shaped(lanes, layouts, runs, masked)


# --------------------------------------------------------------------------- strides
def strides(
    issue: Issue, lowering: Lowering, tensor: Operand, width: int
) -> tuple[Value, Value]:
    """Block and repeat stride of an operand; by default its repeats lie in a row."""
    dense = max(1, width * tensor.dtype.itemsize // DATA_BLOCK_NBYTES)
    params = issue.operands.get("params")
    fields: dict[str, Any] = dict(params.fields) if isinstance(params, Record) else {}
    fields |= issue.operands
    names = _names(tensor.role)
    block = next((fields[name] for name, _ in names if name in fields), 1)
    repeat = next((fields[name] for _, name in names if name in fields), dense)
    return lowering.scalar(issue, block), lowering.scalar(issue, repeat)


def _names(role: str) -> tuple[tuple[str, str], ...]:
    """What the documented records and parameters call an operand's strides."""
    kind = role.rstrip("01")
    return (
        (f"{role}_blk_stride", f"{role}_rep_stride"),
        (f"{kind}_blk_stride", f"{kind}_rep_stride"),
        (f"{kind}_stride", f"{kind}_repeat_size"),
        (f"{kind}_block_stride", f"{kind}_repeat_stride"),
    )
