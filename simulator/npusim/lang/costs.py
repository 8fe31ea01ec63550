"""What `help(asc.add)` says of an instruction's cost: start-up, cycles per repeat.

The numbers are the chip's (`npusim.chip`), read when the text is made; nothing is
stored here. A row without a public number says so.
"""

from __future__ import annotations

from npusim.chip import Chip, VectorCost, load_chip
from npusim.lang.forms import Signature
from npusim.lang.help import line
from npusim.lang.vector_signatures import CAST_PAIRS

CHIP = "910B1"


def cost_text(signature: Signature, language: str = "en") -> str:
    """Cost of a vector instruction as a line; "" where the chip has none."""
    chip = load_chip(CHIP)
    rows = {label: row for label, key, dtype in _keys(signature, language)
            if (row := _row(chip, key, dtype)) is not None}  # fmt: skip
    if not rows:
        return ""
    shown = line("between", language).join(_grouped(rows, language))
    start = chip.constant("vector_start")
    return line("cost", language, chip=CHIP, start=start, rows=shown)


def _keys(signature: Signature, language: str) -> list[tuple[str, str, str]]:
    """(label, row of the cost table, dtype)."""
    if signature.name == "cast":
        sources = sorted({source for _, source in CAST_PAIRS})
        return [(line("source", language, dtype=s), f"cast_{s}", s) for s in sources]
    return [(d, signature.name, d) for d in signature.dtypes]


def _row(chip: Chip, key: str, dtype: str) -> VectorCost | None:
    try:
        return chip.vector_cost(key, dtype)
    except KeyError:
        return None


def _grouped(rows: dict[str, VectorCost], language: str) -> list[str]:
    """Labels with the same cost together."""
    groups: dict[str, list[str]] = {}
    for label, row in rows.items():
        groups.setdefault(_words(row, language), []).append(label)
    if len(groups) == 1:
        return list(groups)
    between = line("and", language)
    return [
        line("group", language, labels=between.join(labels), cost=cost)
        for cost, labels in groups.items()
    ]


def _words(row: VectorCost, language: str) -> str:
    words = line("cycle" if row.free == 1 else "cycles", language, free=row.free)
    if row.conflict != row.free:
        words += line("conflict", language, conflict=row.conflict)
    return words + (line("guess", language) if row.confidence == "none" else "")
