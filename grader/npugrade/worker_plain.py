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


def serve(entry: Any, setup: dict, channel: Any) -> dict:
    """Call or drive the learner's entry; the last message."""
    if setup["plain"] == "function":
        answer = entry(*map(decode, setup["arguments"]))
        return {"op": "return", "type": type(answer).__name__, "value": encode(answer)}
    return _drive(entry, setup["programs"], channel)


def _drive(entry: Any, programs: list, channel: Any) -> dict:
    if not inspect.iscoroutinefunction(entry):
        raise TypeError("the entry must be an `async def`")
    running = [entry(World(), *map(decode, arguments)) for arguments in programs]
    message: dict = {"op": "ready"}
    while True:
        order = channel.ask(message)
        if "stop" in order:
            return {"op": "return", "type": "NoneType"}
        message = _resume(running, order["program"], decode(order["value"]))


def _resume(running: list, number: int, value: Any) -> dict:
    """Let one program run to its next `await`."""
    try:
        request = running[number].send(value)
    except StopIteration as end:
        return {"op": "finished", "program": number, "value": encode(end.value)}
    if type(request) is not Request:
        raise TypeError("a program may only await what the world offers")
    arguments = [encode(a) for a in request.arguments]
    return {
        "op": "await",
        "program": number,
        "name": request.name,
        "arguments": arguments,
    }
