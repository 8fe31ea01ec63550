"""`jit`, and the `Kernel` it makes: `kernel[blocks](…)` compiles, runs, times, checks.

The text of the function is the kernel; the Python function itself is never called.
Compiled programs are kept by everything they depend on (`dependence`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from npusim.diagnostic import Diagnostic, KernelError
from npusim.lang import (
    BufferArgument,
    Constexpr,
    KernelSource,
    capture,
    compile_source,
)
from npusim.lang.program import Program
from npusim.lang.tiling import type_of
from npusim.lang.types import DTYPES, dtype_of
from npusim.launch.chain import run_program
from npusim.launch.dependence import program_key
from npusim.launch.device import DeviceTensor, check_array
from npusim.launch.parameters import (
    REQUIRED,
    Parameter,
    bind,
    parameters_of,
    record_type,
)
from npusim.launch.run import Run
from npusim.launch.settings import Options, current

MAX_BLOCKS = 65_535
_CACHED_PROGRAMS = 64


class Kernel:
    """A kernel as text. `kernel[blocks](*arguments)` launches it."""

    def __init__(self, source: KernelSource):
        self.source = source
        self.__name__ = self.name = source.name
        self._programs: dict[object, Program] = {}
        self._last: Program | None = None
        self._parameters: tuple[Parameter, ...] | None = None

    @classmethod
    def from_text(
        cls, text: str, filename: str, entry: str, captured: Mapping[str, object]
    ) -> Kernel:
        """The kernel `entry` of `text`; free names have the values in `captured`."""
        values = dict(captured)
        return cls(KernelSource(text, filename, 1, entry, values.__getitem__))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Name, kind and default of each parameter."""
        if self._parameters is None:
            self._parameters = parameters_of(self.source)
        return self._parameters

    def __getitem__(self, blocks: int) -> Callable[..., Run]:
        """`kernel[blocks]`: launch with this many blocks."""

        def launch(*arguments: Any, **keywords: Any) -> Run:
            return self._launch(arguments, keywords, blocks, current())

        return launch

    def __call__(self, *arguments: Any, **keywords: Any) -> Run:
        facts = _block_facts(self.name, None) | {"reason": "call"}
        raise KernelError((Diagnostic("ASC-ARG-05", "E", None, facts),))

    def launch(self, *arguments: Any, blocks: Any = None, **keywords: Any) -> Run:
        """Launch with options of `asc.settings` as keywords beside the arguments.

        `blocks` is required; without it the launch is refused as ASC-ARG-05.
        """
        own = {p.name for p in self.parameters}
        named = {k: v for k, v in keywords.items() if k in own}
        options = {k: v for k, v in keywords.items() if k not in own}
        return self._launch(arguments, named, blocks, current().updated(options))

    def _launch(
        self, arguments: tuple, keywords: dict, blocks: Any, options: Options
    ) -> Any:
        _check_blocks(self.name, blocks)
        values = bind(self.name, self.parameters, arguments, keywords)
        _check_arrays(values)
        program = self.compile(values)
        if options.mode == "compile_only":
            return program
        return run_program(program, values, int(blocks), options)

    def program(self, *arguments: Any, **keywords: Any) -> Program:
        """The Program for these arguments.

        Without any: of the last launch, else for float32 buffers and the defaults of
        compile-time parameters (KernelError where one has none).
        """
        if arguments or keywords or not self.parameters:
            return self.compile(bind(self.name, self.parameters, arguments, keywords))
        if self._last is not None:
            return self._last
        fixed = [p for p in self.parameters if p.kind == "constexpr"]
        missing = [p.name for p in fixed if p.default is REQUIRED]
        if missing:
            facts = {"kernel": self.name, "missing": ", ".join(missing)}
            names = ", ".join(p.name for p in self.parameters)
            facts["signature"] = names
            raise KernelError((Diagnostic("ASC-ARG-03", "E", None, facts),))
        return self._compile(
            {p.name: _assumed(p, self.source) for p in self.parameters}
        )

    def compile(self, values: Mapping[str, Any]) -> Program:
        """The Program for arguments of these types and constants."""
        types = {p.name: _type_of(p, values[p.name]) for p in self.parameters}
        return self._compile(types)

    def _compile(self, types: Mapping[str, Any]) -> Program:
        captured = {k: _unwrapped(v) for k, v in self.source.captured().items()}
        key = program_key(types, captured)
        program = self._programs.get(key)
        if program is None:
            program = compile_source(
                self.source.text, self.source.filename, self.name, captured, types
            )
            if len(self._programs) >= _CACHED_PROGRAMS:
                self._programs.pop(next(iter(self._programs)))
            self._programs[key] = program
        self._last = program
        return program

    def __repr__(self) -> str:
        names = ", ".join(p.name for p in self.parameters)
        return f"<kernel {self.name}({names}): launch it with {self.name}[blocks](…)>"


def jit(function: Any) -> Kernel:
    """Make a kernel of a function: its source is compiled, it is never called."""
    return Kernel(capture(function))


def _check_blocks(kernel: str, blocks: Any) -> None:
    whole = isinstance(blocks, (int, np.integer)) and not isinstance(blocks, bool)
    if not whole or not 1 <= blocks <= MAX_BLOCKS:
        facts = _block_facts(kernel, blocks)
        raise KernelError((Diagnostic("ASC-ARG-05", "E", None, facts),))


def _block_facts(kernel: str, blocks: Any) -> dict[str, Any]:
    return {"kernel": kernel, "blocks": repr(blocks), "limit": MAX_BLOCKS}


def _check_arrays(values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            check_array(name, value)


def _type_of(parameter: Parameter, value: Any) -> Any:
    if isinstance(value, DeviceTensor):
        return BufferArgument(value.dtype)
    if isinstance(value, np.ndarray):
        dtype = dtype_of(value.dtype)
        assert dtype is not None  # _check_arrays has refused the others
        return BufferArgument(dtype)
    if parameter.kind == "tiling":
        return type_of(value)
    return Constexpr(value) if parameter.kind == "constexpr" else parameter.kind


def _assumed(parameter: Parameter, source: KernelSource) -> Any:
    """The type of a parameter where no argument tells it."""
    if parameter.kind == "GlobalAddress":
        return BufferArgument(DTYPES["float32"])
    if parameter.kind == "constexpr":
        return Constexpr(parameter.default)
    if parameter.kind == "tiling":
        return record_type(parameter.name, source)
    return parameter.kind


def _unwrapped(value: Any) -> Any:
    return value.source if isinstance(value, Kernel) else value
