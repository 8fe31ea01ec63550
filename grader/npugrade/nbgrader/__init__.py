"""What nbgrader loads in place of its own steps, so that no learner code runs in it.

    submitted notebook ─▶ SubmissionExporter ─▶ Graft ─▶ … ─▶ JudgeCells ─▶ gradebook
                          reads anything        rebuilds      asks the judge

`Graft` stands first in `Autograde.sanitize_preprocessors`, `JudgeCells` stands in
`Autograde.autograde_preprocessors` where nbgrader has `Execute`. Both lists are
supported settings of nbgrader; `npugrade.classroom.config` sets them for a class, with
`CollectPlainFiles` for `nbgrader collect` and `GradesTable` for `nbgrader export`.
"""

from npugrade.nbgrader.collect import CollectPlainFiles
from npugrade.nbgrader.export import GradesTable
from npugrade.nbgrader.graft import Graft
from npugrade.nbgrader.judge_cells import JudgeCells
from npugrade.nbgrader.submission import SubmissionExporter

__all__ = [
    "CollectPlainFiles",
    "GradesTable",
    "Graft",
    "JudgeCells",
    "SubmissionExporter",
]
