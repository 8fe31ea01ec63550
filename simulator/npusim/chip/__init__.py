"""Floor 0: what a chip is, as data. See `npusim.chip.model`."""

from npusim.chip.files import ChipFileError, chip_names, load_chip, mechanisms
from npusim.chip.model import Chip, Constant, Mechanism, VectorCost

__all__ = [
    "Chip",
    "ChipFileError",
    "Constant",
    "Mechanism",
    "VectorCost",
    "chip_names",
    "load_chip",
    "mechanisms",
]
