"""Floor 4: observers that find faults in the instruction stream of an execution.

They read streams and change nothing: no cycle, no bit. `check_execution` returns the
findings; `mark_written` notes which bytes of poisoned buffers a launch has defined.
"""

from npusim.check.outputs import mark_written
from npusim.check.report import check_execution

__all__ = ["check_execution", "mark_written"]
