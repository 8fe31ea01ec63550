"""`npucamp build` and `npucamp build --check`."""

from __future__ import annotations

import sys

from npucamp.build import outputs
from npucamp.paths import repository
from npucamp.speech import say


def build_all() -> bool:
    """Write every built file; True (faults are exceptions)."""
    written = outputs.build(repository())
    print(say("build-wrote", count=len(written)))
    return True


def check_all() -> bool:
    """Whether the committed files are what their sources give; says which are not."""
    root = repository()
    lines = outputs.differences(root)
    if lines:
        print("\n".join([*lines, say("build-differs")]), file=sys.stderr)
        return False
    print(say("build-same"))
    return True
