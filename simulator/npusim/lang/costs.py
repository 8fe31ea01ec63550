"""What `help(asc.add)` says of an instruction's cost: start-up, cycles per repeat.

The numbers are the chip's (`npusim.chip`), read when the text is made; nothing is
stored here. A row without a public number says so.
"""

from __future__ import annotations

from npusim.chip import Chip, VectorCost, load_chip
from npusim.lang.forms import Signature
from npusim.lang.vector_signatures import CAST_PAIRS

CHIP = "910B1"


def cost_text(signature: Signature) -> str:
    """Cost of a vector instruction as a line; "" where the chip has none."""
    chip = load_chip(CHIP)
    rows = {label: row for label, key, dtype in _keys(signature)
            if (row := _row(chip, key, dtype)) is not None}  # fmt: skip
    if not rows:
        return ""
    start = chip.constant("vector_start")
    head = f"Cost ({CHIP}): start-up {start:g} cycles, then per repeat of 256 B: "
    return head + "; ".join(_grouped(rows)) + "."


def _keys(signature: Signature) -> list[tuple[str, str, str]]:
    """(label, row of the cost table, dtype)."""
    if signature.name == "cast":
        sources = sorted({source for _, source in CAST_PAIRS})
        return [(f"from {s}", f"cast_{s}", s) for s in sources]
    return [(d, signature.name, d) for d in signature.dtypes]


def _row(chip: Chip, key: str, dtype: str) -> VectorCost | None:
    try:
        return chip.vector_cost(key, dtype)
    except KeyError:
        return None


def _grouped(rows: dict[str, VectorCost]) -> list[str]:
    """Labels with the same cost together."""
    groups: dict[str, list[str]] = {}
    for label, row in rows.items():
        groups.setdefault(_words(row), []).append(label)
    if len(groups) == 1:
        return list(groups)
    return [f"{', '.join(labels)}: {words}" for words, labels in groups.items()]


def _words(row: VectorCost) -> str:
    words = f"{row.free:g} cycle{'s' if row.free != 1 else ''}"
    if row.conflict != row.free:
        words += f" ({row.conflict:g} where both sources share a bank group)"
    return words + (", no public number" if row.confidence == "none" else "")
