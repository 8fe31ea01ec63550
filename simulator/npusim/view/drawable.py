"""Names from the source, as far as the shipped font can draw them."""

from __future__ import annotations

from functools import cache

from npusim.view.fonts import ASCII
from npusim.view.labels import LABELS

MISSING = "?"  # stands for a character that the font does not have


@cache
def _characters() -> frozenset[str]:
    return frozenset(ASCII) | frozenset(LABELS.characters())


def drawable(text: str) -> str:
    """`text` with `?` for what the font lacks: a source may use any identifier."""
    known = _characters()
    return "".join(c if c in known else MISSING for c in text)
