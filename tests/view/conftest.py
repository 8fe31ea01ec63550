"""The runs of tests/profile, under the same fixture names."""

import importlib.util
from pathlib import Path

_FILE = Path(__file__).parents[1] / "profile" / "conftest.py"
_spec = importlib.util.spec_from_file_location("shown_runs", _FILE)
_shown_runs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_shown_runs)

kernel, launch, run = _shown_runs.kernel, _shown_runs.launch, _shown_runs.run
