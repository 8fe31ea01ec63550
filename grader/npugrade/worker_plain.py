"""Functions and coroutines of plain data in the limited process. Standard library only.

Its text travels with the setup, and `host_worker` runs `serve` in place of a call with
handles. Values go as tagged JSON; arrays as dtype, shape and base64, which needs numpy;
nothing is pickled. A coroutine's every `await world.name(…)` is sent as a request; the
judge says which program goes on, and with what value.
"""

from __future__ import annotations

import base64
import inspect
from typing import Any

MAX_DEPTH = 12


def decode(value: Any) -> Any:
    """A value of the judge."""
    ((tag, content),) = value.items()
    return _DECODERS[tag](content)


def _array(content: list) -> Any:
    import numpy

    dtype, shape, text = content
    if dtype == "bfloat16":
        import ml_dtypes

        dtype = ml_dtypes.bfloat16
    flat = numpy.frombuffer(base64.b64decode(text), dtype=dtype)
    return flat.reshape(shape).copy()


_DECODERS = {
    "v": lambda content: content,
    "list": lambda content: [decode(v) for v in content],
    "tuple": lambda content: tuple(decode(v) for v in content),
    "dict": lambda content: {decode(k): decode(v) for k, v in content},
    "array": _array,
}


def encode(value: Any, depth: int = 0) -> dict:
    """A value for the judge; what cannot travel becomes the name of its type."""
    if depth > MAX_DEPTH:
        return {"opaque": "deep"}
    if value is None or type(value) in (bool, int, float, str):
        return {"v": value}
    if type(value) in (list, tuple):
        return {type(value).__name__: [encode(v, depth + 1) for v in value]}
    if type(value) is dict:
        pairs = [[encode(k, depth + 1), encode(v, depth + 1)] for k, v in value.items()]
        return {"dict": pairs}
    if type(value).__module__ == "numpy" and hasattr(value, "tobytes"):
        return _encode_array(value)
    names = list(getattr(value, "__dataclass_fields__", ()))
    if names:
        return encode({name: getattr(value, name) for name in names}, depth + 1)
    return {"opaque": type(value).__name__[:60]}


def _encode_array(value: Any) -> dict:
    if not value.shape:
        return {"v": value.item()}
    text = base64.b64encode(value.tobytes()).decode()
    return {"array": [str(value.dtype), list(value.shape), text]}


# ---------------------------------------------------------------------- coroutines
class Request:
    """What a program awaits; the value of the `await` is the judge's answer."""

    def __init__(self, name: str, arguments: tuple):
        self.name, self.arguments = name, arguments

    def __await__(self) -> Any:
        return (yield self)


class World:
    """The world as a program sees it: every public name can be awaited."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *arguments: Request(name, arguments)

    def _answer(self, value: Any) -> Any:
        return value


class Call:
    """A call under way; `await` gives its result."""

    def __init__(self, comm: Comm, number: int):
        self._comm, self._number = comm, number

    def __await__(self) -> Any:
        return (yield Request("wait", (self._comm._begun(), self._number)))


class Comm:
    """What a rank program holds: calls begin at once, in order; they travel with the
    next `await`. An array is taken as it is at the call."""

    def __init__(self, rank: int, size: int):
        self.rank, self.size = rank, size
        self._calls: list = []
        self._count = 0

    def send(self, x: Any, target: int, tag: int = 0) -> Call:
        return self._begin("send", x.copy() if hasattr(x, "copy") else x, target, tag)

    def all_reduce(self, x: Any, op: str = "sum") -> Call:
        return self._begin("all_reduce", x.copy() if hasattr(x, "copy") else x, op)

    def recv(self, source: int, tag: int = 0) -> Call:
        return self._begin("recv", source, tag)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *arguments, **named: self._begin(name)

    def _begin(self, *call: Any) -> Call:
        self._calls.append(list(call))
        self._count += 1
        return Call(self, self._count - 1)

    def _begun(self) -> list:
        calls, self._calls = self._calls, []
        return calls

    def _answer(self, value: Any) -> Any:
        return [value, self._begun()]


def _with_world(entry: Any, arguments: list) -> tuple:
    world = World()
    return entry(world, *arguments), world


def _with_comm(entry: Any, arguments: list) -> tuple:
    rank, size, *rest = arguments
    comm = Comm(rank, size)
    return entry(comm, *rest), comm


_PROXIES = {"world": _with_world, "comm": _with_comm}


def serve(entry: Any, setup: dict, channel: Any) -> dict:
    """Call or drive the learner's entry; the last message."""
    if setup["plain"] == "function":
        answer = entry(*map(decode, setup["arguments"]))
        return {"op": "return", "type": type(answer).__name__, "value": encode(answer)}
    return _drive(entry, setup, channel)


def _drive(entry: Any, setup: dict, channel: Any) -> dict:
    if not inspect.iscoroutinefunction(entry):
        raise TypeError("the entry must be an `async def`")
    start, programs = _PROXIES[setup["proxy"]], setup["programs"]
    running = [start(entry, [decode(v) for v in values]) for values in programs]
    message: dict = {"op": "ready"}
    while True:
        order = channel.ask(message)
        if "stop" in order:
            return {"op": "return", "type": "NoneType"}
        answers = [_resume(running[n], decode(value)) for n, value in order["go"]]
        message = {"op": "answers", "answers": answers}


def _resume(running: tuple, value: Any) -> dict:
    """Let one program run to its next `await`."""
    program, proxy = running
    try:
        request = program.send(value)
    except StopIteration as end:
        answer = encode(proxy._answer(end.value))
        return {"op": "finished", "value": answer}
    if type(request) is not Request:
        raise TypeError("a program may only await what the world offers")
    arguments = [encode(a) for a in request.arguments]
    return {"op": "await", "name": request.name, "arguments": arguments}
