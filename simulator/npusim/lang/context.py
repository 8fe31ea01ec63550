"""The state of one compilation pass: code, variables, and where it stands.

Variables live in `store` (None: this point is never reached). A variable is bound to
a value, as in single-assignment form; one that differs between paths or goes round a
loop must own registers instead. Which ones do is found out by passes: a pass that
meets such a variable notes it in `pending`, and the next pass gives it registers from
its first assignment on (`runtime`). That is the rule "assigned in a loop or under a
run-time condition: run-time from the first assignment on".
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from npusim.diagnostic import Diagnostic, Fault
from npusim.lang.emitter import Emitter, Label, is_trivial
from npusim.lang.program import Assign, Expr, Record, Reg
from npusim.lang.unit import Unit
from npusim.lang.values import Partial, is_number, parts, rebuild, same, shape

MAX_OPERATIONS = 200_000
MAX_WORK = 400_000  # ast nodes visited in all passes

Store = dict[Hashable, Any]


class Restart(Exception):
    """The pass found variables that need registers; compile again."""


@dataclass
class Budget:
    """What all passes of one compilation share: work left, numbers of call paths."""

    left: int = MAX_WORK
    paths: dict[Hashable, int] = field(default_factory=dict)

    def path(self, outer: int, call: Hashable) -> int:
        """The number of the path of calls `outer`, then `call`; the kernel's is 0."""
        return self.paths.setdefault((outer, call), len(self.paths) + 1)


@dataclass
class Loop:
    """The innermost loop: where `break` and `continue` go, and their stores."""

    leave: Label
    again: Label
    left: list[Store] = field(default_factory=list)
    continued: list[Store] = field(default_factory=list)


@dataclass
class Frame:
    """One inlined function: its unit (text, names), its path and its returns."""

    unit: Unit
    path: int
    end: Label
    loops: list[Loop] = field(default_factory=list)
    returned: list[Store] = field(default_factory=list)

    @property
    def result(self) -> Hashable:
        return (self.path, "return")


@dataclass(frozen=True)
class Tables:
    """What to do for each kind of ast node."""

    expressions: Mapping[type, Callable[[Context, Any], Any]]
    statements: Mapping[type, Callable[[Context, Any], None]]


class Context:
    """Everything the functions of the compiler share during one pass."""

    def __init__(self, tables: Tables, runtime: set[Hashable], budget: Budget):
        self.tables = tables
        self.emitter = Emitter()
        self.store: Store | None = {}
        self.frames: list[Frame] = []
        self.runtime = runtime
        self.pending: set[Hashable] = set()
        self.mutable: set[int] = set()
        self.budget = budget
        self.regions = 0  # run-time loops and conditions around this point
        self.hint = ""  # the variable that the call at hand will be bound to
        self.serials: dict[Hashable, int] = {}
        self.places: dict[ast.AST, int] = {}  # locations by node
        self.cells: dict[Hashable, Any] = {}  # registers of run-time variables
        self.inputs: dict[int, str] = {}  # names of parameters by register

    # ------------------------------------------------------------------- the walk
    def evaluate(self, node: ast.expr) -> Any:
        """The value of an expression; emits what must run before it."""
        self.budget.left -= 1
        if self.budget.left < 0 or len(self.emitter.code) > MAX_OPERATIONS:
            self.refuse_growth(node)
        return self.tables.expressions[type(node)](self, node)

    def execute(self, body: Sequence[ast.stmt]) -> None:
        """Compile statements up to the first that never ends."""
        for statement in body:
            if self.store is None:
                return
            self.spend(statement)
            self.tables.statements[type(statement)](self, statement)

    def attempt(self, evaluate: Callable[[], Any]) -> tuple[Any, bool]:
        """Evaluate; code that this emitted is taken back (and False returned)."""
        mark, store, serials = self.emitter.mark(), self.fork(), dict(self.serials)
        with self.region():
            value = evaluate()
        if len(self.emitter.code) == mark:
            return value, True
        self.emitter.rewind(mark)
        self.store, self.serials = store, serials
        return value, False

    # ------------------------------------------------------------------- messages
    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def refuse(self, code: str, node: ast.AST, **facts: Any) -> NoReturn:
        """Stop with a diagnostic at `node`; calls of helpers are related places."""
        where = self.frame.unit.source.location(node)
        calls = tuple(f.unit.called_from for f in self.frames if f.unit.called_from)
        raise Fault(Diagnostic(code, "E", where, facts, None, calls[::-1]))

    def where(self, node: ast.AST) -> int:
        """The index of the node's location in the program."""
        place = self.places.get(node)
        if place is None:
            location = self.frame.unit.source.location(node)
            place = self.places[node] = self.emitter.location(location)
        return place

    def spend(self, node: ast.AST) -> None:
        """Count one visited node; refuse a program that grows without bound.

        `evaluate` does the same without a call: it is what compiling does most.
        """
        self.budget.left -= 1
        if self.budget.left < 0 or len(self.emitter.code) > MAX_OPERATIONS:
            self.refuse_growth(node)

    def refuse_growth(self, node: ast.AST) -> NoReturn:
        self.refuse("ASC-JIT-48", node, limit=f"{MAX_OPERATIONS:,}")

    def serial(self, node: ast.AST) -> Hashable:
        """A key for an object made at `node`, the same in every pass."""
        place = (self.frame.path, getattr(node, "lineno", 0), node.__class__.__name__)
        place += (getattr(node, "col_offset", 0),)  # type: ignore[assignment]
        number = self.serials[place] = self.serials.get(place, -1) + 1
        return (*place, number)

    # ------------------------------------------------------------------ registers
    def stable(self, value: Any, node: ast.AST) -> Any:
        """`value` such that later assignments to variables do not change it."""
        if isinstance(value, (tuple, list)):
            self.budget.left -= len(value)
            return type(value)(self.stable(v, node) for v in value)
        if isinstance(value, Record):
            fields = {k: self.stable(v, node) for k, v in value.fields.items()}
            return replace(value, fields=fields)
        if shape(value) is None or is_number(value):
            return value
        fixed = tuple(self._fixed(p, node) for p in parts(value))
        return value if fixed == parts(value) else rebuild(value, fixed)

    def _fixed(self, value: Expr, node: ast.AST) -> Expr:
        if is_trivial(value, self.mutable):
            return value
        return self.emitter.materialise(value, self.where(node))

    def cell(self, key: Hashable, value: Any) -> Any:
        """The registers of the variable `key`, shaped like `value`."""
        if key not in self.cells:
            new = tuple(Reg(self.emitter.register(), p.type) for p in parts(value))
            self.mutable |= {r.index for r in new}
            self.cells[key] = rebuild(value, new)
        return self.cells[key]

    def write(self, cell: Any, value: Any, node: ast.AST) -> None:
        """Assign the registers of `cell`."""
        for register, part in zip(parts(cell), parts(value), strict=True):
            assert isinstance(register, Reg)
            if part != register:
                op = Assign(register.index, part, self.where(node))
                self.emitter.emit(op)

    # ---------------------------------------------------------------------- paths
    def fork(self) -> Store:
        """A copy of the store for another path."""
        return dict(self.store or {})

    @contextmanager
    def region(self) -> Iterator[None]:
        """Code inside runs under a run-time condition or in a run-time loop."""
        self.regions += 1
        try:
            yield
        finally:
            self.regions -= 1

    def merge(self, stores: list[Store | None], node: ast.AST) -> Store | None:
        """The store where paths meet. Notes variables that need registers."""
        live = [s for s in stores if s is not None]
        if len(live) < 2:
            return live[0] if live else None
        keys = dict.fromkeys(key for store in live for key in store)
        line = getattr(node, "lineno", 0)
        return {key: self._meet(key, live, line, node) for key in keys}

    def _meet(self, key: Hashable, live: list[Store], line: int, node: ast.AST) -> Any:
        values = [s.get(key, Partial(line)) for s in live]
        partial = next((v for v in values if isinstance(v, Partial)), None)
        if partial is not None:
            return partial
        first = values[0]
        if all(same(first, v) for v in values[1:]):
            return first
        if self._can_share(values) and key not in self.runtime:
            self.pending.add(key)
            return first
        return Partial(line, _mixed_code(key))

    @staticmethod
    def _can_share(values: list[Any]) -> bool:
        shapes = {shape(v) for v in values}
        return len(shapes) == 1 and None not in shapes

    def check_back_edge(self, entry: Store, node: ast.AST) -> None:
        """At the end of a loop body, variables from before it must be unchanged."""
        if self.store is None:
            return
        for key, before in entry.items():
            after = self.store[key]
            if isinstance(before, Partial) or same(before, after):
                continue
            if self._can_share([before, after]) and key not in self.runtime:
                self.pending.add(key)
            else:
                self.pending.add(("mixed", getattr(node, "lineno", 0), key))

    def forget_mixed(self, node: ast.AST) -> None:
        """Before a loop: objects that its body replaces have no value on entry."""
        line = getattr(node, "lineno", 0)
        for key in self.store or ():
            if ("mixed", line, key) in self.runtime:
                self.store[key] = Partial(line, _mixed_code(key))  # type: ignore[index]

    def settle(self) -> None:
        """At the end of a pass (or an error in it): another pass if one is needed."""
        if self.pending:
            self.runtime |= self.pending
            raise Restart


def _mixed_code(key: Hashable) -> str:
    is_return = isinstance(key, tuple) and key[-1] == "return"
    return "ASC-JIT-53" if is_return else "ASC-JIT-62"
