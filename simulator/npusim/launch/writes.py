"""Which buffers a program may write, read off its operations.

A GM address is an expression over registers; the registers that carry a buffer's
address into it are followed back to the parameters. Only buffers that may be written
are copied before a launch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from npusim.lang.program import Assign, Issue, Program, Reg, Tensor, atoms
from npusim.lang.types import TPosition


def written_parameters(program: Program) -> frozenset[str]:
    """Names of the buffer parameters that some instruction may write."""
    roots = _register_roots(program)
    written: set[str] = set()
    for op in program.code:
        if isinstance(op, Issue) and (target := _gm_target(op)) is not None:
            for register in registers_in(target.address):
                written |= roots.get(register, frozenset())
    return frozenset(written)


def _register_roots(program: Program) -> dict[int, frozenset[str]]:
    """For each register the buffers whose address may have flowed into it."""
    roots = {p.register: frozenset({p.name}) for p in program.params if p.dtype}
    assigns = [op for op in program.code if isinstance(op, Assign)]
    changed = True
    while changed:
        changed = False
        for op in assigns:
            old = roots.get(op.target, frozenset())
            new = old.union(*(roots.get(r, ()) for r in registers_in(op.value)))
            changed |= new != old
            roots[op.target] = new
    return roots


def _gm_target(op: Issue) -> Tensor | None:
    target = op.operands.get("tensor" if op.name == "set_value" else "dst")
    if isinstance(target, Tensor) and target.position is TPosition.GM:
        return target
    return None


def registers_in(operand: Any) -> Iterator[int]:
    """Numbers of the registers that an operand or an expression names."""
    return (atom.index for atom in atoms(operand) if isinstance(atom, Reg))
