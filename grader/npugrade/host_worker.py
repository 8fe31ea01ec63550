"""The limited process in which a learner's host code runs. Standard library only.

It is started by `npugrade.host` as a plain script (`python -I -B host_worker.py IN
OUT`), limits itself, says hello, and only then runs the learner's definitions. It sees
no data: arrays are handles with shape and dtype, kernels are names, and all it can do
is send requests. Nothing it says is believed; the judge checks every line.

What shuts it in is `host_lockdown`, and where there is bubblewrap, that.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import types
from importlib.machinery import SourceFileLoader

TYPE_CHECKING = False  # typing itself is not loaded: this process must start fast
if TYPE_CHECKING:
    from typing import Any

NOWHERE = 0  # number of a tensor that the judge does not have
MAX_TEXT = 300
MAX_FRAMES = 5
MAX_DEPTH = 6
# Importable before the limits: the standard library but for modules that act when they
# are imported, and the two array packages.
PRELOADED = (sys.stdlib_module_names | {"numpy", "ml_dtypes"}) - {
    "antigravity", "idlelib", "test", "this", "tkinter", "turtle", "turtledemo",
}  # fmt: skip
NEEDED = ("unicodedata",)  # Python's own need for names outside ASCII


def beside(name: str) -> Any:
    """A module of the grader's beside this file, a folder not to import from."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{name}.py")
    module = types.ModuleType(name)
    module.__file__ = path
    SourceFileLoader(name, path).exec_module(module)
    return module


lockdown, records = beside("host_lockdown"), beside("host_tiling")


class Channel:
    """JSON lines over two file descriptors."""

    def __init__(self, fd_in: int, fd_out: int):
        self.reader = os.fdopen(fd_in, "rb", closefd=False)
        self.fd_out = fd_out

    def send(self, message: dict) -> None:
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[os.write(self.fd_out, data) :]

    def receive(self) -> dict:
        line = self.reader.readline()
        if not line:
            os._exit(0)  # the judge is gone
        return json.loads(line)

    def ask(self, message: dict) -> dict:
        self.send(message)
        return self.receive()


# ------------------------------------------------------------- what a host may see
class DType:
    """An element type, equal to numpy's of that name."""

    def __init__(self, name: str, numpy_name: str, itemsize: int):
        self.name, self.numpy_name, self.itemsize = name, numpy_name, itemsize

    def sizeof(self) -> int:
        return self.itemsize

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return other in (self.name, self.numpy_name)
        other_name = getattr(other, "name", getattr(other, "__name__", None))
        return other_name in (self.name, self.numpy_name)

    def __hash__(self) -> int:
        return hash(self.numpy_name)

    def __repr__(self) -> str:
        return f"asc.{self.name}"


class Marker:
    """A name of the kernel language; on the host it can only be passed on."""

    def __init__(self, path: str):
        self.path = path

    def __getattr__(self, name: str) -> Marker:
        if name.startswith("_"):
            raise AttributeError(name)
        return Marker(f"{self.path}.{name}")

    def __call__(self, *arguments: object, **keywords: object) -> None:
        raise TypeError(f"asc.{self.path} can only be called inside a kernel")


class Tensor:
    """A handle of device memory: `shape dtype size itemsize nbytes ndim`, no more."""

    __slots__ = ("_id", "dtype", "shape")

    def __init__(self, number: int, shape: tuple, dtype: DType):
        self._id, self.shape, self.dtype = number, shape, dtype

    @property
    def size(self) -> int:
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]


class LaunchRecord:
    """What a launch returns here: nothing to read, times belong to the judge."""


class Kernel:
    """A kernel by name: `kernel[blocks](…)` and `kernel.launch(…)` are requests."""

    def __init__(self, function: object, host: Host):
        self.name = self.__name__ = str(getattr(function, "__name__", function))
        self._host = host

    def __getitem__(self, blocks: object) -> object:
        return lambda *args, **named: self._host.launch(self, blocks, args, named)

    def launch(self, *args: object, blocks: object = None, **named: object) -> object:
        for option in ("chip", "cache", "code", "mode", "overflow", "budget"):
            named.pop(option, None)  # the task fixes them
        return self._host.launch(self, blocks, args, named)

    def __call__(self, *args: object, **named: object) -> None:
        raise TypeError(f"a kernel is launched with blocks: {self.name}[blocks](…)")


class Host:
    """Turns the learner's calls into requests and the replies into handles.

    While the definitions are made, only a rehearsal is on (`graded` is False): a loop
    that tries block counts rebinds a name that is needed, and so runs here; what it
    allocates and launches is nothing to the judge.
    """

    def __init__(self, channel: Channel, setup: dict):
        self.channel, self.graded = channel, False
        self.free_names = setup["free_names"]
        self.chips = {facts["name"]: facts for facts in setup["chips"]}
        self.dtypes = {row[0]: DType(*row) for row in setup["dtypes"]}
        self.space: dict = {"__name__": "__submission__"}
        self.module = self._facade(setup["exports"])

    def _facade(self, exports: list) -> Any:
        module: Any = types.ModuleType("npusim.asc")
        for name in exports:
            setattr(module, name, self.dtypes.get(name) or Marker(name))
        module.jit, module.tiling = self.jit, records.tiling
        module.chip = lambda name: types.SimpleNamespace(**self.chips[name])
        module.language = lambda name=None: "en"
        module.settings = lambda **options: records.Settings()
        module.device = types.SimpleNamespace(empty=self.empty, tensor=self.tensor)
        module.KernelError = type("KernelError", (Exception,), {})
        package: Any = types.ModuleType("npusim")
        package.asc = module
        sys.modules["npusim"], sys.modules["npusim.asc"] = package, module
        return module

    def jit(self, function: object = None, **options: object) -> object:
        return Kernel(function, self) if function is not None else self.jit

    def tensor(self, array: Any) -> Tensor:
        if self.graded:
            raise TypeError("asc.device.tensor: a graded host function has no data")
        return self.empty(array.shape, array.dtype)

    def empty(self, shape: object, dtype: object) -> Tensor:
        dims = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
        dims = tuple(int(d) for d in dims)  # type: ignore[call-overload]
        found = next((d for d in self.dtypes.values() if d == dtype), None)
        if found is None:
            raise TypeError(f"asc.device.empty: {dtype!r} is not a dtype")
        request = {"op": "empty", "shape": dims, "dtype": found.name}
        number = self.channel.ask(request)["id"] if self.graded else NOWHERE
        return Tensor(number, dims, found)

    def launch(
        self, kernel: Kernel, blocks: object, args: tuple, named: dict
    ) -> LaunchRecord:
        request = {
            "op": "launch",
            "kernel": kernel.name,
            "blocks": self.encode(blocks),
            "args": [self.encode(a) for a in args],
            "named": {str(k): self.encode(v) for k, v in named.items()},
            "captured": self.captured(kernel.name),
        }
        if self.graded:
            self.channel.ask(request)
        return LaunchRecord()

    def captured(self, start: str) -> dict:
        """Per kernel: the values of the names that it reads from its surroundings."""
        found: dict = {}
        todo = [start]
        while todo:
            kernel = todo.pop()
            if kernel in found or kernel not in self.free_names:
                continue
            names = [n for n in self.free_names[kernel] if n in self.space]
            values = {n: self.space[n] for n in names}
            found[kernel] = {n: self.encode(v) for n, v in values.items()}
            todo += [v.name for v in values.values() if isinstance(v, Kernel)]
        return found

    def encode(self, value: object, depth: int = 0) -> object:
        """A value as JSON; what cannot travel becomes its type's name."""
        if isinstance(value, (bool, str)):
            return {"v": value}
        for kind, key, attribute in _BY_ATTRIBUTE:
            if isinstance(value, kind):
                return {key: getattr(value, attribute)}
        if value is self.module:
            return {"asc": True}
        if isinstance(value, (tuple, list)) and depth < MAX_DEPTH:
            inner = [self.encode(v, depth + 1) for v in value]
            return {"tuple" if isinstance(value, tuple) else "list": inner}
        return records.encode(value) or _number(value)


_BY_ATTRIBUTE = (
    (Tensor, "tensor", "_id"),
    (DType, "dtype", "name"),
    (Marker, "name", "path"),
    (Kernel, "kernel", "name"),
)


def _number(value: object) -> dict:
    """Python's and numpy's numbers; anything else by the name of its type."""
    plain = value
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        plain = value.item()
    if type(plain) in (int, float, bool):
        return {"v": plain}
    return {"opaque": type(value).__name__[:60]}


# ------------------------------------------------------------------------- the start
def preload(names: list) -> None:
    """Import what the submission imports while the files are certainly readable."""
    for name in PRELOADED.intersection([*names, *NEEDED]):
        try:
            importlib.import_module(name)
        except Exception:
            continue  # the submission's own import tells


# -------------------------------------------------------------------------- the run
def describe(error: BaseException, stage: str, labels: set) -> dict:
    """An exception as data: its type, its message, the submission's own frames."""
    frames = []
    trace = error.__traceback__
    while trace is not None:
        label = trace.tb_frame.f_code.co_filename
        if label in labels:
            frames.append([label, trace.tb_lineno, trace.tb_frame.f_code.co_name])
        trace = trace.tb_next
    try:
        text = str(error)[:MAX_TEXT]
    except BaseException:  # a learner's class may raise here too
        text = ""
    name = type(error).__name__[:60]
    return {
        "op": "error",
        "stage": stage,
        "type": name,
        "message": text,
        "frames": frames[-MAX_FRAMES:],
    }


def run(channel: Channel, setup: dict) -> dict:
    """Define what the submission defines, call its entry; the last message."""
    host = Host(channel, setup)
    labels = {label for label, _, _ in setup["units"]}
    stage = "load"
    try:
        for label, line, text in setup["units"]:
            code = compile("\n" * (line - 1) + text, label, "exec", dont_inherit=True)
            exec(code, host.space)
        stage, host.graded = "call", True
        entry = host.space[setup["entry"]]
        if "extension" in setup:  # a task of plain data: worker_plain.py
            extension: dict = {"__name__": "worker_plain"}
            exec(setup["extension"], extension)
            return extension["serve"](entry, setup, channel)
        handles = [
            Tensor(number, tuple(shape), host.dtypes[dtype])
            for number, shape, dtype in setup["tensors"]
        ]
        result = entry(*handles, *setup["attributes"])
    except BaseException as error:
        return describe(error, stage, labels)
    return {"op": "return", "type": type(result).__name__[:60]}


def main() -> None:
    channel = Channel(int(sys.argv[1]), int(sys.argv[2]))
    setup = channel.receive()
    preload(setup["preload"])
    in_force = lockdown.apply(setup["limits"])
    channel.send({"op": "hello", "in_force": in_force})
    last = run(channel, setup)
    channel.send(last)
    os._exit(0)


if __name__ == "__main__":
    main()
