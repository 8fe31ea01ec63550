"""ASC-BANK-39: vector instructions that wait for banks of the Unified Buffer."""

from __future__ import annotations

from typing import Any, NamedTuple

from npusim.check.notes.work import Work, percent, threshold
from npusim.core.stream import Step
from npusim.timing import TICKS_PER_CYCLE
from npusim.timing.vector_price import VectorPrices

_BLOCK = 32  # bytes of a data block


class _Conflict(NamedTuple):
    """Cycles of all repeats without and with conflicts."""

    free: float
    taken: float


def check(work: Work) -> None:
    """One note, at the line whose conflicts cost most, where V is busy."""
    if work.ratio("V") < threshold("busy"):
        return
    prices = VectorPrices(work.execution.chip)
    extra: dict[int, float] = {}
    example: dict[int, Step] = {}
    for part in work.classes:
        for step in part.steps:
            if step.cost.kind == "vector":
                found = _conflict(prices, step)
                cost = (found.taken - found.free) * part.blocks
                extra[step.where] = extra.get(step.where, 0.0) + cost
                if cost:
                    example[step.where] = step
    gain = work.share(sum(extra.values()))
    if gain >= threshold("gain"):
        where = max(extra, key=lambda w: extra[w])
        facts = _facts(example[where], _conflict(prices, example[where]))
        work.add("ASC-BANK-39", gain, where, share=percent(gain), **facts)


def _conflict(prices: VectorPrices, step: Step) -> _Conflict:
    price = prices.price(step)
    unit = TICKS_PER_CYCLE
    return _Conflict(price.free_ticks / unit, price.independent.repeats / unit)


def _facts(step: Step, found: _Conflict) -> dict[str, Any]:
    repeats = max(1, step.cost.repeats)
    facts: dict[str, Any] = {
        "operation": step.name, "minimum": f"{found.free / repeats:g}",
        "cycles": f"{found.taken / repeats:.3g}",
    }  # fmt: skip
    widest = max(step.cost.banks, key=lambda bank: abs(bank[1]), default=None)
    if widest is not None:
        return facts | {"stride": widest[1] // _BLOCK, "pitch": widest[2] // _BLOCK}
    sources = [(access.name, int(access.base)) for access in step.reads[:2]]
    (first, start), (second, other) = (sources * 2)[:2]
    distance = other - start
    return facts | {
        "reason": "sources", "first": first, "second": second, "distance": distance,
    }  # fmt: skip
