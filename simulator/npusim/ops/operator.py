"""What a library operator is: kernels, a host function that plans and launches them.

An operator takes and returns numpy arrays, as a framework call does. The host function
reads shapes and dtypes, chooses a variant and a tiling for the chip of the settings in
force, launches, and returns the output with the Runs of its launches. Later launches of
one call find the cache as the earlier ones left it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from npusim.chip import Chip
from npusim.launch import Run
from npusim.launch.kernel import Kernel
from npusim.launch.settings import chip_of, current

Host = Callable[..., tuple[Any, tuple[Run, ...]]]


class Operator:
    """A callable operator; `run`, `runs` and `time_us` describe its last call.

    `kernels`: the variants by name, in the order in which a reader should meet them.
    """

    def __init__(self, name: str, host: Host, kernels: Mapping[str, Kernel]):
        self.__name__ = self.name = name
        self.__doc__ = host.__doc__
        self.host, self.kernels = host, dict(kernels)
        self.runs: tuple[Run, ...] = ()

    def __call__(self, *arrays: Any, **attributes: Any) -> Any:
        output, self.runs = self.host(*arrays, **attributes)
        return output

    @property
    def run(self) -> Run:
        """The Run of the last launch of the last call; RuntimeError before any."""
        if not self.runs:
            raise RuntimeError(f"ops.{self.name} has not been called yet")
        return self.runs[-1]

    @property
    def time_us(self) -> float:
        """Microseconds of all launches of the last call."""
        return sum(run.time_us for run in self.runs)

    def __repr__(self) -> str:
        return f"<operator {self.name}: kernels {', '.join(self.kernels)}>"


def operator(name: str, **kernels: Kernel) -> Callable[[Host], Operator]:
    """Make an Operator of a host function: `@operator("gelu", fused=gelu_kernel)`."""

    def wrap(host: Host) -> Operator:
        return Operator(name, host, kernels)

    return wrap


def chip_in_force() -> Chip:
    """The chip for which the next launch is planned (`asc.settings(chip=…)`)."""
    return chip_of(current())
