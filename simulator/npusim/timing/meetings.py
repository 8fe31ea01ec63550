"""Cores that wait for each other: all runs of a launch side by side.

A meeting (the n-th sync_all, or the n-th time of a cross-core flag) is complete when
every core has arrived; those that wait there go on `latency` later. Runs are advanced
in turn until each has ended, so the times do not depend on the order of the classes.
No time of a sync between cores is published; the chip's constant says where its value
comes from.
"""

from __future__ import annotations

from collections.abc import Sequence

from npusim.timing.pipes import Arrival, Path, Run


class _Runner:
    """One run: where it stands, and its path once it has ended."""

    def __init__(self, run: Run):
        self.run = run
        self.path: Path | None = None
        self.waits_at: Arrival | None = None
        self.arrived: dict[int, int] = {}
        self.advance(None)

    def advance(self, answer: int | None) -> None:
        """Go on to the next wait, or to the end."""
        self.waits_at = None
        try:
            arrival = self.run.send(answer)  # type: ignore[arg-type]
            while not self._stops(arrival):
                arrival = self.run.send(arrival.at)
        except StopIteration as end:
            self.path = end.value

    def _stops(self, arrival: Arrival) -> bool:
        if arrival.sets:
            self.arrived[arrival.meeting] = arrival.at
        self.waits_at = arrival if arrival.waits else None
        return arrival.waits


def run_together(runs: Sequence[Run], latency: int) -> list[Path]:
    """The paths of all runs; `latency` in ticks from the last arrival to the first."""
    runners = [_Runner(run) for run in runs]
    while waiting := [r for r in runners if r.waits_at is not None]:
        ready = [r for r in waiting if _is_complete(r, runners)] or waiting
        for runner in ready:
            assert runner.waits_at is not None
            meeting = runner.waits_at.meeting
            last = max(r.arrived.get(meeting, 0) for r in runners)
            runner.advance(last + latency)
    return [r.path for r in runners if r.path is not None]


def _is_complete(runner: _Runner, runners: Sequence[_Runner]) -> bool:
    """Whether all have arrived where `runner` waits. Where a launch was stopped by a
    fault nobody may be; then all go on with what there is."""
    assert runner.waits_at is not None
    return all(runner.waits_at.meeting in r.arrived for r in runners)
