"""Where the ranks are, and which link joins two of them.

Rank r is NPU `r % devices` of server `r // devices`. Inside a server all NPUs reach
each other; servers are joined by one port an NPU. A card alone is one server with one
NPU. Left out: racks, switches with fewer uplinks than ports, and the host's memory.
"""

from __future__ import annotations

import tomllib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from os import PathLike
from typing import Any

from npusim.hccl.links import Link, load_link


@dataclass(frozen=True)
class Path:
    """The way of a message: its link, and what it occupies for as long as it takes."""

    link: Link
    resources: tuple[Hashable, ...]


@dataclass(frozen=True)
class Topology:
    """`servers` servers with `devices` NPUs each."""

    name: str
    servers: int
    devices: int
    inside: Link
    between: Link

    @property
    def ranks(self) -> int:
        """All NPUs, one process each."""
        return self.servers * self.devices

    def place(self, rank: int) -> tuple[int, int]:
        """(server, device) of a rank."""
        return divmod(rank, self.devices)

    def link(self, source: int, target: int) -> Link:
        """The link between two ranks."""
        same = source // self.devices == target // self.devices
        return self.inside if same else self.between

    def path(self, source: int, target: int) -> Path:
        """The way from one rank to another."""
        link = self.link(source, target)
        if link.is_pair:
            return Path(link, (("pair", source, target),))
        return Path(link, ((link.name, "out", source), (link.name, "in", target)))

    def with_ranks(self, ranks: int) -> Topology:
        """The same machines for `ranks` ranks: one server if they fit, else whole ones.

        ValueError if they do not fill whole servers."""
        if ranks < 1:
            raise ValueError(f"a cluster has at least one rank, not {ranks}")
        if ranks <= self.devices:
            return replace(self, servers=1, devices=ranks)
        servers, rest = divmod(ranks, self.devices)
        if rest:
            raise ValueError(
                f"{ranks} ranks do not fill servers of {self.devices} NPUs"
            )
        return replace(self, servers=servers)

    def part(self, members: Sequence[int]) -> Topology:
        """How some ranks lie: k servers with equally many NPUs each, in order; where
        that is not so, every rank is a server of its own."""
        servers = [rank // self.devices for rank in members]
        count = len(set(servers))
        each = len(members) // count
        in_order = [one for one in sorted(set(servers)) for _ in range(each)]
        if len(members) == count * each and servers == in_order:
            return replace(self, servers=count, devices=each)
        return replace(self, servers=len(members), devices=1)

    @staticmethod
    def from_file(path: str | PathLike[str]) -> Topology:
        """The topology of an own TOML file; TopologyFileError if it is wrong."""
        from npusim.hccl.topology_file import read_topology

        return read_topology(path)


@cache
def topology_tables() -> Mapping[str, Mapping[str, Any]]:
    """The tables of `topologies.toml` by name."""
    text = (resources.files(__package__) / "topologies.toml").read_text("utf-8")
    return tomllib.loads(text)


def load_topology(name: str, ranks: int | None = None) -> Topology:
    """The machines called `name` with `ranks` NPUs (default: one server).

    ValueError for an unknown name, or ranks that do not fill whole servers."""
    if name not in topology_tables():
        known = ", ".join(topology_tables())
        raise ValueError(f"unknown topology {name!r}; known: {known}")
    table = topology_tables()[name]
    inside, between = load_link(table["inside"]), load_link(table["between"])
    one = Topology(name, 1, table["devices"], inside, between)
    return one if ranks is None else one.with_ranks(ranks)
