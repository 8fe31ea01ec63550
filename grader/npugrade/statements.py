"""The top-level statements of a cell, parted where their lines allow it.

Statements that share a line stay together. An import of several names becomes one
statement for each, so that a name nobody needs is not imported where it may not exist.
Left out: comments, which the lines keep.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

Part = tuple[
    list[str], list[ast.stmt]
]  # lines of the cell, statements that stand there


def parts_by_lines(body: Sequence[ast.stmt], lines: list[str]) -> Iterator[Part]:
    """The parts of a cell in order; `lines` end with the part's last line at least."""
    for group in _by_lines(body):
        yield from _parts(group, lines)


def first_line(node: ast.stmt) -> int:
    """The line where a statement begins, its decorators included."""
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)])


def _by_lines(body: Sequence[ast.stmt]) -> list[list[ast.stmt]]:
    groups: list[list[ast.stmt]] = []
    last = 0
    for node in body:
        if groups and first_line(node) <= last:
            groups[-1].append(node)
        else:
            groups.append([node])
        last = node.end_lineno or node.lineno
    return groups


def _parts(group: list[ast.stmt], lines: list[str]) -> Iterator[Part]:
    node = group[0]
    if not isinstance(node, (ast.Import, ast.ImportFrom)) or len(group) > 1:
        yield lines, group
        return
    for alias in node.names:
        text = ast.unparse(_alone(node, alias))
        above = node.lineno - 1
        yield [*lines[:above], text], ast.parse("\n" * above + text).body


def _alone(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> ast.stmt:
    if isinstance(node, ast.ImportFrom):
        return ast.ImportFrom(node.module, [alias], node.level)
    return ast.Import([alias])
