"""Two levels: a mesh inside each server, another algorithm among the servers.

The order of the levels is HCCL's on A2 (user guide): all-reduce reduces and scatters
inside, all-reduces among the servers, gathers inside; broadcast scatters inside,
broadcasts, gathers inside; reduce-scatter and scatter work among the servers first,
all-gather, gather and all-to-all inside first. Rank s·d + i is device i of server s,
and the NPUs with the same i form a *rail* among the servers.

Left out: servers with different numbers of NPUs (one level is used then).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from npusim.hccl.algorithms import schedule
from npusim.hccl.schedule import Schedule, Transfer, from_rounds, side_by_side

Cut = Callable[[int, int], Iterable[int]]


@dataclass(frozen=True)
class Levels:
    """`servers` servers of `devices` NPUs; the algorithm of each level."""

    servers: int
    devices: int
    inner: str = "mesh"
    outer: str = "NHR"

    @property
    def ranks(self) -> int:
        """All NPUs."""
        return self.servers * self.devices

    def inside(
        self,
        collective: str,
        root: int,
        cut: Cut,
        total: int,
        servers: Iterable[int] | None = None,
    ) -> Schedule:
        """`collective` in every server (or in some) at once; `cut(server, i)`: the
        slices of part i."""
        flat = schedule(self.inner, collective, self.devices, root)
        chosen = range(self.servers) if servers is None else servers
        return side_by_side(
            [
                flat.placed(self._server(s), partial(cut, s), self.ranks, total)
                for s in chosen
            ]
        )

    def among(self, collective: str, root: int, cut: Cut, total: int) -> Schedule:
        """`collective` on every rail at once; `cut(i, t)`: part t of rail i."""
        flat = schedule(self.outer, collective, self.servers, root)
        return side_by_side(
            [
                flat.placed(self._rail(i), partial(cut, i), self.ranks, total)
                for i in range(self.devices)
            ]
        )

    def one_rail(
        self, collective: str, root: int, rail: int, cut: Callable
    ) -> Schedule:
        """`collective` on one rail only, on slices numbered by rank."""
        flat = schedule(self.outer, collective, self.servers, root)
        return flat.placed(self._rail(rail), cut, self.ranks, self.ranks)

    def outer_slices(self, collective: str) -> int:
        """Into how many slices the outer algorithm cuts a buffer."""
        return schedule(self.outer, collective, self.servers).slices

    def _server(self, s: int) -> list[int]:
        return [s * self.devices + i for i in range(self.devices)]

    def _rail(self, i: int) -> list[int]:
        return [s * self.devices + i for s in range(self.servers)]


# -------------------------------------------------------------------------- collectives
def _around(
    collective: str, first: str, last: str
) -> Callable[[Levels, int], Schedule]:
    """Inside `first`, among the servers `collective`, inside `last`: each rail carries
    1/d of the buffer."""

    def made(levels: Levels, root: int) -> Schedule:
        server, device = divmod(root, levels.devices)
        cuts = levels.outer_slices(collective)
        total = levels.devices * cuts

        def share(_server: int, i: int) -> range:
            return range(i * cuts, (i + 1) * cuts)

        def part(i: int, t: int) -> tuple[int, ...]:
            return (i * cuts + t,)

        return (
            levels.inside(first, device, share, total, _where(first, server))
            .then(levels.among(collective, server, part, total))
            .then(levels.inside(last, device, share, total, _where(last, server)))
        )

    return made


def _where(collective: str, server: int) -> list[int] | None:
    """Scatter and gather concern the root's server only."""
    return [server] if collective in ("scatter", "gather") else None


def _all_gather(levels: Levels, root: int) -> Schedule:
    d, total = levels.devices, levels.ranks
    inside = levels.inside("all_gather", 0, lambda s, i: (s * d + i,), total)
    among = levels.among("all_gather", 0, lambda i, t: range(t * d, t * d + d), total)
    return inside.then(among)


def _reduce_scatter(levels: Levels, root: int) -> Schedule:
    return _all_gather(levels, root).reversed(reduce=True)


def _scatter(levels: Levels, root: int) -> Schedule:
    server, device = divmod(root, levels.devices)
    d = levels.devices
    rail = levels.one_rail("scatter", server, device, lambda t: range(t * d, t * d + d))
    inside = levels.inside("scatter", device, lambda s, i: (s * d + i,), levels.ranks)
    return rail.then(inside)


def _gather(levels: Levels, root: int) -> Schedule:
    return _scatter(levels, root).reversed(reduce=False)


def _all_to_all(levels: Levels, root: int) -> Schedule:
    """Inside first: to the NPU whose index the target has; then along the rail."""
    d, p = levels.devices, levels.ranks
    inside = (
        Transfer(
            r, r // d * d + i, tuple(r * p + s * d + i for s in range(levels.servers))
        )
        for r in range(p)
        for i in range(d)
        if i != r % d
    )
    rounds = [tuple(inside)]
    for k in range(1, levels.servers):
        rounds.append(tuple(_rail_exchange(levels, k)))
    return from_rounds(p, p * p, [step for step in rounds if step])


def _rail_exchange(levels: Levels, k: int) -> list[Transfer]:
    d, p = levels.devices, levels.ranks
    found = []
    for r in range(p):
        server, i = divmod(r, d)
        target = (server + k) % levels.servers * d + i
        origins = range(server * d, server * d + d)
        found.append(Transfer(r, target, tuple(o * p + target for o in origins)))
    return found


_ORDER: Mapping[str, Callable[[Levels, int], Schedule]] = {
    "all_reduce": _around("all_reduce", "reduce_scatter", "all_gather"),
    "broadcast": _around("broadcast", "scatter", "all_gather"),
    "reduce": _around("reduce", "reduce_scatter", "gather"),
    "all_gather": _all_gather,
    "reduce_scatter": _reduce_scatter,
    "scatter": _scatter,
    "gather": _gather,
    "all_to_all": _all_to_all,
}


def two_level(collective: str, levels: Levels, root: int = 0) -> Schedule:
    """The schedule of `collective` over all ranks of `levels`."""
    return _ORDER[collective](levels, root)


# ----------------------------------------------------------------------------- pipeline
def pipeline(collective: str, levels: Levels) -> Schedule:
    """Both levels at the same time, for all-gather, reduce-scatter, all-reduce.

    A ring among the servers brings a new slice with each step; the slice of the step
    before is spread inside meanwhile: (m-1)·max(outer, inner) + inner a phase."""
    gather = _pipelined_gather(levels)
    scatter = gather.reversed(reduce=True)
    made = {
        "all_gather": gather,
        "reduce_scatter": scatter,
        "all_reduce": scatter.then(gather),
    }
    return made[collective]


def _pipelined_gather(levels: Levels) -> Schedule:
    m, d, p = levels.servers, levels.devices, levels.ranks

    def step(k: int) -> list[Transfer]:
        sends = []
        for s in range(m):
            for i in range(d):
                here, have = s * d + i, (s - k) % m * d + i
                if k < m - 1:
                    sends.append(Transfer(here, (s + 1) % m * d + i, (have,)))
                mates = (s * d + j for j in range(d) if j != i)
                sends += [Transfer(here, mate, (have,)) for mate in mates]
        return sends

    return from_rounds(p, p, (step(k) for k in range(m)))
