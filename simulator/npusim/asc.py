"""The façade: everything a kernel author writes after `from npusim import asc`.

It binds the language's names (`add`, `TPipe`, `half`, …), `jit`, the device and the
settings of a launch. It stands above all floors and is the only module that learners
import.
"""

from __future__ import annotations

from typing import Any

from npusim.chip import Chip
from npusim.chip import load_chip as chip
from npusim.diagnostic import KernelError
from npusim.diagnostic import language as _language
from npusim.lang import names as _names
from npusim.launch import Run, device, jit, settings

__asc_facade__ = True
__all__ = [
    *_names.EXPORTS,
    "Chip",
    "KernelError",
    "Run",
    "chip",
    "device",
    "explain",
    "explain_wrong_answer",
    "jit",
    "language",
    "settings",
]


def language(name: str | None = None) -> str:
    """The language of messages; with a name (`en`, `zh`, `both`), choose it."""
    if name is not None:
        _language.use(name)
    return _language.current()


def explain(kernel: Any, *arguments: Any, **keywords: Any) -> Any:
    """A static report of a kernel: instructions by pipe, UB map, events by buffer.

    Printed or shown by a notebook. Arguments are those of a launch (nothing runs);
    without them the types of the last launch are taken. KernelError where the kernel
    does not compile.
    """
    from npusim.profile.explain import explain as report

    return report(kernel, *arguments, **keywords)


def explain_wrong_answer(run: Run, expected: Any, **options: Any) -> Any:
    """What is wrong with a run's result: first wrong element, its writer, suspects.

    `expected`: an array, a dict of argument name to array, or a function of the input
    arrays. Options: `inputs` (arrays as they were before the launch, by name), `rtol`,
    `atol`. The report prints itself and shows itself in a notebook; `right`, `first`
    and `suspects` are its data. KernelError where the arrays do not match.
    """
    from npusim.profile.wrong_answer import explain_wrong_answer as report

    return report(run, expected, **options)


def __getattr__(name: str) -> Any:
    try:
        return _names.EXPORTS[name]
    except KeyError:
        raise AttributeError(f"asc has no {name!r}") from None


def __dir__() -> list[str]:
    return sorted(__all__)
