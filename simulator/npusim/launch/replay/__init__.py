"""Lenient mode: what the hardware would have computed, faults and all.

Reading order: `faults` (which faults hardware outlives), `record` (what the strict run
leaves for the replay), `order` (who acts when), `scalar_unit` (registers, strict and
damaged), `memory` (one step's effect), `play` (all of it).
"""

from npusim.launch.replay.faults import survivable
from npusim.launch.replay.play import Replayed, replay
from npusim.launch.replay.record import Recorder

__all__ = ["Recorder", "Replayed", "replay", "survivable"]
