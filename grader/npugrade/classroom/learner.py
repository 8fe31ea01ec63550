"""What a learner's own nbgrader needs of a class: its name and the way to it."""

from __future__ import annotations

import stat
from pathlib import Path

from npugrade.classroom.settings import load_settings

_CONFIG = """\
c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "{course}"
c.Exchange.root = {exchange!r}
"""


def learner_config(folder: Path) -> str:
    """The `nbgrader_config.py` that a learner of this class needs."""
    settings = load_settings(folder)
    exchange = str(settings.exchange_path(folder.resolve()))
    return _CONFIG.format(course=settings.course, exchange=exchange)


def closed_folders(folder: Path) -> list[Path]:
    """Folders on the way to the exchange that other accounts cannot enter.

    Many systems make homes like that (mode 0700 or 0750): with a class in a home,
    learners with accounts of their own are then told "Unwritable directory".
    """
    exchange = load_settings(folder).exchange_path(folder).resolve()
    return [
        path
        for path in reversed((exchange, *exchange.parents))
        if path.is_dir() and not path.stat().st_mode & stat.S_IXOTH
    ]
