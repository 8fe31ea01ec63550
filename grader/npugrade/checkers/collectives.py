"""Is an audit of a two-level all-reduce true? Judged by simulating it, not by formula.

Mesh inside the servers, ring between them, message by message in `npusim.hccl`. A size
is right where 0.1 % less keeps the limit and 0.1 % more does not. Left out: pipelining.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from npugrade.outcome import Outcome, Refused

ROOM = 1e-3  # relative
_LEAST_US = 1e-3
_ROOM_NBYTES = 4096  # slices are whole bytes
_MOST_NBYTES = 1 << 40
_KEYS = ("time_us", "largest_nbytes", "port_share")


def all_reduce_audit(arguments: Mapping[str, Any], answer: Any) -> Outcome:
    """Refused unless time, size and share are those of the simulated all-reduce."""
    numbers = _numbers(answer)
    time_us, share = _simulated(arguments, int(arguments["nbytes"]))
    _compare("time_us", numbers["time_us"], time_us, _LEAST_US)
    _check_largest(arguments, numbers["largest_nbytes"])
    _compare("port_share", numbers["port_share"], share, ROOM * ROOM)
    return Outcome(1, 1)


def _numbers(answer: Any) -> dict[str, Any]:
    if not isinstance(answer, dict) or set(answer) != set(_KEYS):
        raise Refused("allreduce.form")
    if any(type(answer[key]) not in (int, float) for key in _KEYS):
        raise Refused("allreduce.form")
    size = answer["largest_nbytes"]
    if type(size) is not int or not 0 <= size <= _MOST_NBYTES:
        raise Refused("allreduce.size")
    return answer


def _compare(key: str, got: float, due: float, least: float) -> None:
    if not abs(got - due) <= max(ROOM * abs(due), least):
        raise Refused("allreduce.number", name=key, got=float(got), due=due)


def _check_largest(arguments: Mapping[str, Any], size: int) -> None:
    limit_us, room = arguments["limit_us"], int(ROOM * size) + _ROOM_NBYTES
    if _simulated(arguments, 0)[0] > limit_us:
        if size:
            raise Refused("allreduce.never", size=size)
        return
    if _simulated(arguments, max(0, size - room))[0] > limit_us:
        raise Refused("allreduce.large", size=size, limit=limit_us)
    if _simulated(arguments, size + room)[0] <= limit_us:
        raise Refused("allreduce.small", size=size, limit=limit_us)


def _simulated(arguments: Mapping[str, Any], nbytes: int) -> tuple[float, float]:
    """(time in µs, share of the peak that the busiest port carries)."""
    from npusim.hccl.links import Link
    from npusim.hccl.measure import replay
    from npusim.hccl.selector import Choice
    from npusim.hccl.topology import Topology

    m, d = int(arguments["servers"]), int(arguments["devices"])
    peak = float(arguments["peak_gb_s"])

    def link(name: str, kind: str) -> Link:
        rate, latency = arguments[f"{name}_gb_s"], arguments[f"{name}_us"]
        return Link(name, kind, peak, rate, latency, rate, 0.0, rate, 0.0)

    cluster = Topology("audit", m, d, link("inside", "pair"), link("between", "port"))
    levels = "mesh" if d > 1 else None, "ring" if m > 1 else None
    choice = Choice("all_reduce", *levels, "choice-demanded")
    time_us, messages = replay(choice, cluster, nbytes)
    sent = [0] * cluster.ranks
    for one in messages:
        sent[one.source] += one.nbytes if one.link == "between" else 0
    return time_us, max(sent) / (peak * 1e3) / time_us
