"""Floor 2: execution of a Program on numpy, many blocks at once.

`execute` runs a launch and leaves an `Execution`: results in its buffers, and the
instruction stream that timing, checks and pictures read. It knows nothing of them.
"""

from npusim.core.execute import Execution, execute
from npusim.core.instructions import INSTRUCTIONS
from npusim.core.memory import POISON, Buffer
from npusim.core.stream import Access, Cost, Segment, Step, Stream, Sync

__all__ = [
    "INSTRUCTIONS",
    "POISON",
    "Access",
    "Buffer",
    "Cost",
    "Execution",
    "Segment",
    "Step",
    "Stream",
    "Sync",
    "execute",
]
