"""Floor 6: counters, profiler files and the verdict line. Joins `Run` when imported."""

from npusim.launch import Run
from npusim.profile.counters import PipeCounter, Profile, profile
from npusim.profile.save import save
from npusim.profile.trace import trace
from npusim.profile.verdict import verdict

Run.register("profile", profile, as_property=True)
Run.register("save", save)

__all__ = ["PipeCounter", "Profile", "profile", "save", "trace", "verdict"]
