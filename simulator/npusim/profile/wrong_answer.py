"""`asc.explain_wrong_answer(run, expected)`: where a result is wrong, and what fits.

The report names the first diverging element with its block, tile and line, how the
wrong elements lie, and the usual suspects that explain them; each suspect was tried on
the result, and where none fits the report says so. Inputs are the arrays the kernel
read; those it wrote into are known only if the caller gives them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from npusim.check.wrong import (
    Case,
    Golden,
    Writers,
    patterns_of,
    suspects_of,
    tolerance_of,
    touched_buffers,
)
from npusim.check.wrong.patterns import Pattern
from npusim.check.wrong.suspect import Suspect
from npusim.core import Buffer
from npusim.diagnostic import Diagnostic, KernelError, Location
from npusim.launch import Run


@dataclass(frozen=True)
class Divergence:
    """The first wrong element: `index` in the output's shape, `flat` in memory order.

    `block`, `tile`, `operation`, `where`: who wrote it last; None where nobody did.
    """

    index: tuple[int, ...]
    flat: int
    got: float
    expected: float
    block: int | None = None
    tile: int | None = None
    operation: str | None = None
    where: Location | None = None


@dataclass(frozen=True)
class WrongOutput:
    """One output: `count` of `total` elements are wrong; `suspects` fit them.

    `patterns`: (name, facts) of how they lie. `overwritten`: inputs whose values before
    the launch are not known.
    """

    name: str
    count: int
    total: int
    rtol: float
    atol: float
    first: Divergence | None
    patterns: tuple[Pattern, ...]
    suspects: tuple[Diagnostic, ...]
    overwritten: tuple[str, ...]
    last_tile: int


@dataclass(frozen=True)
class WrongAnswer:
    """The report: one entry for each output that was compared."""

    kernel: str
    outputs: tuple[WrongOutput, ...]
    stopped: bool

    @property
    def right(self) -> bool:
        """Whether every output is the expected one."""
        return not any(output.count for output in self.outputs)

    @property
    def suspects(self) -> tuple[Diagnostic, ...]:
        """What fits, of all outputs."""
        return tuple(s for output in self.outputs for s in output.suspects)

    @property
    def first(self) -> Divergence | None:
        """The first wrong element of the first output that is wrong."""
        return next((o.first for o in self.outputs if o.first), None)

    def text(self, language: str | None = None) -> str:
        """The report in `en`, `zh` or `both`; by default in the session's language."""
        from npusim.profile.wrong_text import report_text

        return report_text(self, language)

    def html(self, language: str | None = None) -> str:
        """The report as HTML for a notebook; languages as `text`."""
        from npusim.profile.wrong_text import report_html

        return report_html(self, language)

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.html()


def explain_wrong_answer(
    run: Run,
    expected: Any,
    *,
    inputs: Mapping[str, np.ndarray] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
) -> WrongAnswer:
    """Compare a run's outputs with what they should be and say what went wrong.

    `expected`: an array; for several outputs a dict of argument name to array; or a
    function of the input arrays (by the names of its parameters where these are names
    of inputs, else all of them in the order of the kernel's parameters). `inputs`:
    arrays as they were before the launch, where the kernel wrote into them. Tolerances
    follow the output's dtype. KernelError (ASC-ARG-12) where the two do not match.
    """
    read, written = touched_buffers(run.execution)
    buffers = run.execution.buffers
    names = {buffer.name for buffer in buffers.values()}
    for name in inputs or {}:
        if name not in names:
            raise _refused("input", name=name, known=sorted(names))
    given = {
        b.name: _before(b, inputs) for i, b in sorted(buffers.items())
        if i in read and (i not in written or b.name in (inputs or {}))
    }  # fmt: skip
    lost = tuple(
        b.name for i, b in sorted(buffers.items())
        if i in read and i in written and b.name not in given
    )  # fmt: skip
    golden = _golden(expected, given, lost) if callable(expected) else None
    if golden is not None:
        expected = golden.function(*(given[name] for name in golden.names))
    pairs = _outputs(run, expected, {buffers[i].name: buffers[i] for i in written})
    reports = [
        _report(run, buffer, array, given, lost, golden, (rtol, atol))
        for buffer, array in pairs
    ]
    return WrongAnswer(run.kernel, tuple(reports), bool(run.execution.faults))


def _refused(reason: str, **facts: Any) -> KernelError:
    return KernelError(
        (Diagnostic("ASC-ARG-12", "E", None, {"reason": reason} | facts),)
    )


def _before(buffer: Buffer, inputs: Mapping[str, Any] | None) -> np.ndarray:
    array = (inputs or {}).get(buffer.name)
    if array is None:
        return _shaped(buffer)
    array = np.asarray(array)
    if array.size != buffer.data.size:
        raise _refused(
            "size", name=buffer.name, got=array.size, wanted=buffer.data.size
        )
    return array


def _shaped(buffer: Buffer) -> np.ndarray:
    fits = int(np.prod(buffer.shape)) == buffer.data.size
    return buffer.data.reshape(buffer.shape) if fits else buffer.data


def _golden(
    function: Callable, given: Mapping[str, np.ndarray], lost: tuple[str, ...]
) -> Golden:
    """The function with the inputs it takes: by their names, else all in order."""
    if lost:
        raise _refused("lost", name=lost[0], names=list(lost))
    try:
        signature = inspect.signature(function)
    except ValueError:  # a function of C: numpy's
        return Golden(tuple(given), function)
    names = tuple(signature.parameters)
    if names and set(names) <= set(given):
        return Golden(names, function)
    try:
        signature.bind(*given)
    except TypeError:
        raise _refused("function", name=", ".join(names), names=list(given)) from None
    return Golden(tuple(given), function)


def _outputs(
    run: Run, expected: Any, written: Mapping[str, Buffer]
) -> Iterator[tuple[Buffer, np.ndarray]]:
    """Each output with the array it should be."""
    buffers = {b.name: b for b in run.execution.buffers.values()}
    if not isinstance(expected, Mapping):
        expected = {_only_output(written, buffers, np.asarray(expected).size): expected}
    for name, array in expected.items():
        array = np.asarray(array)
        if name not in buffers:
            raise _refused("output", name=name, known=sorted(buffers))
        if array.size != buffers[name].data.size:
            got = buffers[name].data.size
            raise _refused("size", name=name, got=array.size, wanted=got)
        yield buffers[name], array


def _only_output(
    written: Mapping[str, Buffer], buffers: Mapping[str, Buffer], size: int
) -> str:
    """The name of the output that an array without a name belongs to."""
    fitting = [name for name, b in written.items() if b.data.size == size]
    if len(fitting) == 1:
        return fitting[0]
    if len(written) == 1:
        return next(iter(written))
    if not written and buffers:
        return list(buffers)[-1]
    raise _refused("several", name=", ".join(written), names=sorted(written))


def _report(
    run: Run,
    buffer: Buffer,
    expected: np.ndarray,
    given: Mapping[str, np.ndarray],
    lost: tuple[str, ...],
    golden: Golden | None,
    tolerances: tuple[float | None, float | None],
) -> WrongOutput:
    shape = expected.shape if expected.ndim > 1 else _shaped(buffer).shape
    writers = Writers(run.execution, buffer)
    usual = tolerance_of(buffer.dtype)
    rtol, atol = (u if t is None else t for t, u in zip(tolerances, usual, strict=True))
    case = Case(
        buffer.data.reshape(shape).astype(np.float64),
        expected.reshape(shape).astype(np.float64),
        (writers.index >= 0).reshape(shape),
        {n: _like(a, shape).astype(np.float64) for n, a in given.items()},
        buffer.dtype, rtol, atol,
    )  # fmt: skip
    first = _first(run, case, writers)
    suspects = suspects_of(case, writers, golden) if first else []
    found = [_message(s, buffer.name) for s in suspects]
    return WrongOutput(
        buffer.name, int(case.wrong.sum()), case.wrong.size, rtol, atol, first,
        tuple(patterns_of(case, writers)), tuple(found), lost,
        int(writers.tiles().max(initial=0)),
    )  # fmt: skip


def _message(suspect: Suspect, output: str) -> Diagnostic:
    """A suspect is about the whole output; its place is told once, by the report."""
    facts = {k: v for k, v in suspect.facts.items() if v is not None}
    return Diagnostic(suspect.code, "W", None, facts | {"output": output})


def _like(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """A flat input of the output's size takes its shape: the host lost it."""
    same = array.ndim == 1 and array.size == int(np.prod(shape))
    return array.reshape(shape) if same else array


def _first(run: Run, case: Case, writers: Writers) -> Divergence | None:
    places = np.flatnonzero(case.wrong)
    if not len(places):
        return None
    flat = int(places[0])
    index = tuple(int(i) for i in np.unravel_index(flat, case.wrong.shape))
    got, expected = float(case.got.flat[flat]), float(case.expected.flat[flat])
    writer = writers.of(flat)
    if writer is None:
        return Divergence(index, flat, got, expected)
    where = run.execution.program.location(writer.step.where)
    return Divergence(
        index, flat, got, expected, writer.block, writer.tile, writer.step.name, where
    )
