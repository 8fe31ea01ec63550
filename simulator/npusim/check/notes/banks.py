"""ASC-BANK-39: vector instructions that wait for banks of the Unified Buffer."""

from __future__ import annotations

from typing import Any, NamedTuple

from npusim.check.notes.work import Work, percent, threshold
from npusim.core.stream import Step
from npusim.timing import TICKS_PER_CYCLE
from npusim.timing.vector_price import VectorPrices, prices_of

_BLOCK = 32  # bytes of a data block


class _Conflict(NamedTuple):
    """Cycles of all repeats without and with conflicts."""

    free: float
    taken: float


def check(work: Work) -> None:
    """One note, at the line whose conflicts cost most, where V is busy."""
    if work.ratio("V") < threshold("busy"):
        return
    prices = prices_of(work.execution.chip)
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
        facts = _facts(prices, example[where])
        work.add("ASC-BANK-39", gain, where, share=percent(gain), **facts)


def _conflict(prices: VectorPrices, step: Step) -> _Conflict:
    price = prices.price(step)
    free = price.free_ticks / TICKS_PER_CYCLE
    return _Conflict(free, free + price.conflict_ticks / TICKS_PER_CYCLE)


def _facts(prices: VectorPrices, step: Step) -> dict[str, Any]:
    repeats, found = max(1, step.cost.repeats), _conflict(prices, step)
    facts: dict[str, Any] = {
        "operation": step.name, "minimum": f"{found.free / repeats:g}",
        "cycles": f"{found.taken / repeats:.3g}",
    }  # fmt: skip
    if step.cost.banks and prices.ways(step, 0) > 1:
        widest = max(step.cost.banks, key=lambda bank: abs(bank[1]))
        return facts | {"stride": widest[1] // _BLOCK, "pitch": widest[2] // _BLOCK}
    if prices.conflict(step.reads):
        first, second = step.reads[:2]
        distance = abs(int(second.base) - int(first.base))
        places = {"first": first.name, "second": second.name, "distance": distance}
        return facts | {"reason": "sources", **places}
    places = {"first": step.reads[0].name, "second": step.writes[-1].name}
    window = prices.rule.window // 1024
    return facts | {"reason": "writes", **places, "window": window}
