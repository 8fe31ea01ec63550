"""The judge's device during one call of the host function: tensors and launches.

Inputs and outputs belong to the judge; the host process knows them by number. Every
launch is timed in the state that the task names; one that follows a launch which moved
all of its tensors finds them in L2 (`cache="keep"`). A tensor that was only named, or
moved in part, warms nothing.
"""

from __future__ import annotations

import math
from typing import Any

from npugrade.cases import CaseData
from npugrade.host import HostFailure, limits
from npugrade.kernels import Kernels, Opaque, check_captured, decode
from npugrade.messages import Text, say
from npugrade.residency import moved_all
from npugrade.scalar_origin import Marks, stored_nbytes
from npugrade.taskmodel import Task
from npusim.lang.types import DTYPES
from npusim.launch import DeviceTensor, Run, settings
from npusim.launch import device as memory

MAX_DIMENSIONS = 8
SCALAR_SHARE, SCALAR_NBYTES = 0.05, 64


class Device:
    """Tensors by number and the runs so far."""

    def __init__(self, task: Task, data: CaseData, kernels: Kernels):
        self.task, self.data, self.kernels = task, data, kernels
        self.inputs = [memory.tensor(array) for array in data.inputs]
        self.outputs = [memory.empty(s, DTYPES[d].numpy) for s, d in data.outputs]
        self.tensors: dict[int, DeviceTensor] = dict(
            enumerate([*self.inputs, *self.outputs], start=1)
        )
        self.runs: list[Run] = []
        self._given: list[dict[int, int]] = []  # per run: tensor by buffer id
        self._workspace_nbytes = 0

    def handles(self) -> list[tuple[int, tuple[int, ...], str]]:
        """(number, shape, dtype name) of inputs, then outputs."""
        return [(n, t.shape, t.dtype.name) for n, t in self.tensors.items()]

    @property
    def cycles(self) -> int:
        """Cycles of all launches together."""
        return sum(run.cycles for run in self.runs)

    # --------------------------------------------------------------------- requests
    def empty(self, request: dict[str, Any]) -> dict[str, Any]:
        """Allocate poisoned workspace: {"shape", "dtype"} → {"id"}."""
        shape, dtype = request.get("shape"), DTYPES.get(str(request.get("dtype")))
        if dtype is None or not _is_shape(shape):
            raise _refused(say("reason.shape"))
        assert isinstance(shape, list)
        self._workspace_nbytes += math.prod(max(d, 1) for d in shape) * dtype.itemsize
        limit = limits()["host"]["tensors_nbytes"]
        if self._workspace_nbytes > limit:
            raise _refused(say("reason.memory", limit=limit))
        number = len(self.tensors) + 1
        self.tensors[number] = memory.empty(tuple(shape), dtype.numpy)
        return {"id": number}

    def launch(self, request: dict[str, Any]) -> dict[str, Any]:
        """Run a kernel. KernelError for the kernel's faults, HostFailure for the
        request's."""
        kernel = self.kernels.build(
            str(request.get("kernel")), check_captured(request.get("captured"))
        )
        arguments = [self._argument(v) for v in _list(request.get("args"))]
        named = {k: self._argument(v) for k, v in _items(request.get("named"))}
        blocks = decode(request.get("blocks"))
        with settings(**self._options()):  # not keywords: a kernel has names of its own
            run = kernel[blocks](*arguments, **named)
        self.runs.append(run)
        names = [parameter.name for parameter in kernel.parameters]
        self._given.append(
            self._tensors_of(run, dict(zip(names, arguments, strict=False)) | named)
        )
        return {"ok": True}

    def _options(self) -> dict[str, Any]:
        launch = self.task.launch
        used = sum(run.execution.executed for run in self.runs)
        return {
            "chip": launch.chip,
            "cache": "keep" if self.runs and moved_all(self.runs[-1]) else launch.cache,
            "code": launch.code,
            "mode": "strict",
            "overflow": "inf",
            "budget": max(1, self.task.budgets.instructions - used),
        }

    def _argument(self, value: Any) -> Any:
        found = decode(value, {"tensor": self._tensor})
        if isinstance(found, Opaque):
            raise _refused(say("reason.argument", type=found.kind))
        return found

    def _tensor(self, number: Any) -> DeviceTensor:
        if type(number) is not int or number not in self.tensors:
            raise _refused(say("reason.tensor"))
        return self.tensors[number]

    def _tensors_of(self, run: Run, values: dict[str, Any]) -> dict[int, int]:
        """The number of the tensor that each buffer of a run is."""
        numbers = {id(tensor): number for number, tensor in self.tensors.items()}
        buffers = run.execution.buffers.items()
        return {b: numbers[id(values[buffer.name])] for b, buffer in buffers}

    # ----------------------------------------------------------------------- guards
    def changed_input(self) -> str | None:
        """Name of an input whose bytes are no longer what they were."""
        names = self.task.entry.inputs
        for name, tensor, array in zip(
            names, self.inputs, self.data.inputs, strict=True
        ):
            if tensor.numpy().tobytes() != array.tobytes():
                return name
        return None

    def unwritten(self) -> tuple[str, int] | None:
        """An output with bytes that no launch wrote, and how many."""
        for name, tensor in zip(self.task.entry.outputs, self.outputs, strict=True):
            count = tensor.unwritten_nbytes()
            if count:
                return name, count
        return None

    def scalar_nbytes(self) -> tuple[int, int]:
        """(bytes of the outputs that the scalar unit made, how many are allowed)."""
        total = sum(tensor.nbytes for tensor in self.outputs)
        allowed = max(SCALAR_NBYTES, int(SCALAR_SHARE * total))
        if sum(map(stored_nbytes, self.runs)) <= SCALAR_NBYTES:
            return 0, allowed
        marks = Marks()
        for run, given in zip(self.runs, self._given, strict=True):
            marks.follow(run, given)
        first = len(self.inputs) + 1
        return marks.count(range(first, first + len(self.outputs))), allowed


def _is_shape(shape: Any) -> bool:
    whole = isinstance(shape, list) and len(shape) <= MAX_DIMENSIONS
    return whole and all(type(d) is int and 0 <= d < 2**40 for d in shape)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise HostFailure("host.malformed")
    return value


def _items(value: Any) -> list[tuple[str, Any]]:
    if not isinstance(value, dict):
        raise HostFailure("host.malformed")
    return list(value.items())


def _refused(reason: Text) -> HostFailure:
    return HostFailure("host.bad-request", reason=reason)
