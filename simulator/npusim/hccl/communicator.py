"""`comm`, what a rank program holds: HCCL's calls as awaitables.

    async def rank(comm):
        total = await comm.all_reduce(gradient)

A call begins at once and runs in the order of calls on its communicator, as on a
stream; `await` waits for its result. So `handle = comm.all_reduce(x)`, then computing,
then `await handle` overlaps the two. Arrays are numpy arrays and are not changed.
`timeout_us` raises HcclError EI0002 in the rank instead of waiting for ever.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import simpy

from npusim.hccl.buffers import OPERATIONS
from npusim.hccl.calls import Call, Signature
from npusim.hccl.faults import HcclError

if TYPE_CHECKING:
    from npusim.hccl.groups import Group
    from npusim.hccl.simulation import Simulation


_CUT = frozenset({"reduce_scatter", "scatter", "all_to_all"})


class Pending:
    """A call under way; `await` gives its result."""

    def __init__(
        self,
        simulation: Simulation,
        call: Call | None,
        event: simpy.Event,
        result: Callable[[], Any],
        timeout_us: float | None = None,
    ):
        self.simulation, self.call, self.event = simulation, call, event
        self.result, self.timeout_us = result, timeout_us

    def __await__(self) -> Generator[simpy.Event, Any, Any]:
        if self.timeout_us is None:
            yield self.event
            return self.result()
        env = self.simulation.env
        yield self.event | env.timeout(self.timeout_us)
        if not self.event.triggered:
            facts = {"call": self.call, "time_us": self.timeout_us}
            raise HcclError("EI0002", "call-timeout", **facts)
        return self.result()


class Communicator:
    """The view that one rank has of a group of ranks."""

    def __init__(self, simulation: Simulation, group: Group, rank: int):
        self._simulation, self._group, self._world_rank = simulation, group, rank
        self.rank = group.members.index(rank)
        self.size = len(group.members)

    @property
    def now_us(self) -> float:
        """The simulated time."""
        return float(self._simulation.env.now)

    # ---------------------------------------------------------------- collectives
    def all_reduce(self, x: np.ndarray, op: str = "sum", **more: Any) -> Pending:
        """Every rank gets the combined array; same shape."""
        return self._collective("all_reduce", x, operation=op, **more)

    def reduce(
        self, x: np.ndarray, root: int = 0, op: str = "sum", **more: Any
    ) -> Pending:
        """The root gets the combined array, the others None."""
        return self._collective("reduce", x, operation=op, root=root, **more)

    def broadcast(self, x: np.ndarray | None, root: int = 0, **more: Any) -> Pending:
        """Every rank gets the root's array; the others may give None."""
        return self._collective("broadcast", x, root=root, **more)

    def all_gather(self, x: np.ndarray, **more: Any) -> Pending:
        """Every rank gets all arrays, joined along axis 0."""
        return self._collective("all_gather", x, **more)

    def gather(self, x: np.ndarray, root: int = 0, **more: Any) -> Pending:
        """The root gets all arrays joined, the others None."""
        return self._collective("gather", x, root=root, **more)

    def reduce_scatter(self, x: np.ndarray, op: str = "sum", **more: Any) -> Pending:
        """Rank r gets part r of the combined array, cut along axis 0."""
        return self._collective("reduce_scatter", x, operation=op, **more)

    def scatter(self, x: np.ndarray | None, root: int = 0, **more: Any) -> Pending:
        """Rank r gets part r of the root's array, cut along axis 0."""
        return self._collective("scatter", x, root=root, **more)

    def all_to_all(self, x: np.ndarray, **more: Any) -> Pending:
        """Part t of axis 0 goes to rank t; the parts that come are joined."""
        return self._collective("all_to_all", x, **more)

    def all_to_all_v(self, parts: Sequence[np.ndarray], **more: Any) -> Pending:
        """`parts[t]` goes to rank t; the result is a list by sender. Any lengths."""
        return self._collective("all_to_all", list(parts), **more)

    def barrier(self, **more: Any) -> Pending:
        """Returns when every rank has called it."""
        return self._collective("barrier", np.zeros(1, np.int8), **more)

    def _collective(
        self,
        name: str,
        x: Any,
        operation: str | None = None,
        root: int | None = None,
        timeout_us: float | None = None,
    ) -> Pending:
        line = _line()
        if operation is not None and operation not in OPERATIONS:
            known = ", ".join(OPERATIONS)
            raise HcclError("EI0003", "bad-operation", op=operation, known=known)
        self._check_rank("root", root)
        count, dtype = _size(name, x)
        self._check_parts(name, x)
        signature = Signature(name, count, dtype, operation, root)
        return self._group.collective(self._world_rank, signature, x, line, timeout_us)

    # ------------------------------------------------------------ point to point
    def send(
        self, x: np.ndarray, target: int, tag: int = 0, timeout_us: float | None = None
    ) -> Pending:
        """Done when the array has arrived at `target`, which must call `recv`."""
        self._check_rank("target", target)
        data = np.array(x, copy=True)
        return self._group.point_to_point(
            "send", self._world_rank, target, tag, data, _line(), timeout_us
        )

    def recv(
        self, source: int, tag: int = 0, timeout_us: float | None = None
    ) -> Pending:
        """The array that `source` sends."""
        self._check_rank("source", source)
        return self._group.point_to_point(
            "recv", self._world_rank, source, tag, None, _line(), timeout_us
        )

    # --------------------------------------------------------------------- others
    def compute(self, time_us: float) -> Pending:
        """Let `time_us` of simulated time pass, as a kernel would."""
        if not 0 <= time_us < float("inf"):
            raise HcclError("EI0003", "bad-time", value=time_us)
        log = self._simulation.logs[self._world_rank]
        log.computes.append((self.now_us, self.now_us + time_us))
        event = self._simulation.env.timeout(time_us)
        return Pending(self._simulation, None, event, lambda: None)

    def allocate(self, nbytes: int) -> None:
        """Take bytes of the server's memory; HcclError EI0007 if they do not fit."""
        self._simulation.memory.allocate(self._world_rank, nbytes)

    def release(self, nbytes: int | None = None) -> None:
        """Give bytes of the server's memory back (default: all that the rank has)."""
        self._simulation.memory.release(self._world_rank, nbytes)

    def heartbeat(self, text: str = "") -> None:
        """Write a line with the time into this rank's log."""
        log = self._simulation.logs[self._world_rank]
        log.heartbeats.append((self.now_us, str(text)))

    def group(self, ranks: Sequence[int]) -> Communicator:
        """The communicator of some ranks of this one, this rank among them."""
        for one in ranks:
            self._check_rank("ranks", one)
        if self.rank not in ranks or len(set(ranks)) != len(ranks):
            raise HcclError("EI0003", "bad-group", rank=self.rank, ranks=list(ranks))
        members = tuple(self._group.members[one] for one in ranks)
        return Communicator(
            self._simulation, self._simulation.group(members), self._world_rank
        )

    def _check_parts(self, name: str, x: Any) -> None:
        """What is cut into a part for each rank must be cut without a rest."""
        if name not in _CUT or x is None:
            return
        first = len(x) if isinstance(x, list) else x.shape[0] if x.ndim else 0
        exact = isinstance(x, list) and first == self.size
        if not exact and (isinstance(x, list) or not x.ndim or first % self.size):
            facts = {"name": name, "length": first, "ranks": self.size}
            raise HcclError("EI0003", "bad-shape", **facts)

    def _check_rank(self, name: str, value: int | None) -> None:
        if value is not None and (type(value) is not int or not 0 <= value < self.size):
            facts = {"name": name, "value": value, "last": self.size - 1}
            raise HcclError("EI0003", "bad-rank", **facts)


def _size(name: str, x: Any) -> tuple[int | None, str | None]:
    """Elements and dtype of an array; unknown for None and for lists of any length."""
    if isinstance(x, np.ndarray):
        return x.size, str(x.dtype)
    if x is None and name in ("broadcast", "scatter"):
        return None, None
    if isinstance(x, list) and all(isinstance(one, np.ndarray) for one in x):
        return None, None
    raise HcclError("EI0003", "bad-array", name=name, kind=type(x).__name__)


def _line() -> int:
    """The line of the rank program that made the call."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back
    return frame.f_lineno
