"""The typed `Program` that a kernel compiles to: linear code over registers.

A kernel becomes a tuple of operations with jumps, as machine code does. Scalars
live in numbered registers; a scalar operand is a small expression tree without side
effects. Tensors are *values*: dtype and position are fixed when the program is
compiled, address and size are scalar expressions. Registers may hold a different
number for every block; whether two blocks still agree is a matter of execution
(`npusim.core`), never of this module.

A device address is one integer: `buffer_id << 40` plus the byte offset, so that an
address computed too far still tells which buffer it left (`split_address`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from npusim.diagnostic import Location
from npusim.lang.types import DType, TPosition

ADDRESS_BITS = 40


def split_address(address: int) -> tuple[int, int]:
    """`(buffer_id, signed byte offset)` of a device address."""
    half_range = 1 << (ADDRESS_BITS - 1)
    buffer_id = (address + half_range) >> ADDRESS_BITS
    return buffer_id, address - (buffer_id << ADDRESS_BITS)


# ---------------------------------------------------------------- scalar expressions
@dataclass(frozen=True)
class Const:
    value: int | float | bool
    type: str  # "int" (64-bit), "float" (fp32) or "bool"


@dataclass(frozen=True)
class Reg:
    """A register. Type "stamp": a time that is known when the launch has been timed."""

    index: int
    type: str


@dataclass(frozen=True)
class Unary:
    """`op`: - ~ not abs int float bool."""

    op: str
    operand: Expr
    type: str
    where: int = -1  # index into Program.locations


@dataclass(frozen=True)
class Binary:
    """`op`: + - * / // % & | ^ << >> min max == != < <= > >= and or."""

    op: str
    left: Expr
    right: Expr
    type: str
    where: int = -1


@dataclass(frozen=True)
class Select:
    """`a if condition else b`; both sides are evaluated, neither has effects."""

    condition: Expr
    then: Expr
    otherwise: Expr
    type: str


@dataclass(frozen=True)
class System:
    """A system value: `block_idx` or `block_num`."""

    name: str
    type: str = "int"


Expr = Const | Reg | Unary | Binary | Select | System


# -------------------------------------------------------------------------- operands
@dataclass(frozen=True)
class Tensor:
    """A tensor operand: `address` in bytes, `size` in elements.

    In GM the address is a device address; in local memory a byte address of its
    memory. `name` is what the source calls it.
    """

    dtype: DType
    position: TPosition
    address: Expr
    size: Expr
    name: str


@dataclass(frozen=True)
class Resource:
    """A TPipe, TQue or TBuf of the program; operations refer to it by `index`."""

    index: int
    kind: str
    name: str
    where: int
    position: TPosition | None = None
    depth: int = 0


@dataclass(frozen=True)
class Record:
    """A parameter object (`DataCopyExtParams`, …): its fields by documented name."""

    type: str
    fields: Mapping[str, Expr]


Operand = Tensor | Expr | Resource | Record | Any  # Any: a compile-time constant


def atoms(operand: Any) -> Iterator[Reg | System]:
    """The registers and system values that an operand is computed from."""
    todo = [operand]
    while todo:
        node = todo.pop()
        if isinstance(node, (Reg, System)):
            yield node
        elif type(node) in _INNER:
            todo += _INNER[type(node)](node)


_INNER: dict[type, Callable[[Any], Iterable[Any]]] = {
    Unary: lambda node: (node.operand,),
    Binary: lambda node: (node.left, node.right),
    Select: lambda node: (node.condition, node.then, node.otherwise),
    Tensor: lambda node: (node.address, node.size),
    Record: lambda node: node.fields.values(),
}


# ------------------------------------------------------------------------ operations
@dataclass(frozen=True)
class Assign:
    target: int
    value: Expr
    where: int


@dataclass(frozen=True)
class Jump:
    to: int
    where: int


@dataclass(frozen=True)
class Branch:
    """Falls through where `condition` holds, else continues at `otherwise`."""

    condition: Expr
    otherwise: int
    where: int


@dataclass(frozen=True)
class Issue:
    """One instruction or queue call: documented name, form, operands by parameter.

    `results` are the registers it writes: one for `get_value`; address (bytes) and
    size (elements) for `alloc_tensor`, `deque` and `get` of a TBuf.
    """

    name: str
    form: str
    operands: Mapping[str, Operand]
    where: int
    results: tuple[int, ...] = ()


@dataclass(frozen=True)
class Print:
    """`asc.printf`: text parts and `(expression, format spec)` pairs in order."""

    parts: tuple[str | tuple[Expr, str], ...]
    where: int


@dataclass(frozen=True)
class Check:
    """`assert condition, message`, or a rule of the language that must hold.

    `rule` names the rule ("range-step": a step that is not 0), "" for an assert.
    """

    condition: Expr
    parts: tuple[str | tuple[Expr, str], ...]
    where: int
    rule: str = ""


@dataclass(frozen=True)
class End:
    where: int


Op = Assign | Jump | Branch | Issue | Print | Check | End


@dataclass(frozen=True)
class Param:
    """A run-time parameter: a buffer (`dtype` set) or an int, float or bool scalar.

    Its value enters the program in register `register`; a buffer's value is the
    device address of its first byte.
    """

    name: str
    type: str  # "buffer", "int", "float", "bool"
    register: int
    dtype: DType | None = None


@dataclass(frozen=True)
class Program:
    """What a kernel compiles to. Immutable; knows nothing of how it is run."""

    name: str
    params: tuple[Param, ...]
    code: tuple[Op, ...]
    registers: int
    resources: tuple[Resource, ...]
    locations: tuple[Location, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)

    def location(self, where: int) -> Location:
        return self.locations[where]
