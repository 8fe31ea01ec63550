"""What a collective costs, as formulas: α a step, β a byte (HCCL guide, Hockney model).

`steps` and `volume` of a level: D = steps·α + volume·β, where volume counts the bytes
that pass the busiest link. Valid where links are not shared by several messages of a
step; the tests compare them with the event version on such links. They serve 10,000
ranks, where events would take long. α·steps + β·n, n the bytes of the whole buffer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from npusim.hccl.links import Link


@dataclass(frozen=True)
class Cost:
    """`steps` times the latency, and `volume_nbytes` over the busiest link."""

    steps: int
    volume_nbytes: float

    def time_us(self, link: Link) -> float:
        """The time on links of this kind."""
        return self.steps * link.latency_us + self.volume_nbytes / (
            link.collective_gb_s * 1e3
        )


def log2_up(p: int) -> int:
    """⌈log2 p⌉."""
    return (p - 1).bit_length()


def log2_down(p: int) -> int:
    """⌊log2 p⌋."""
    return p.bit_length() - 1


def _phase(steps: Callable[[int], int]) -> Callable[[int, float], Cost]:
    """`steps(p)` steps that move (p-1)/p of the buffer."""
    return lambda p, n: Cost(steps(p), (p - 1) / p * n)


def _twice(one: Callable[[int, float], Cost]) -> Callable[[int, float], Cost]:
    def both(p: int, n: float) -> Cost:
        cost = one(p, n)
        return Cost(2 * cost.steps, 2 * cost.volume_nbytes)

    return both


def _mesh(p: int, n: float) -> Cost:
    return Cost(1, n / p) if p > 1 else Cost(0, 0.0)


def _chain(p: int, n: float) -> Cost:
    return Cost(p - 1, (p - 1) * n)


def _tree(p: int, n: float) -> Cost:
    return Cost(log2_up(p), log2_up(p) * n)


def _halving_all_reduce(p: int, n: float) -> Cost:
    core = 1 << log2_down(p)
    inner = Cost(2 * log2_down(p), 2 * (core - 1) / core * n)
    if core == p:
        return inner
    return Cost(inner.steps + 2, inner.volume_nbytes + 2 * n)


_RING, _LOG = _phase(lambda p: p - 1), _phase(log2_up)
_PHASES = ("all_gather", "reduce_scatter", "scatter", "gather")
_WHOLE = ("all_reduce", "broadcast", "reduce")

FORMS: Mapping[str, Mapping[str, Callable[[int, float], Cost]]] = {
    "ring": {
        **dict.fromkeys(_PHASES, _RING),
        "all_reduce": _twice(_RING),
        "broadcast": _chain,
        "reduce": _chain,
    },
    "mesh": {**dict.fromkeys(_PHASES, _mesh), **dict.fromkeys(_WHOLE, _twice(_mesh))},
    "NHR": {**dict.fromkeys(_PHASES, _LOG), **dict.fromkeys(_WHOLE, _twice(_LOG))},
    "NB": {**dict.fromkeys(_PHASES, _LOG), **dict.fromkeys(_WHOLE, _twice(_LOG))},
    "H-D_R": {
        "all_gather": _LOG,
        "reduce_scatter": _LOG,
        "all_reduce": _halving_all_reduce,
        "broadcast": _tree,
    },
    "tree": {
        "broadcast": _tree,
        "reduce": _tree,
        "all_reduce": _twice(_tree),
        "scatter": _LOG,
        "gather": _LOG,
    },
    "pairwise": {"all_to_all": _RING},
}


def cost(algorithm: str, collective: str, ranks: int, nbytes: float) -> Cost:
    """The cost of one level; KeyError for a pair that has no formula."""
    return FORMS[algorithm][collective](ranks, nbytes)


def pipeline_us(
    outer: Link, inner: Link, servers: int, devices: int, nbytes: float
) -> float:
    """One phase (all-gather or reduce-scatter) with both levels at the same time."""
    share = nbytes / (servers * devices)
    between, inside = outer.step_us(share), inner.step_us(share)
    return (servers - 1) * max(between, inside) + inside
