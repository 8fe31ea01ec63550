"""Masks: which elements of each repeat take part, and the state that says so.

In norm mode a mask holds for every repeat: so many elements from the first on, or a
bit for each. In count mode it is the number of elements of the whole instruction, and
repeat_times has no effect. An instruction brings its own mask unless `is_set_mask` is
False; then it takes the one that `set_vector_mask` left.

Rules: public Ascend C documentation (mask, SetMaskCount, SetVectorMask). Left out: an
instruction that brings a mask does not change the state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from npusim.core import layout
from npusim.core.group import Group
from npusim.core.layout import Lanes
from npusim.core.memory import REPEAT_NBYTES
from npusim.core.operands import Lowering, check_range
from npusim.core.pipe import ALL_LANES, Masking
from npusim.core.plan import Operation, issue_cost
from npusim.core.scalar import Value
from npusim.core.signals import agree, stop
from npusim.core.stream import Cost, Step
from npusim.lang.program import Issue, Record

MAX_REPEATS = 255  # 8 bits
WORD = (1 << 64) - 1


# ---------------------------------------------------------------- masks of operands
class MaskOperands(NamedTuple):
    """Where the lanes of an instruction come from: `values` yields the numbers that
    `resolve` turns into `Lanes`."""

    values: list[Value]
    resolve: Callable[[Group, tuple, int, tuple[int, ...]], Lanes]


def mask_operands(issue: Issue, lowering: Lowering) -> MaskOperands:
    """The mask form's `mask`, `repeat_times` and `is_set_mask`."""
    repeats = lowering.integer(issue, "repeat_times")
    own = bool(issue.operands.get("is_set_mask", True))
    mask: Any = issue.operands["mask"]
    words = isinstance(mask, Record)
    if words:
        values = [lowering.scalar(issue, mask.fields[w]) for w in ("low", "high")]
    else:
        values = [lowering.integer(issue, "mask")]

    def resolve(
        group: Group, state: tuple, per_repeat: int, numbers: tuple[int, ...]
    ) -> Lanes:
        times, *given = numbers
        asked = _Asked(issue, group, per_repeat, times)
        if state[0]:
            count = given[0] if own else state[1] & WORD
            return _counted(asked, count, words and own)
        check_repeats(issue, times)
        if not own:
            return _of_bits(asked, state[1])
        if words:
            return _of_bits(asked, given[0] & WORD | (given[1] & WORD) << 64)
        return _of_number(asked, given[0])

    return MaskOperands([repeats, *values], resolve)


class _Asked(NamedTuple):
    issue: Issue
    group: Group
    per_repeat: int
    repeats: int


def check_repeats(issue: Issue, times: int) -> None:
    """ASC-REP-29 for a repeat_times that 8 bits cannot hold."""
    check_range(issue.where, issue.name, "repeat_times", times, 0, 2**31 - 1)
    if times > MAX_REPEATS:
        facts = {"repeat": times, "would_run": times & MAX_REPEATS}
        stop(
            "ASC-REP-29", issue.where, operation=issue.name, required=MAX_REPEATS,
            **facts,
        )  # fmt: skip


def _counted(asked: _Asked, count: int, words: bool) -> Lanes:
    issue = asked.issue
    if words:
        facts = {"operand": "mask", "value": "[low, high]", "required": "int"}
        stop("ASC-RUN-07", issue.where, operation=issue.name, **facts)
    limit = asked.group.machine.chip.ub_nbytes
    check_range(issue.where, issue.name, "mask", count, 0, limit)
    return layout.total(count, asked.per_repeat)


def _of_number(asked: _Asked, mask: int) -> Lanes:
    issue = asked.issue
    check_range(issue.where, issue.name, "mask", mask, 0, 2**31 - 1)
    if mask > asked.per_repeat:
        _warn(asked, mask)
    return layout.first_of_each(min(mask, asked.per_repeat), asked.repeats)


def _of_bits(asked: _Asked, bits: int) -> Lanes:
    if bits >> asked.per_repeat and bits != ALL_LANES:
        _warn(asked, bits.bit_length())
    return layout.by_bits(bits, asked.per_repeat, asked.repeats)


def _warn(asked: _Asked, mask: int) -> None:
    issue, group = asked.issue, asked.group
    dst: Any = issue.operands["dst"]
    facts = {"mask": mask, "dtype": dst.dtype.name, "required": asked.per_repeat}
    facts |= {"operation": issue.name, "buffer": dst.name}
    core = group.first_block
    group.machine.report("ASC-MASK-30", "W", issue.where, core, **facts)


def per_repeat(*itemsizes: int) -> int:
    """Elements of a repeat: its widest operand fills 256 B."""
    return REPEAT_NBYTES // max(itemsizes)


def mask_state(group: Group) -> tuple[bool, int]:
    """What a plan must know of the state: (count mode, bits or count)."""
    return group.masking.counts, group.masking.bits


# ------------------------------------------------------------------------- the state
Change = Callable[[Masking, int, list[int]], Masking]


def _length(masking: Masking, where: int, numbers: list[int]) -> Masking:
    (length,) = numbers
    if masking.counts:
        return masking._replace(bits=length)
    return masking._replace(bits=(1 << length) - 1)


def _words(masking: Masking, where: int, numbers: list[int]) -> Masking:
    high, low = numbers
    return masking._replace(bits=(high & WORD) << 64 | low & WORD)


def _mode(counts: bool) -> Change:
    return lambda masking, where, numbers: Masking(counts, masking.bits, where)


_CHANGES: dict[tuple[str, str], tuple[Change, tuple[str, ...]]] = {
    ("set_mask_count", ""): (_mode(True), ()),
    ("set_mask_norm", ""): (_mode(False), ()),
    ("reset_mask", ""): (lambda m, where, numbers: m._replace(bits=ALL_LANES), ()),
    ("set_vector_mask", "length"): (_length, ("length",)),
    ("set_vector_mask", "words"): (_words, ("mask_high", "mask_low")),
}


@dataclass(frozen=True)
class MaskState:
    """One row of the table: an instruction that changes the mask state."""

    name: str

    def lower(self, issue: Issue, pc: int, lowering: Lowering) -> Operation:
        change, roles = _CHANGES[issue.name, issue.form]
        values = [lowering.integer(issue, role) for role in roles]
        cost, where = issue_cost(issue), issue.where
        priced = Cost("mask", issue.name)

        def operation(group: Group) -> int:
            numbers = [agree(value(group.regs)) for value in values]
            _check_length(group, issue, numbers)
            group.masking = change(group.masking, where, numbers)
            steps = group.scalar + cost
            group.record(Step(pc, where, issue.name, "S", (), (), priced, None, steps))
            return pc + 1

        return operation


def _check_length(group: Group, issue: Issue, numbers: list[int]) -> None:
    if issue.form == "length":
        counts = group.masking.counts
        limit = group.machine.chip.ub_nbytes if counts else REPEAT_NBYTES // 2
        check_range(issue.where, issue.name, "length", numbers[0], 0, limit)
