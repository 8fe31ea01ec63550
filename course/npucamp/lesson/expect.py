"""A deliberate failure: `with expect("ASC-RACE-15"):` shows the message and goes on.

Another message, or none, is an AssertionError, so that a test of the notebook fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from npucamp.coursemap import met_id
from npucamp.journal import note
from npucamp.lesson import session
from npucamp.speech import LANGUAGES, say
from npusim.diagnostic.model import Diagnostic, KernelError


@contextmanager
def expect(code: str) -> Iterator[None]:
    """Run a block that must raise a KernelError with the diagnostic `code`.

    The message is printed in the session's language. AssertionError if another or
    none comes; any other exception passes through."""
    try:
        yield
    except KernelError as error:
        found = [d for d in error.diagnostics if d.code == code]
        others = sorted(
            {d.code for d in error.diagnostics if d.severity == "E"} - {code}
        )
        if not found or others:
            codes = ", ".join(others) or "-"
            message = say("expect-other", wanted=code, found=codes)
            raise AssertionError(message) from error
        print("\n\n".join(render_in_language(d) for d in found))
        note("expect", met_id(session.lesson(), code), "met")
        return
    raise AssertionError(say("expect-none", wanted=code))


def render_in_language(diagnostic: Diagnostic) -> str:
    """The diagnostic as text in the session's language ("both": one after the
    other)."""
    from npusim.diagnostic import language as setting

    chosen = setting.current()
    languages = LANGUAGES if chosen == "both" else (chosen,)
    return "\n".join(diagnostic.render(one) for one in languages)
