"""ASC-MTE-03: the UB gap of data_copy_pad given in bytes.

Gaps are bytes on the side of GM and data blocks of 32 B in UB, where every row starts
on a data block anyway. A gap that, taken as bytes, would just fill a row up to whole
data blocks is almost certainly meant so.
"""

from __future__ import annotations

from npusim.core.descriptor import Bursts
from npusim.core.group import Group
from npusim.core.memory import DATA_BLOCK_NBYTES
from npusim.core.operands import Operand


def warn_mixed_units(
    group: Group, local: Operand, bursts: Bursts, field: str, gap: int
) -> None:
    """`gap` in data blocks between rows of the local side of a copy."""
    width = bursts.left + bursts.nbytes + bursts.right
    fills = (width + gap) % DATA_BLOCK_NBYTES == 0 and width % DATA_BLOCK_NBYTES
    if bursts.number < 2 or gap == 0 or not fills:
        return
    facts = {
        "operation": local.operation,
        "field": field,
        "value": gap,
        "nbytes": gap * DATA_BLOCK_NBYTES,
        "row_nbytes": width,
        "buffer": local.name,
        "element": 0,
        "byte": 0,
    }
    machine, core = group.machine, group.first_block
    machine.report("ASC-MTE-03", "W", local.where, core, **facts)
