"""The public names of the language, as the façade `asc` exposes them.

A name is a marker: inside a kernel the compiler knows it, on the host calling it is an
error that says so. dtypes and enums are real values on both sides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from npusim.diagnostic import Diagnostic, KernelError, language
from npusim.lang import types
from npusim.lang.costs import cost_text
from npusim.lang.help import instruction_help, summary
from npusim.lang.signatures import CONSTRUCTORS, RECORDS, SIGNATURES, Signature
from npusim.lang.tiling import tiling


class Marker:
    """A name of the language. `kind`: what the compiler does with it."""

    kind = "name"

    def __init__(self, name: str, words: Callable[[str], str]):
        self.name = name
        self.__name__ = name
        self._words = words

    def __init_subclass__(cls) -> None:
        # help() reads an object's docstring: it is to follow the language in force
        cls.__doc__ = property(Marker.help)  # type: ignore[assignment]

    def help(self) -> str:
        """The help text, in the language in force ("both": one after the other)."""
        return "\n\n".join(self._words(one) for one in language.shown())

    def __call__(self, *arguments: Any, **keywords: Any) -> NoReturn:
        raise KernelError(
            (Diagnostic("ASC-JIT-03", "E", None, {"name": f"asc.{self.name}"}),)
        )

    def __repr__(self) -> str:
        return f"<asc.{self.name}: {self.kind} of the kernel language>"


class InstructionName(Marker):
    """An instruction or system value, called as a function."""

    kind = "instruction"


class ResourceName(Marker):
    """An object type: GlobalTensor, LocalTensor, TPipe, LocalMemAllocator, …"""

    kind = "object"


class RecordName(Marker):
    """A parameter object such as DataCopyParams."""

    kind = "record"


class FormName(Marker):
    """A name with a meaning of its own to the compiler: printf, static_range."""

    kind = "function"


class AnnotationName(Marker):
    """The type of a kernel parameter."""

    kind = "annotation"


class LaterName(Marker):
    """A documented name that this version does not offer yet."""

    kind = "name for later"


@dataclass(frozen=True)
class BufferArgument:
    """Run-time argument type: a device buffer of elements `dtype`."""

    dtype: types.DType


@dataclass(frozen=True)
class Constexpr:
    """Compile-time argument with its value: number, string, dtype, enum or tuple."""

    value: Any


def _help(signature: Signature) -> Callable[[str], str]:
    return lambda language: instruction_help(signature, language, cost_text)


def _words(name: str, english: str) -> Callable[[str], str]:
    return lambda language: summary(name, english, language)


_LATER = """
trans_data_to_5hd sort32 mrg_sort load_data mmad fixpipe Nd2NzParams MmadParams
FixpipeParams adv export_ascendc
"""

_FORMS = {
    "printf": 'asc.printf(f"…{value:spec}…")\n\nOne line from each block that '
    "executes it; at most 1,000 lines a launch.",
    "static_range": "asc.static_range(stop), (start, stop) or (start, stop, step)\n\n"
    "A loop unrolled at compile time; its variable is a constant.",
}
_ANNOTATIONS = {
    "GlobalAddress": "Kernel parameter: a device buffer. x + n is n elements further.",
    "constexpr": "Kernel parameter that is fixed when the kernel is compiled.",
}


def _exports() -> dict[str, object]:
    found: dict[str, object] = {
        n: LaterName(n, _words(n, f"asc.{n}: later")) for n in _LATER.split()
    }
    tables: tuple[tuple[type[Marker], dict[str, Signature]], ...] = (
        (InstructionName, SIGNATURES),
        (ResourceName, CONSTRUCTORS),
        (RecordName, RECORDS),
    )
    for marker, table in tables:
        found |= {name: marker(name, _help(s)) for name, s in table.items()}
    found |= {n: FormName(n, _words(n, doc)) for n, doc in _FORMS.items()}
    found |= {n: AnnotationName(n, _words(n, doc)) for n, doc in _ANNOTATIONS.items()}
    found |= types.DTYPES
    found |= {kind.__name__: kind for kind in types.ENUMS}
    found["tiling"] = tiling
    return found


EXPORTS: dict[str, object] = _exports()
