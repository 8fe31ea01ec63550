"""What a learner's own nbgrader must know of a class: its name and its exchange."""

from __future__ import annotations

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
