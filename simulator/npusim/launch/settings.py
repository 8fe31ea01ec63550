"""Options of a launch: which chip, in what state, in which mode, with what budget."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from npusim.chip import Chip, chip_names, load_chip
from npusim.core.execute import OVERFLOW_MODES
from npusim.diagnostic import Diagnostic, KernelError
from npusim.timing import CACHE_STATES, CODE_STATES

LENIENT = "lenient"

CHOICES: dict[str, tuple[str, ...]] = {
    "cache": CACHE_STATES,
    "code": CODE_STATES,
    "mode": ("strict", LENIENT, "compile_only"),
    "overflow": OVERFLOW_MODES,
}


@dataclass(frozen=True)
class Options:
    """What a launch may be told besides its arguments (units: `budget` in steps).

    `chip`: a name, or a Chip (`Chip.from_file`, `Chip.without`). `cache`: state of L2
    before the launch. `code`: state of the instruction caches. `budget`: executed
    block-instructions and scalar steps before the run is stopped.
    """

    chip: str | Chip = "910B1"
    cache: str = "cold"
    code: str = "warm"
    mode: str = "strict"
    overflow: str = "inf"
    budget: int = 20_000_000

    def updated(self, changes: dict[str, Any]) -> Options:
        """A copy with `changes`; an unknown name or value is ASC-ARG-06."""
        for name, value in changes.items():
            _check_option(name, value)
        return replace(self, **changes)


def chip_of(options: Options) -> Chip:
    """The chip that a launch runs on; ASC-ARG-07 for an unknown name."""
    if isinstance(options.chip, Chip):
        return options.chip
    if options.chip not in chip_names():
        facts = {"chip": options.chip, "known": ", ".join(chip_names())}
        raise KernelError((Diagnostic("ASC-ARG-07", "E", None, facts),))
    return load_chip(options.chip)


def _check_option(name: str, value: Any) -> None:
    if name not in Options.__dataclass_fields__:
        allowed = ", ".join(Options.__dataclass_fields__)
    elif name in CHOICES and value not in CHOICES[name]:
        allowed = ", ".join(CHOICES[name])
    elif name == "budget" and (type(value) is not int or value < 1):
        allowed = "an int ≥ 1"
    else:
        return
    facts = {"option": name, "value": repr(value), "allowed": allowed}
    raise KernelError((Diagnostic("ASC-ARG-06", "E", None, facts),))


_stack = [Options()]


def current() -> Options:
    """The options in force for a launch that names none."""
    return _stack[-1]


@contextmanager
def settings(**changes: Any) -> Iterator[Options]:
    """Use other defaults for the launches inside the `with` block."""
    _stack.append(current().updated(changes))
    try:
        yield _stack[-1]
    finally:
        _stack.pop()
