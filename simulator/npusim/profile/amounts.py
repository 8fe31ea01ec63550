"""Numbers as a reader sees them: with unit, three figures, thousands separated."""

from __future__ import annotations

_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def figures(value: float) -> str:
    """Three significant figures without exponent: 0.123, 1.23, 12.3, 1,234."""
    if value == 0:
        return "0"
    digits = 2
    limit = 10.0
    while abs(value) >= limit and digits:
        digits -= 1
        limit *= 10
    return f"{value:,.3f}" if abs(value) < 1 else f"{value:,.{digits}f}"


def nbytes_text(nbytes: float) -> str:
    """Decimal units, as bandwidth has: 402.7 MB is written `403 MB`."""
    for factor, prefix in _PREFIXES:
        if nbytes >= factor:
            return f"{figures(nbytes / factor)} {prefix}B"
    return f"{nbytes:,.0f} B"


def share_text(ratio: float) -> str:
    """A ratio in percent; a tenth below 10 %, so that little is not nothing."""
    return f"{ratio:.1%}" if 0 < ratio < 0.0995 else f"{ratio:.0%}"


def count_text(count: float) -> str:
    return f"{count:,.0f}"
