"""Floor 3: when every step happens. Pipes, flags, queues, shared bandwidth, launch.

Reading order: `lower` (stream to operations), `pipes` (one core), `traffic` and `rates`
(bytes and copies), `contention` (all cores), `launch_time` (the whole), `floor`.
"""

from npusim.timing.floor import floor_cycles, launch_cycles
from npusim.timing.launch_time import CODE_STATES, bypassing, time_execution
from npusim.timing.result import ClassTiming, Timing
from npusim.timing.ticks import TICKS_PER_CYCLE, cycles_of_ticks
from npusim.timing.traffic import CACHE_STATES

__all__ = [
    "CACHE_STATES",
    "CODE_STATES",
    "TICKS_PER_CYCLE",
    "ClassTiming",
    "Timing",
    "bypassing",
    "cycles_of_ticks",
    "floor_cycles",
    "launch_cycles",
    "time_execution",
]
