"""When was a submission made? By the clock of the machine that holds the exchange.

The name of a submission's folder and its `timestamp.txt` are the learner's own word.
The kernel of the exchange's machine notes when each file last changed (ctime); an owner
can set any other time of a file, not this one. A file altered after the deadline counts
from then on. Left out: an exchange restored from a backup, where every file is new.
"""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

FORMAT = "%Y-%m-%d %H:%M:%S.%f UTC"  # what nbgrader reads and writes
TOLERANCE = timedelta(minutes=5)  # of two clocks that agree


def server_time(folder: Path) -> datetime | None:
    """The latest change of a file in `folder`, in UTC without a zone, as nbgrader keeps
    times; None where the folder holds none or cannot be read. Links are not followed.
    """
    try:
        with os.scandir(folder) as entries:
            states = [entry.stat(follow_symlinks=False) for entry in entries]
    except OSError:
        return None
    times = [s.st_ctime for s in states if stat.S_ISREG(s.st_mode)]
    if not times:
        return None
    return datetime.fromtimestamp(max(times), UTC).replace(tzinfo=None)


def differs(word: datetime, server: datetime) -> bool:
    """Whether a learner's word is not what the server saw."""
    return abs(word - server) > TOLERANCE
