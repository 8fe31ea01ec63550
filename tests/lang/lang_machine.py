"""A tiny reference machine for one block: scalar operations and GM element access.

It runs programs without vector instructions, with plain Python numbers, so that the
compiler can be compared with Python itself.
"""

import operator

import numpy as np

from npusim.lang import program as ir

OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "&": operator.and_,
    "|": operator.or_, "^": operator.xor, "<<": operator.lshift,
    ">>": operator.rshift, "min": min, "max": max, "==": operator.eq,
    "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge, "and": lambda a, b: a and b, "or": lambda a, b: a or b,
}  # fmt: skip
UNARY = {
    "-": operator.neg,
    "~": operator.invert,
    "not": operator.not_,
    "abs": abs,
    "int": int,
    "float": float,
    "bool": bool,
}


class Machine:
    """`run()` executes to the end; `memory[buffer_id][element]` holds the buffers."""

    def __init__(self, program, values, block=0, blocks=1):
        self.program, self.registers = program, [None] * program.registers
        self.system = {"block_idx": block, "block_num": blocks}
        self.memory, self.printed = {}, []
        for number, parameter in enumerate(program.params, 1):
            value = values[parameter.name]
            if parameter.type == "buffer":
                self.memory[number] = value
                value = number << ir.ADDRESS_BITS
            self.registers[parameter.register] = value

    def value(self, expression):
        kind = type(expression)
        if kind is ir.Const:
            return expression.value
        if kind is ir.Reg:
            return self.registers[expression.index]
        if kind is ir.System:
            return self.system[expression.name]
        if kind is ir.Unary:
            result = UNARY[expression.op](self.value(expression.operand))
        elif kind is ir.Select:
            sides = self.value(expression.then), self.value(expression.otherwise)
            return sides[0] if self.value(expression.condition) else sides[1]
        else:
            pair = self.value(expression.left), self.value(expression.right)
            result = OPERATORS[expression.op](*pair)
        return float(np.float32(result)) if expression.type == "float" else result

    def run(self, budget=100_000):
        pc = 0
        for _ in range(budget):
            op = self.program.code[pc]
            if isinstance(op, ir.End):
                return self
            pc = self.step(op, pc)
        raise AssertionError("budget")

    def step(self, op, pc):
        if isinstance(op, ir.Jump):
            return op.to
        if isinstance(op, ir.Branch):
            return pc + 1 if self.value(op.condition) else op.otherwise
        if isinstance(op, ir.Assign):
            self.registers[op.target] = self.value(op.value)
        elif isinstance(op, ir.Issue):
            self.issue(op)
        elif isinstance(op, ir.Print):
            parts = (p if isinstance(p, str) else format(self.value(p[0]), p[1])
                     for p in op.parts)  # fmt: skip
            self.printed.append("".join(parts))
        elif isinstance(op, ir.Check):
            assert self.value(op.condition), op
        return pc + 1

    def issue(self, op):
        tensor = op.operands["tensor"]
        buffer, nbytes = ir.split_address(self.value(tensor.address))
        index = nbytes // tensor.dtype.itemsize + self.value(op.operands["index"])
        if op.name == "get_value":
            self.registers[op.results[0]] = self.memory[buffer][index].item()
        else:
            self.memory[buffer][index] = self.value(op.operands["value"])
