"""The picture of a feedback page: the learner's own timeline in one visible case.

Chosen is the first visible case that failed in a run, else the counted one, else the
last. Hidden cases are never shown: a timeline tells their lengths. Matplotlib is loaded
only when a picture is drawn.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass

from npugrade.cases import CaseData
from npugrade.messages import say
from npugrade.verdict import Picture
from npusim.launch import Run

_PICTURE_DPI = 80  # pixels for an inch: a page of ten tasks stays below 1 MB


def get_ready() -> None:
    """Load what draws a picture now, not at the first picture."""

    import npusim.view  # noqa: F401


@dataclass
class ShownRun:
    """The run that would be shown, as far as cases have been run."""

    run: Run | None = None
    case: str = ""
    rank: int = -1
    failed: bool = False

    def offer(self, data: CaseData, run: Run | None, failed: bool) -> None:
        """Take `run` where it is better to show than the one so far."""
        rank = 2 if failed else int(data.case.performance)
        later = rank > self.rank or (rank == self.rank and not failed)
        if run is None or data.hidden or not later:
            return
        self.run, self.case, self.rank, self.failed = run, data.case.name, rank, failed

    def picture(self, language: str) -> Picture | None:
        """The timeline; None where nothing ran or nothing can be drawn."""
        if self.run is None:
            return None
        from npusim.view import timeline

        language = "en" if language == "both" else language
        try:
            shown = timeline(self.run, language=language)
            png = base64.b64encode(shown.png(dpi=_PICTURE_DPI)).decode()
        except (ValueError, LookupError, ArithmeticError, MemoryError):
            return None  # no picture is worth a grade
        key = "picture.failed" if self.failed else "picture.passed"
        return Picture(png, say(key, case=self.case))
