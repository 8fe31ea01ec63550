"""The nodes of a parsed text, laid out once: walking a subtree is then a slice.

Nodes stand in the order of the source, a parent before its children. Load and Store
marks are not among them (they say nothing that their owner does not), but are counted,
as a text may not be too large.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache

_NO_NODES = frozenset({"ctx", "id", "attr", "kind", "type_comment", "conversion"})
_CLOSED = (ast.FunctionDef, ast.ClassDef, ast.Lambda)


class TooDeep(Exception):
    """Nodes lie in one another deeper than allowed."""


@cache
def _anatomy(kind: type[ast.AST]) -> tuple[tuple[str, ...], bool]:
    """The fields of a kind of node that can hold nodes; whether it has a mark."""
    fields = () if kind is ast.Constant else kind._fields
    return tuple(name for name in fields if name not in _NO_NODES), "ctx" in fields


class Tree:
    """All nodes of `root`. TooDeep where one lies deeper than `max_depth`.

    `nodes[i]` is a child of `parents[i]`; what lies in it ends before `ends[i]`.
    `loads` and `stores` are the names that are read, and bound or deleted, with the
    indices of their nodes. `count` counts nodes and marks.
    """

    def __init__(self, root: ast.AST, max_depth: int):
        self.nodes: list[ast.AST] = []
        self.parents: list[ast.AST] = []
        self.ends: list[int] = []
        self.loads: list[tuple[int, str]] = []
        self.stores: list[tuple[int, str]] = []
        self.count = 0
        self._places: dict[ast.AST, int] = {}
        self._lay(root, root, max_depth)

    def _lay(self, node: ast.AST, parent: ast.AST, left: int) -> None:
        fields, has_mark = _anatomy(type(node))  # type: ignore[arg-type]
        if left < has_mark:
            raise TooDeep
        index = self._places[node] = len(self.nodes)
        self.count += 1 + has_mark
        self.nodes.append(node)
        self.parents.append(parent)
        self.ends.append(0)
        if type(node) is ast.Name:
            is_read = type(node.ctx) is ast.Load
            (self.loads if is_read else self.stores).append((index, node.id))
        for name in fields:
            value = getattr(node, name, None)
            for child in value if type(value) is list else (value,):
                if isinstance(child, ast.AST):
                    self._lay(child, node, left - 1)
        self.ends[index] = len(self.nodes)

    def span(self, body: Sequence[ast.AST]) -> tuple[int, int]:
        """The indices that siblings and all that lies in them take."""
        if not body:
            return 0, 0
        return self._places[body[0]], self.ends[self._places[body[-1]]]

    def read_in(self, node: ast.AST) -> set[str]:
        """Names that are read in it."""
        return {name for _, name in _within(self.loads, self.span([node]))}

    def bound_in(self, body: Sequence[ast.AST]) -> frozenset[str]:
        """Names that siblings bind or delete anywhere in them."""
        return frozenset(name for _, name in _within(self.stores, self.span(body)))

    def is_read_in_its_loops_only(self, function: ast.FunctionDef, name: str) -> bool:
        """Whether each read of `name` lies in the body of a loop over it."""
        span = self.span([function])
        loops = [
            self.span(node.body)
            for node in self.nodes[slice(*span)]
            if isinstance(node, ast.For)
            and isinstance(node.target, ast.Name)
            and node.target.id == name
        ]
        reads = (index for index, read in _within(self.loads, span) if read == name)
        return all(any(a <= index < b for a, b in loops) for index in reads)

    def inside(self, function: ast.FunctionDef) -> Iterator[tuple[ast.AST, ast.AST]]:
        """Nodes of the body after their parents; not into functions and classes."""
        index, stop = self.span(function.body)
        while index < stop:
            node = self.nodes[index]
            yield self.parents[index], node
            index = self.ends[index] if isinstance(node, _CLOSED) else index + 1


def _within(
    names: list[tuple[int, str]], span: tuple[int, int]
) -> list[tuple[int, str]]:
    first, last = (bisect_left(names, (index,)) for index in span)
    return names[first:last]
