"""Reading a notebook file that a person names on the command line."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbformat import NotebookNode

from npucamp.speech import say


def read_notebook(path: Path) -> NotebookNode:
    """The notebook in `path`; ValueError with one sentence if there is none."""
    if not path.is_file():
        raise ValueError(say("check-no-file", path=path))
    try:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
    except Exception as error:
        lines = str(error).splitlines() or [type(error).__name__]
        message = say("check-not-notebook", path=path, reason=lines[0])
        raise ValueError(message) from error
    return notebook
