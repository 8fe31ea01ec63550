"""Files of each core: where its time went, by source line and by instruction.

The folders and columns are those of msprof's simulator mode: vector core i is
`core{i // 2}.veccore{i % 2}`, as two vector cores belong to one cube core. A line's
time is the busy time of its instructions on their pipes; pipes overlap, so lines add up
to more than the core's time. `addr` is the index of the operation in the program, 4 B
apart as instruction words are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from npusim.chip import Chip
from npusim.core.stream import Step
from npusim.launch import Run
from npusim.profile.blockfacts import block_ids
from npusim.profile.csvfiles import csv_text
from npusim.timing import TICKS_PER_CYCLE, ClassTiming

_WORD_NBYTES = 4


@dataclass
class Spent:
    """Calls and ticks of one line or one instruction on one core."""

    calls: int = 0
    ticks: int = 0

    def add(self, calls: int, ticks: int) -> None:
        self.calls += calls
        self.ticks += ticks


Key = tuple[Any, ...]
Ledger = dict[Key, Spent]


def _line(run: Run, step: Step) -> Key:
    where = run.execution.program.locations[step.where]
    return (f"{where.label}:{where.line}",)


def _instruction(run: Run, step: Step) -> Key:
    detail = f"{step.cost.dtype} repeats={step.cost.repeats}".strip()
    shown = detail if step.cost.kind in ("vector", "copy") else ""
    return step.pc, step.name, step.pipe, shown


def _class_ledger(run: Run, part: ClassTiming, key: Any) -> Ledger:
    spent: Ledger = defaultdict(Spent)
    known: dict[int, Key] = {}
    times = zip(part.start_ticks, part.end_ticks, strict=True)
    for step, (start, end) in zip(part.stream.steps(), times, strict=True):
        name = known.get(id(step))
        if name is None:
            name = known[id(step)] = key(run, step)
        spent[name].add(1, end - start)
    return spent


def _by_core(run: Run, key: Any) -> Iterator[tuple[Ledger, list[int]]]:
    """Ledgers and the cores that each belongs to; cores with equal work share one."""
    cores, ledgers = run.execution.chip.vector_cores, []
    of_core: dict[int, list[int]] = defaultdict(list)
    for number, part in enumerate(run.timing.classes):
        ledgers.append(_class_ledger(run, part, key))
        for block in block_ids(part):
            of_core[block % cores].append(number)
    alike: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for core, numbers in sorted(of_core.items()):
        alike[tuple(numbers)].append(core)
    for shared, members in alike.items():
        yield _merged(ledgers[n] for n in shared), members


def _merged(ledgers: Iterable[Ledger]) -> Ledger:
    total: Ledger = defaultdict(Spent)
    for ledger in ledgers:
        for key, spent in ledger.items():
            total[key].add(spent.calls, spent.ticks)
    return total


def _costs(run: Run, spent: Spent) -> dict[str, Any]:
    cycles = spent.ticks / TICKS_PER_CYCLE
    time_us = cycles / (run.execution.chip.clock_ghz * 1e3)
    return {
        "call_count": spent.calls,
        "cycles": round(cycles),
        "running_time(us)": round(time_us, 6),
    }


def code_rows(run: Run, ledger: Ledger) -> list[dict[str, Any]]:
    """One row a source line, in the order of first execution."""
    return [{"code": key[0], **_costs(run, spent)} for key, spent in ledger.items()]


def instruction_rows(run: Run, ledger: Ledger) -> list[dict[str, Any]]:
    """One row an instruction of the program and its parameters, by address."""
    order = sorted(ledger.items(), key=lambda item: item[0])
    return [
        {"instr": name, "addr": f"0x{pc * _WORD_NBYTES:x}", "pipe": pipe,
         "detail": detail, **_costs(run, spent)}
        for (pc, name, pipe, detail), spent in order
    ]  # fmt: skip


def core_name(core: int, chip: Chip) -> str:
    """msprof's name of vector core number `core`; a group has one cube core."""
    members = max(1, chip.vector_cores // max(1, chip.cube_cores))
    group, member = divmod(core, members)
    return f"core{group}.veccore{member}"


def core_files(run: Run) -> Mapping[str, str]:
    """Path below the folder of the run → text, for every core that worked."""
    made: dict[str, str] = {}
    kinds = (
        ("code_exe", _line, code_rows),
        ("instr_exe", _instruction, instruction_rows),
    )
    for table, key, rows in kinds:
        for ledger, cores in _by_core(run, key):
            text = csv_text(table, rows(run, ledger))
            for core in cores:
                name = core_name(core, run.execution.chip)
                made[f"{name}/{name}_{table}.csv"] = text
    return made
