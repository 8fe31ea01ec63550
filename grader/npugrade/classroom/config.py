"""What a class tells nbgrader: one call in its `nbgrader_config.py`.

The settings live here and not in the folder of the class, so that a class made last
year gets this year's mending. A class adds its own settings below the call.
"""

from __future__ import annotations

import sys
from pathlib import Path

from nbconvert.preprocessors import ClearMetadataPreprocessor
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    ClearOutput,
    DeduplicateIds,
    IgnorePattern,
    LimitOutput,
    OverwriteCells,
    OverwriteKernelspec,
    SaveAutoGrades,
)
from traitlets.config import Config

from npucamp.build.assignments import CODE_STUB
from npugrade.classroom.errors import ClassError
from npugrade.classroom.programs import scripts_first_on_path
from npugrade.classroom.settings import load_settings
from npugrade.nbgrader import (
    CollectPlainFiles,
    GradesTable,
    Graft,
    JudgeCells,
    SubmissionExporter,
)

CONFIG_FILE = """\
# nbgrader's settings of this class. Add your own below; class.toml has the rest.
# 本班的 nbgrader 设置。自己的设置写在下面；其余见 class.toml。
try:
    from npugrade.classroom.config import configure
except ImportError as error:
    cure = "Activate the environment of NPU Camp first. 请先激活 NPU Camp 的环境。"
    raise SystemExit(f"{error}. {cure}") from None

c = get_config()  # noqa: F821
configure(c, __file__)
"""

# nbgrader's own lists, with Graft in front and JudgeCells in the place of Execute.
SANITIZE = [
    Graft,
    ClearOutput,
    DeduplicateIds,
    OverwriteKernelspec,
    OverwriteCells,
    CheckCellMetadata,
]
AUTOGRADE = [
    JudgeCells,
    IgnorePattern,
    ClearMetadataPreprocessor,
    LimitOutput,
    SaveAutoGrades,
    AssignLatePenalties,
    CheckCellMetadata,
]


def configure(config: Config, config_file: str) -> None:
    """Point nbgrader at the class in which `config_file` lies.

    With a faulty `class.toml` the program ends here: nbgrader passes over an error in
    its settings and would go on with its own, which run learners' code.
    """
    folder = Path(config_file).resolve().parent
    try:
        settings = load_settings(folder)
    except ClassError as error:
        sys.exit(str(error))
    scripts_first_on_path()
    config.CourseDirectory.root = str(folder)
    config.CourseDirectory.course_id = settings.course
    config.Exchange.root = str(settings.exchange_path(folder))
    config.ExchangeFactory.collect = CollectPlainFiles
    config.ClearSolutions.code_stub = {"python": CODE_STUB}
    config.Autograde.exporter_class = SubmissionExporter
    config.Autograde.sanitize_preprocessors = list(SANITIZE)
    config.Autograde.autograde_preprocessors = list(AUTOGRADE)
    config.Graft.release_directory = str(folder / "release")
    config.Graft.source_directory = str(folder / "source")
    config.JudgeCells.class_directory = str(folder)
    config.ExportApp.plugin_class = GradesTable
    config.HTMLExporter.sanitize_html = True
