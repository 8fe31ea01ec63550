"""Floor 6: counters, profiler files and the verdict line. Joins `Run` when imported."""

from npusim.launch import Run
from npusim.profile.compare import Comparison, compare
from npusim.profile.counters import PipeCounter, Profile, profile
from npusim.profile.named import COUNTER_NAMES, named_counters
from npusim.profile.save import save
from npusim.profile.trace import trace
from npusim.profile.verdict import verdict

Run.register("profile", profile, as_property=True)
Run.register("save", save)
Run.register("compare", compare)
Run.register("counters", named_counters, as_property=True)

__all__ = [
    "COUNTER_NAMES",
    "Comparison",
    "PipeCounter",
    "Profile",
    "compare",
    "named_counters",
    "profile",
    "save",
    "trace",
    "verdict",
]
