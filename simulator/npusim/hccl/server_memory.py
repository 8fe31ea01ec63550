"""Memory that the ranks of a server share, and when ranks start.

`allocate` takes bytes of the rank's server until `release` or the end of the rank;
what does not fit is EI0007, for whoever asks last. A rank that starts more than
HCCL_CONNECT_TIMEOUT after another is EI0015, or EI0006 if it is rank 0. Left out:
fragments, paging, memory of the NPUs themselves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from npusim.hccl.faults import HcclError
from npusim.hccl.topology import Topology

NEVER = float("inf")


class ServerMemory:
    """`nbytes` on each server; None: as much as anybody asks for."""

    def __init__(self, topology: Topology, nbytes: int | None):
        self.total = None if nbytes is None else _whole("server_nbytes", nbytes)
        self._devices = topology.devices
        self._held: dict[int, int] = defaultdict(int)  # rank → bytes

    def allocate(self, rank: int, nbytes: int) -> None:
        """Take `nbytes` for a rank; HcclError EI0007 if its server has not so many."""
        wanted, server = _whole("allocate", nbytes), rank // self._devices
        if self.total is not None:
            holders = [
                r
                for r, held in self._held.items()
                if held and r // self._devices == server
            ]
            free = self.total - sum(self._held[r] for r in holders)
            if wanted > free:
                facts = {"rank": rank, "server": server, "wanted": wanted}
                facts |= {"free": free, "total": self.total, "holders": len(holders)}
                raise HcclError("EI0007", "out-of-memory", **facts)
        self._held[rank] += wanted

    def release(self, rank: int, nbytes: int | None = None) -> None:
        """Give back `nbytes`, or all; HcclError EI0003 for more than the rank holds."""
        held = self._held[rank]
        wanted = held if nbytes is None else _whole("release", nbytes)
        if wanted > held:
            raise HcclError(
                "EI0003", "release-more", rank=rank, wanted=wanted, held=held
            )
        self._held[rank] -= wanted


def _whole(name: str, value: Any) -> int:
    if type(value) is not int or value < 0:
        raise HcclError("EI0003", "bad-memory", name=name, value=value)
    return value


def start_times(given: Sequence[float | None] | None, ranks: int) -> list[float]:
    """When each rank starts, in µs; infinite for one that never does."""
    if given is None:
        return [0.0] * ranks
    times = [NEVER if one is None else one for one in given]
    numbers = all(type(one) in (int, float) and one >= 0 for one in times)
    if len(times) != ranks or not numbers:
        raise HcclError("EI0003", "bad-start", ranks=ranks, value=list(given))
    return [float(one) for one in times]


def require_connected(starts: Sequence[float], limit_s: int) -> None:
    """HcclError EI0015 or EI0006 if a rank starts too long after the others."""
    limit_us, first = limit_s * 1e6, min(starts)
    if starts[0] > first + limit_us or starts[0] == NEVER:
        rank = starts.index(first)
        raise HcclError("EI0006", "peer-waits", rank=rank, limit_s=limit_s)
    late = [rank for rank, one in enumerate(starts) if one > starts[0] + limit_us]
    if late:
        missing = ", ".join(map(str, late))
        facts = {"rank": 0, "missing": missing, "limit_s": limit_s}
        raise HcclError("EI0015", "root-waits", **facts)
