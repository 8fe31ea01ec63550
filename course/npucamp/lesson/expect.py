"""A deliberate failure: `with expect("ASC-RACE-15"):` shows the message and goes on.

Another message, or none, is an AssertionError, so that a test of the notebook fails.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from npucamp.coursemap import met_id
from npucamp.journal import note
from npucamp.lesson import session
from npucamp.speech import LANGUAGES, say
from npusim.diagnostic.model import Diagnostic, KernelError


@contextmanager
def expect(code: str) -> Iterator[None]:
    """Run a block that must raise a KernelError with the diagnostic `code`, or an
    HcclError of that code.

    The message is printed in the session's language. AssertionError if another or
    none comes; any other exception passes through."""
    try:
        yield
    except Exception as error:
        print(_said(error, code))
        note("expect", met_id(session.lesson(), code), "met")
        return
    raise AssertionError(say("expect-none", wanted=code))


def _said(error: Exception, code: str) -> str:
    """The message of an error with this code; the error itself if it has no code."""
    if isinstance(error, KernelError):
        found = [d for d in error.diagnostics if d.code == code]
        codes = {d.code for d in error.diagnostics if d.severity == "E"} - {code}
        text = "\n\n".join(render_in_language(d) for d in found)
    elif _is_of_hccl(error):  # says itself in the session's language
        codes = {str(error.code)} - {code}  # type: ignore[attr-defined]
        text = "" if codes else str(error)
    else:
        raise error
    if codes or not text:
        message = say(
            "expect-other", wanted=code, found=", ".join(sorted(codes)) or "-"
        )
        raise AssertionError(message) from error
    return text


def _is_of_hccl(error: Exception) -> bool:
    """Whether it is an HcclError; only lessons about clusters load `npusim.hccl`."""
    faults = sys.modules.get("npusim.hccl.faults")
    return faults is not None and isinstance(error, faults.HcclError)


def render_in_language(diagnostic: Diagnostic) -> str:
    """The diagnostic as text in the session's language ("both": one after the
    other)."""
    from npusim.diagnostic import language as setting

    chosen = setting.current()
    languages = LANGUAGES if chosen == "both" else (chosen,)
    return "\n".join(diagnostic.render(one) for one in languages)
