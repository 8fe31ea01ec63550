"""What the commands print: findings of the doctor, copies into the workspace."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from npucamp.doctor import Finding
from npucamp.speech import say
from npucamp.workspace import Copied

_GOOD, _BAD, _OPTIONAL = "[green]✓[/]", "[red]✗[/]", "[yellow]–[/]"


def print_findings(findings: list[Finding]) -> None:
    """A table with one row for each finding and a closing sentence."""
    table = Table(box=None, show_header=False, pad_edge=False)
    for finding in findings:
        table.add_row(_mark(finding), finding.title, finding.found, finding.cure)
    console = Console(soft_wrap=True, emoji=False)
    console.print(table)
    missing = sum(f.must and not f.good for f in findings)
    key = "doctor-bad" if missing else "doctor-good"
    console.print(say(key, count=missing), markup=False)


def _mark(finding: Finding) -> str:
    if finding.good:
        return _GOOD
    return _BAD if finding.must else _OPTIONAL


def print_copies(copies: Iterable[Copied]) -> None:
    """One line for each file that was laid into the workspace."""
    for copied in copies:
        print(say(f"work-{copied.kind}", path=copied.path, beside=copied.beside))
