"""How an operation leaves its group: a fault, or blocks that no longer agree.

An operation evaluates all its operands before it changes anything. If the blocks of
a group differ where they must agree, or only some of them are at fault, it raises
`Split`; the scheduler parts the group and each part executes the operation afresh. A
`Stop` therefore always concerns every block of its group.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np


class Split(Exception):
    """The blocks part by `values`, one a block."""

    def __init__(self, values: np.ndarray):
        super().__init__("split")
        self.values = values


class Stop(Exception):
    """A fault that ends every block of the group.

    `where` indexes Program.locations; `everything` ends the other groups as well.
    """

    def __init__(
        self, code: str, where: int, facts: dict[str, Any], everything: bool = False
    ):
        super().__init__(code)
        self.code, self.where, self.facts = code, where, facts
        self.everything = everything


def first(value: Any) -> Any:
    """The value of the group's first block."""
    return value[0].item() if type(value) is np.ndarray else value


def stop(code: str, where: int, bad: Any = True, **facts: Any) -> NoReturn:
    """End the group with `code`, or part it where only some blocks are `bad`.

    Facts given as one value a block are told for the first block.
    """
    if type(bad) is np.ndarray and not bad.all():
        raise Split(bad)
    raise Stop(code, where, {name: first(value) for name, value in facts.items()})


def agree(value: Any) -> Any:
    """The one value of all blocks as a Python scalar; Split where they differ."""
    if type(value) is not np.ndarray:
        return value
    head = value[0]
    if (value == head).all():
        return head.item()
    raise Split(value)


def narrow(value: Any, rows: np.ndarray) -> Any:
    """`value` for the blocks `rows`, a Python scalar where their bits are equal."""
    if type(value) is not np.ndarray:
        return value
    part = value[rows]
    bits = part.view(np.int32) if part.dtype == np.float32 else part
    return part[0].item() if (bits == bits[0]).all() else part
