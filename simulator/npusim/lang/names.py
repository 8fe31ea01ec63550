"""The public names of the language, as the façade `asc` exposes them.

A name is a marker: inside a kernel the compiler knows it, on the host calling it is an
error that says so. dtypes and enums are real values on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from npusim.diagnostic import Diagnostic, KernelError
from npusim.lang import types
from npusim.lang.costs import cost_text
from npusim.lang.signatures import CONSTRUCTORS, RECORDS, SIGNATURES, Signature
from npusim.lang.tiling import tiling


class Marker:
    """A name of the language. `kind`: what the compiler does with it."""

    kind = "name"

    def __init__(self, name: str, doc: str = ""):
        self.name = name
        self.__name__ = name
        self.__doc__ = doc

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


def _doc(signature: Signature) -> str:
    lines = [f"asc.{f.usage(signature.name)}" for f in signature.forms if not f.later]
    if signature.summary:
        lines += ["", signature.summary]
    if signature.dtypes:
        lines += ["", f"dtypes: {', '.join(signature.dtypes)}"]
    if signature.vector:
        lines.append("Runs on pipe V; tensors lie in UB; count is in elements.")
        lines.append(cost_text(signature))
    return "\n".join(lines)


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
        n: LaterName(n, f"asc.{n}: later") for n in _LATER.split()
    }
    tables: tuple[tuple[type[Marker], dict[str, Signature]], ...] = (
        (InstructionName, SIGNATURES),
        (ResourceName, CONSTRUCTORS),
        (RecordName, RECORDS),
    )
    for marker, table in tables:
        found |= {name: marker(name, _doc(s)) for name, s in table.items()}
    found |= {n: FormName(n, doc) for n, doc in _FORMS.items()}
    found |= {n: AnnotationName(n, doc) for n, doc in _ANNOTATIONS.items()}
    found |= types.DTYPES
    found |= {kind.__name__: kind for kind in types.ENUMS}
    found["tiling"] = tiling
    return found


EXPORTS: dict[str, object] = _exports()
