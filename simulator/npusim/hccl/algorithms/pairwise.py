"""Pairwise exchange for all-to-all: in step k rank r sends to r + k, p - 1 steps.

Cost: (p-1)·α + β·Σ_k max_i n(i, i+k), where n(i, j) are the bytes from i to j.
"""

from __future__ import annotations

from npusim.hccl.schedule import Schedule, Transfer, from_rounds


def all_to_all(p: int) -> Schedule:
    """Slice r·p + t is what rank r has for rank t."""
    rounds = (
        (Transfer(r, (r + k) % p, (r * p + (r + k) % p,)) for r in range(p))
        for k in range(1, p)
    )
    return from_rounds(p, p * p, rounds)
