"""What ranks call, kept for matching, for the log and for the report of a hang."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Signature:
    """What all ranks must agree on: operator, elements, dtype, reduction, root."""

    name: str
    count: int | None = None
    dtype: str | None = None
    operation: str | None = None
    root: int | None = None

    def __str__(self) -> str:
        size = "" if self.count is None else f"{self.count} x {self.dtype}"
        root = "" if self.root is None else f"root={self.root}"
        inside = ", ".join(x for x in (size, self.operation, root) if x)
        return f"{self.name}({inside})"

    def agrees(self, other: Signature) -> bool:
        """Whether both may be the same call; an unknown count agrees with any."""
        mine, others = (self.count, self.dtype), (other.count, other.dtype)
        known = None not in (self.count, other.count)
        same = (self.name, self.operation, self.root) == (
            other.name,
            other.operation,
            other.root,
        )
        return same and (not known or mine == others)


@dataclass
class Call:
    """One call of one rank; times in µs; `end_us` None while it waits."""

    rank: int
    group: str
    index: int
    signature: Signature
    begin_us: float
    line: int
    end_us: float | None = None
    peer: int | None = None

    def __str__(self) -> str:
        if self.peer is not None:
            word = "to" if self.signature.name == "send" else "from"
            return f"{self.signature} {word} rank {self.peer}"
        return f"#{self.index} {self.signature}"


@dataclass
class RankLog:
    """Everything one rank did: its calls in order, its heartbeats, how it ended.
    `computes`: from when to when it computed, in µs."""

    rank: int
    calls: list[Call] = field(default_factory=list)
    heartbeats: list[tuple[float, str]] = field(default_factory=list)
    computes: list[tuple[float, float]] = field(default_factory=list)
    state: str = "running"  # "running", "finished" or "raised"
    ended_us: float | None = None
    error: BaseException | None = None
    result: Any = None

    @property
    def waiting(self) -> Call | None:
        """The call that this rank waits in, if it does."""
        pending = (call for call in self.calls if call.end_us is None)
        return next(pending, None) if self.state == "running" else None

    def of_group(self, group: str) -> list[Call]:
        """The rank's collective calls of one communicator, in order."""
        return [c for c in self.calls if c.group == group and c.peer is None]
