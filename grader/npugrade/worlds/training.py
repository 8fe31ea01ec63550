"""Data-parallel training with faults: a loop of all-reduces that every rank must leave
together.

Each rank has its own samples, and not all the same number; in some step a rank may fail
to read. Training makes a step as long as any rank has a sample, and ends before the
first step in which a rank fails. Every rank returns the sum of all samples used and the
number of steps. Who leaves alone lets the others hang; the simulation of `npusim.hccl`
finds that at once. How many samples a rank has, and who fails when, follows from
`salt`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from npugrade.outcome import Outcome, Refused
from npugrade.worlds.ranks import AllReduce
from npusim.hccl.communicator import Pending
from npusim.hccl.faults import HcclError

FLOAT32_NBYTES = 4


class Training(AllReduce):
    """`arguments`: `data` (ranks × most samples, float32), `spread` (how many samples
    fewer a rank may have), `faults` (how many ranks fail), `salt`."""

    def __init__(self, arguments: Mapping[str, Any]):
        ranks, most = arguments["data"].shape
        salt = str(arguments["salt"])
        self._drawn_by = salt
        spread = min(int(arguments["spread"]), most)
        self._lengths = [
            most - self._number("samples", r, spread + 1) for r in range(ranks)
        ]
        order = sorted(
            range(ranks), key=lambda rank: self._number("order", rank, 2**32)
        )
        failing = order[: int(arguments["faults"])]
        steps = max(1, max(self._lengths))
        self._fails = {rank: self._number("fails", rank, steps) for rank in failing}
        facts = {"data": arguments["data"], "salt": salt}
        super().__init__({**facts, "element_nbytes": FLOAT32_NBYTES})

    def _number(self, what: str, rank: int, below: int) -> int:
        text = f"{self._drawn_by}|{what}|{rank}".encode()
        return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") % below

    def arguments(self, program: int) -> tuple[Any, ...]:
        """(rank, number of ranks, its samples, the step in which it fails or -1)."""
        samples = self.data[program, : self._lengths[program]]
        return program, self.programs, samples, self._fails.get(program, -1)

    def due(self) -> tuple[float, int]:
        """The sum of all samples used, and the number of steps."""
        steps = min([max(self._lengths), *self._fails.values()])
        used = [self.data[r, : min(n, steps)] for r, n in enumerate(self._lengths)]
        return float(np.concatenate(used).astype(np.float64).sum()), steps

    # ------------------------------------------------------------------------ requests
    def _call(self, program: int, call: Any) -> Pending:
        parts: list[Any] = call if isinstance(call, list) and call else [None]
        name, *rest = parts
        if name != "all_reduce" or len(rest) != 2:
            raise Refused("training.call", rank=program, name=str(name)[:40])
        array, operation = rest
        if not isinstance(array, np.ndarray) or array.dtype != np.float32:
            raise Refused("training.array", rank=program)
        if operation not in ("sum", "max", "min"):
            raise Refused("training.operation", rank=program, name=str(operation)[:40])
        return self._heard(lambda: self._comms[program].all_reduce(array, operation))

    def next(self) -> tuple[int, Any] | None:
        """As of an all-reduce; a fault that HCCL finds is the program's."""
        return self._heard(super().next)

    def also(self) -> tuple[int, Any] | None:
        """The next of those that go on at this moment."""
        return self._heard(super().also)

    def _heard(self, step: Any) -> Any:
        try:
            return step()
        except HcclError as error:
            text = str(error).splitlines()[0][:200]
            raise Refused("training.fault", text=text) from None

    def _hang(self) -> Refused:
        """Calls that do not match are told as HCCL tells them."""
        found = self.simulation.disagreement
        if found is None:
            return super()._hang()
        call, first = found
        text = f"EI0005, rank {call.rank}: {call}; rank {first.rank}: {first}"
        return Refused("training.fault", text=text[:200])

    def finished(self, program: int, answer: Any) -> None:
        """The program returned; `answer`: its result and the calls begun since."""
        self._stories[program].ended(answer)
        result = answer[0] if isinstance(answer, list) and len(answer) == 2 else None
        if not isinstance(result, np.ndarray) or result.shape != (2,):
            raise Refused("training.result", rank=program)
        self._begin(program, answer[1])
        self._compare(program, float(result[0]), float(result[1]))

    def _compare(self, program: int, total: float, steps: float) -> None:
        due_total, due_steps = self.due()
        if steps != due_steps:
            facts = {"rank": program, "got": steps, "due": due_steps}
            raise Refused("training.steps", **facts)
        room = self.data.size * 2.0**-24 * float(np.abs(self.data).sum()) + 1e-6
        if not abs(total - due_total) <= room:
            facts = {"rank": program, "got": total, "due": due_total}
            raise Refused("training.total", **facts)

    def outcome(self) -> Outcome:
        """Speed is not asked."""
        return Outcome(1, 1)
