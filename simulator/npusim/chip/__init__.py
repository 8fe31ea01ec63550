"""Floor 0: chip descriptions. Cores, clock, memories and cost tables as data files."""

from npusim.chip.model import Chip, Constant, VectorCost, chip_names, load_chip

__all__ = ["Chip", "Constant", "VectorCost", "chip_names", "load_chip"]
