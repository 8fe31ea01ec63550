"""Floor 5: compile → execute → check → time, and the `Run` that comes out of it."""

from npusim.launch import device
from npusim.launch.device import DeviceTensor
from npusim.launch.kernel import Kernel, jit
from npusim.launch.run import Event, Run
from npusim.launch.settings import Options, settings

__all__ = [
    "DeviceTensor", "Event", "Kernel", "Options", "Run", "device", "jit", "settings",
]  # fmt: skip
