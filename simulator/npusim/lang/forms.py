"""Parameters, forms and signatures: what the tables of the language are made of.

A form is one way to call an instruction; a form marked `later` is documented but not
part of this version. The kind of a parameter says what it takes
(`npusim.lang.operands.KINDS`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True)
class Parameter:
    """`kind` names a row of KINDS; `default` is used where `required` is false."""

    name: str
    kind: str
    required: bool = True
    default: object = None


@dataclass(frozen=True)
class Form:
    name: str
    parameters: tuple[Parameter, ...]
    later: bool = False

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.parameters)

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        return {p.name: p.kind for p in self.parameters}

    @cached_property
    def required(self) -> frozenset[str]:
        return frozenset(p.name for p in self.parameters if p.required)

    def usage(self, name: str) -> str:
        """`name(dst, src, count)`; optional parameters in brackets."""
        shown = [p.name if p.required else f"{p.name}=…" for p in self.parameters]
        return f"{name}({', '.join(shown)})"


@dataclass(frozen=True)
class Signature:
    """`dtypes` of the tensors (empty: all); `vector`: tensors must lie in UB.

    `roles` are tensors with dtypes of their own; `pairs` (dst, source) are allowed to
    differ; a value operand takes the dtype of the tensor `scalar_of`.
    """

    name: str
    forms: tuple[Form, ...]
    dtypes: tuple[str, ...] = ()
    vector: bool = False
    summary: str = ""
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pairs: frozenset[tuple[str, str]] = frozenset()
    scalar_of: str = "dst"

    @property
    def usage(self) -> str:
        return self.forms[0].usage(self.name)


def parameters(text: str) -> tuple[Parameter, ...]:
    """Read `name:kind` words; `name:kind?` is optional, `name:kind?8` has a default."""
    return tuple(_parameter(*word.split(":")) for word in text.split())


def _parameter(name: str, kind: str) -> Parameter:
    kind, mark, default = kind.partition("?")
    return Parameter(name, kind, not mark, int(default) if default else None)


def plain(name: str, text: str, summary: str) -> Signature:
    """A signature with one nameless form."""
    return Signature(name, (Form("", parameters(text)),), summary=summary)
