"""Host values of one launch as device buffers, and the way back.

The same memory passed twice is one buffer; arguments that share only a part of their
memory are refused if the kernel writes one of them. A buffer that the kernel may write
is a copy until the launch has succeeded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from npusim.core import Buffer
from npusim.lang.program import Program
from npusim.lang.types import dtype_of
from npusim.launch.device import DeviceTensor, argument_error
from npusim.launch.l2 import L2State, Used
from npusim.launch.writes import written_parameters


def _memory(value: Any) -> np.ndarray:
    return value._data if isinstance(value, DeviceTensor) else value


def _identity(value: Any) -> Any:
    """Equal for arguments that are the same memory with the same dtype."""
    memory = _memory(value)
    if not memory.nbytes:
        return id(value)
    return memory.ctypes.data, memory.nbytes, memory.dtype.str


def argument_of(values: Mapping[str, Any], name: str) -> Any:
    """The value of a parameter; `t.tile` is a field of the tiling record `t`."""
    if name in values:
        return values[name]
    record, _, field = name.partition(".")
    return getattr(values[record], field)


class Buffers:
    """`values`: what execution takes, by parameter name."""

    def __init__(self, program: Program, values: Mapping[str, Any]):
        self._hosts: dict[int, Any] = {}  # buffer id -> numpy array or DeviceTensor
        self._seen: dict[Any, Buffer] = {}  # identity of the memory -> its buffer
        names = written_parameters(program)
        written = {_identity(values[name]) for name in names}
        self._written: list[int] = []
        self.values: dict[str, Any] = {}
        for param in program.params:
            value = argument_of(values, param.name)
            if param.type == "buffer":
                value = self._buffer(param.name, value, _identity(value) in written)
            self.values[param.name] = value

    def _buffer(self, name: str, value: Any, written: bool) -> Buffer:
        key = _identity(value)
        if key in self._seen:
            return self._seen[key]
        on_device = isinstance(value, DeviceTensor)
        host = value._data if on_device else value
        mask = value._written if on_device else None
        data = host.reshape(-1)
        if written:
            if not host.flags.writeable:
                raise argument_error("ASC-ARG-10", name=name)
            data = data.copy()
            mask = None if mask is None else mask.copy()
        else:  # not a copy: a write that `written_parameters` missed must not land
            data = data.view()
            data.flags.writeable = False
        dtype = dtype_of(host.dtype)
        assert dtype is not None  # refused before
        output = written and mask is not None
        buffer_id = len(self._seen) + 1
        buffer = Buffer(buffer_id, name, dtype, data, mask, output, host.shape)
        self._seen[key] = buffer
        self._hosts[buffer_id] = value
        if written:
            self._written.append(buffer_id)
        self._check_overlap(buffer_id)
        return buffer

    def _check_overlap(self, new: int) -> None:
        """Refuse two buffers that share memory where one of them is written."""
        names = {b.buffer_id: b.name for b in self._seen.values()}
        for other in self._hosts:
            apart = other == new or not {other, new} & set(self._written)
            if not apart and np.may_share_memory(
                _memory(self._hosts[other]), _memory(self._hosts[new])
            ):
                facts = {"name": names[new], "other": names[other]}
                raise argument_error("ASC-ARG-11", **facts)

    def used(
        self, cache: str, moved: Mapping[int, tuple[int, int]], bypass: frozenset[int]
    ) -> list[Used]:
        """What this launch leaves in L2; buffers in `bypass` leave nothing.

        `moved`: distinct bytes (read, written) by buffer id. A launch that started
        with its arguments in L2 leaves them there.
        """
        left = []
        for buffer_id, host in self._hosts.items():
            total = _memory(host).nbytes
            counts = moved.get(buffer_id, (0, 0))
            nbytes = total if cache == "l2" else min(total, sum(counts))
            if nbytes and buffer_id not in bypass:
                share, written = nbytes / total, counts[1] > 0
                left.append(Used(host, _identity(host), nbytes, share, written))
        return left

    def resident(self, cache: str, state: L2State) -> dict[int, float]:
        """The share of each buffer, by id, that lies in L2 when the launch starts."""
        if cache == "l2":
            return dict.fromkeys(self._hosts, 1.0)
        if cache == "keep":
            left = state.resident(_identity)
            shares = {i: left.get(_identity(host)) for i, host in self._hosts.items()}
            return {i: share for i, share in shares.items() if share}
        return {}

    def older(
        self, cache: str, state: L2State, capacity_nbytes: int
    ) -> tuple[tuple[int, float], ...]:
        """What else lies in L2 then, as `L2State.older` tells it."""
        if cache != "keep":
            return ()
        return state.older(map(_identity, self._hosts.values()), capacity_nbytes)

    def write_back(self) -> None:
        """Copy what the launch wrote to where it came from."""
        by_id = {b.buffer_id: b for b in self._seen.values()}
        for buffer_id in self._written:
            host, buffer = self._hosts[buffer_id], by_id[buffer_id]
            if isinstance(host, DeviceTensor):
                host._data.reshape(-1)[:] = buffer.data
                host._written = buffer.written
            else:
                host.reshape(-1)[:] = buffer.data
