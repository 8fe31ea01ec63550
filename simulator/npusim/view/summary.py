"""What a Run shows in a notebook: the table, the timeline, the messages."""

from __future__ import annotations

from collections.abc import Iterable

from npusim.diagnostic import Diagnostic, KernelError, render_html
from npusim.diagnostic.language import current, parts
from npusim.launch import Run
from npusim.profile import profile
from npusim.profile.table import profile_html
from npusim.view.labels import LABELS
from npusim.view.timeline import timeline


def run_html(run: Run, language: str | None = None) -> str:
    """Table and verdict, timeline, diagnostics, in the reader's language."""
    language = language or current()
    counters = profile(run)
    tables = "".join(profile_html(counters, part) for part in parts(language))
    picture = timeline(run, language=language)._repr_html_()
    messages = diagnostics_html(run.diagnostics, language)
    return f"<div class='npusim-run'>{tables}{picture}{messages}</div>"


def diagnostics_html(diagnostics: Iterable[Diagnostic], language: str) -> str:
    """Each message in each language that the reader sees."""
    return "".join(render_html(d, language) for d in diagnostics)


def error_html(error: KernelError, language: str | None = None) -> str:
    """A failed launch: its messages, then what ran up to the fault, folded away."""
    language = language or current()
    messages = diagnostics_html(error.diagnostics, language)
    if error.run is None:
        return f"<div class='npusim-error'>{messages}</div>"
    picture = timeline(error.run, language=language)._repr_html_()
    title = LABELS("before_fault", parts(language)[0])
    details = f"<details><summary>{title}</summary>{picture}</details>"
    return f"<div class='npusim-error'>{messages}{details}</div>"
