"""How much of a window of time each link between two ranks carried something.

A message holds its link for bytes ÷ rate; the latency that follows holds nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from npusim.hccl.events import Message
from npusim.hccl.topology import Topology

_NBYTES_A_US = 1e3  # of 1 GB/s


@dataclass(frozen=True)
class LinkShare:
    """One way from `source` to `target` in a window: `share` of it busy, 0 to 1;
    `nbytes` carried; `inside`: within a server."""

    source: int
    target: int
    link: str
    inside: bool
    share: float
    nbytes: float
    window_us: float

    @property
    def gb_s(self) -> float:
        """Bytes by the whole window, in GB/s of 1e9 bytes."""
        return self.nbytes / (self.window_us * _NBYTES_A_US)


def link_shares(
    messages: Iterable[Message], topology: Topology, start_us: float, end_us: float
) -> list[LinkShare]:
    """Every way that carried something from `start_us` to `end_us`, by source, target.

    ValueError for an empty window."""
    if not end_us > start_us:
        raise ValueError(f"no time between {start_us} and {end_us} us")
    window_us = end_us - start_us
    busy: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for one in messages:
        held = topology.link(one.source, one.target).occupied_us(one.nbytes)
        inside = min(one.begin_us + held, end_us) - max(one.begin_us, start_us)
        if inside > 0:
            carried = one.nbytes * inside / held
            busy.setdefault((one.source, one.target), []).append((inside, carried))
    return [
        LinkShare(
            source,
            target,
            topology.link(source, target).name,
            topology.place(source)[0] == topology.place(target)[0],
            min(1.0, math.fsum(time for time, _ in parts) / window_us),
            math.fsum(nbytes for _, nbytes in parts),
            window_us,
        )
        for (source, target), parts in sorted(busy.items())
    ]
