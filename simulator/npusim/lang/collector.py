"""Python's cycle collector, paused while something large without cycles is made.

A syntax tree, a program and a stream are hundred thousands of objects that refer to one
another without cycles. The collector would walk them again and again and free nothing.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """The collector is off inside; afterwards it is as it was."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
