"""Programs built by hand, for tests of execution that need no compiler.

b = Builder()
x = b.buffer("x", float32)
i = b.assign(Const(0, "int"))
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from npusim.core import Buffer, execute
from npusim.diagnostic import Location
from npusim.lang.program import (
    Assign,
    Binary,
    Branch,
    Check,
    Const,
    End,
    Issue,
    Jump,
    Param,
    Print,
    Program,
    Reg,
    Resource,
    System,
    Tensor,
)
from npusim.lang.types import DType, TPosition, dtype_of

CHIP = SimpleNamespace(ub_nbytes=196_608, name="test", vector_cores=48)
BLOCK = System("block_idx")


def expr(value: Any) -> Any:
    """A Python number as a Const; expressions stay."""
    if isinstance(value, bool):
        return Const(value, "bool")
    if isinstance(value, int):
        return Const(value, "int")
    return Const(value, "float") if isinstance(value, float) else value


def op(sign: str, left: Any, right: Any, kind: str = "int") -> Binary:
    return Binary(sign, expr(left), expr(right), kind)


class Builder:
    """Collects ops; every op stands on a line of its own."""

    def __init__(self) -> None:
        self.code: list = []
        self.params: list[Param] = []
        self.resources: list[Resource] = []
        self.registers = 0

    def register(self, kind: str = "int") -> Reg:
        self.registers += 1
        return Reg(self.registers - 1, kind)

    def param(self, name: str, kind: str = "int", dtype: DType | None = None) -> Reg:
        register = self.register("int" if kind == "buffer" else kind)
        self.params.append(Param(name, kind, register.index, dtype))
        return register

    def emit(self, make: Any, *args: Any, **more: Any) -> int:
        self.code.append(make(*args, where=len(self.code), **more))
        return len(self.code) - 1

    def assign(self, value: Any, target: Reg | None = None) -> Reg:
        value = expr(value)
        target = target or self.register(value.type)
        self.emit(Assign, target.index, value)
        return target

    def issue(self, name: str, results: tuple[Reg, ...] = (), **operands: Any) -> int:
        operands = {k: _operand(v) for k, v in operands.items()}
        form = "params" if "params" in operands else "count"
        indices = tuple(r.index for r in results)
        return self.emit(Issue, name, form, operands, results=indices)

    def jump(self, to: int) -> int:
        return self.emit(Jump, to)

    def branch(self, condition: Any, otherwise: int = -1) -> int:
        return self.emit(Branch, condition, otherwise)

    def land(self, pc: int) -> None:
        """The jump or branch at `pc` goes to what is emitted next."""
        old, here = self.code[pc], len(self.code)
        if isinstance(old, Jump):
            self.code[pc] = Jump(here, old.where)
        else:
            self.code[pc] = Branch(old.condition, here, old.where)

    def loop(self, start: Any, stop: Any) -> Loop:
        return Loop(self, start, stop)

    def check(self, condition: Any, *parts: Any) -> int:
        return self.emit(Check, condition, parts)

    def print(self, *parts: Any) -> int:
        return self.emit(Print, parts)

    def resource(self, kind: str, name: str, position: Any = None, depth: int = 0):
        index = len(self.resources)
        resource = Resource(index, kind, name, 0, position, depth)
        self.resources.append(resource)
        return resource

    def tensor(self, dtype: DType, address: Any, size: Any, name: str, position=None):
        position = position or TPosition.VECCALC
        return Tensor(dtype, position, expr(address), expr(size), name)

    def alloc(
        self, queue: Resource, dtype: DType, call: str = "alloc_tensor"
    ) -> Tensor:
        address, size = self.register(), self.register()
        self.issue(call, (address, size), queue=queue, dtype=dtype)
        return Tensor(dtype, queue.position, address, size, queue.name)

    def program(self) -> Program:
        self.emit(End)
        places = tuple(
            Location("test", i + 1, 0, 1, "x") for i in range(len(self.code))
        )
        return Program(
            "k",
            tuple(self.params),
            tuple(self.code),
            self.registers,
            tuple(self.resources),
            places,
        )


class Loop:
    """`for i in range(start, stop)` as a context manager that gives the register."""

    def __init__(self, builder: Builder, start: Any, stop: Any):
        self.builder, self.start, self.stop = builder, start, stop

    def __enter__(self) -> Reg:
        self.index = self.builder.assign(self.start)
        test = op("<", self.index, self.stop, "bool")
        self.head = self.builder.branch(test)
        return self.index

    def __exit__(self, *problem: Any) -> None:
        self.builder.assign(op("+", self.index, 1), self.index)
        self.builder.jump(self.head)
        self.builder.land(self.head)


def _operand(value: Any) -> Any:
    return expr(value) if isinstance(value, (bool, int, float)) else value


def gm(dtype: DType, base: Reg, element: Any, size: Any, name: str) -> Tensor:
    """A GM tensor that starts `element` elements into a buffer."""
    address = op("+", base, op("*", element, dtype.itemsize))
    return Tensor(dtype, TPosition.GM, address, expr(size), name)


def buffers(**arrays: np.ndarray) -> dict[str, Buffer]:
    """Buffers with ids from 1 on, over copies of the arrays."""
    return {
        name: Buffer(i, name, dtype_of(a.dtype), a.copy().reshape(-1))
        for i, (name, a) in enumerate(arrays.items(), 1)
    }


def run(program: Program, values: dict, blocks: int = 1, **more: Any):
    return execute(program, values, blocks, CHIP, **more)
