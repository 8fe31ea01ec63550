"""The per-block tables of the profiler: which column is which fact.

A table is a mapping from msprof's column name to a function of a block's facts. A
column of `msprof.toml` that no function fills is `NA`, as msprof writes it where a
counter does not exist; nothing is invented. Bandwidths are over the whole time of the
block, except the `active` ones of PipeUtilization, which are over the pipe's busy time.
1 KB of the columns `…_datas(KB)` is 1024 B (a choice: the page does not say).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from npusim.launch import Run
from npusim.profile.blockfacts import BlockFacts, block_ids, facts_of
from npusim.timing import TICKS_PER_CYCLE

Fill = Callable[[BlockFacts], Any]
PIPE_NAMES: Mapping[str, str] = {
    "V": "vec",
    "S": "scalar",
    "MTE2": "mte2",
    "MTE3": "mte3",
}
_DTYPE_NAMES = {"float32": "fp32", "half": "fp16", "int32": "int32", "int16": "int16"}
_KB = 1024
_DIGITS = 6


def _busy_us(pipe: str, facts: BlockFacts) -> float:
    return facts.time_us(facts.busy.get(pipe, 0.0))


def _busy_ratio(pipe: str, facts: BlockFacts) -> float:
    return facts.ratio(facts.busy.get(pipe, 0.0))


def _active_rate(pipe: str, facts: BlockFacts) -> float | str:
    """GB/s while the pipe works; NA where it moved nothing."""
    busy_us = _busy_us(pipe, facts)
    nbytes = facts.nbytes(pipe, "GM", _WAYS[pipe])
    return nbytes / busy_us / 1e3 if busy_us and nbytes else "NA"


_WAYS = {"MTE2": "read", "MTE3": "write"}


def _wait_ratio(pipe: str, facts: BlockFacts) -> float:
    return facts.ratio(facts.waited_ticks[pipe] / TICKS_PER_CYCLE)


def _rate(pipe: str, space: str, way: str, facts: BlockFacts) -> float:
    return facts.rate(facts.nbytes(pipe, space, way))


def _kilobytes(pipe: str, way: str, facts: BlockFacts) -> float:
    return facts.nbytes(pipe, "GM", way) / _KB


def _main_memory(way: str, facts: BlockFacts) -> int:
    moved = facts.moved.items()
    return sum(n for (_, space, w), n in moved if (space, w) == ("GM", way))


def _instructions(pipe: str, facts: BlockFacts) -> int:
    return facts.instructions[pipe]


def _vector_ratio(dtypes: frozenset[str], facts: BlockFacts) -> float:
    ticks = sum(n for dtype, n in facts.vector_ticks.items() if dtype in dtypes)
    return facts.ratio(ticks / TICKS_PER_CYCLE)


def _misc_ratio(facts: BlockFacts) -> float:
    ticks = sum(n for d, n in facts.vector_ticks.items() if d not in _DTYPE_NAMES)
    return facts.ratio(ticks / TICKS_PER_CYCLE)


def _requests(way: str, hit: bool, facts: BlockFacts) -> int:
    """Requests of `l2_request` bytes; r0 counts those of the second slice too."""
    share = facts.hit_share(way)
    nbytes = _main_memory(way, facts) * (share if hit else 1.0 - share)
    return round(nbytes / facts.chip.constant("l2_request"))


def _total_hit_rate(facts: BlockFacts) -> float:
    moved = {way: _main_memory(way, facts) for way in ("read", "write")}
    total = sum(moved.values())
    hit = math.fsum(n * facts.hit_share(way) for way, n in moved.items())
    return 100 * hit / total if total else 0.0


def _conflict_ratio(facts: BlockFacts) -> float:
    """Conflicts of groups and of banks together: the model does not tell them apart."""
    return facts.ratio(facts.part.conflict_ticks / TICKS_PER_CYCLE)


_EVERY: dict[str, Fill] = {
    "aiv_time(us)": lambda facts: facts.time_us(facts.cycles),
    "aiv_total_cycles": lambda facts: round(facts.cycles),
}

TABLES: dict[str, dict[str, Fill]] = {
    "PipeUtilization": {
        **{f"aiv_{n}_time(us)": partial(_busy_us, p) for p, n in PIPE_NAMES.items()},
        **{f"aiv_{n}_ratio": partial(_busy_ratio, p) for p, n in PIPE_NAMES.items()},
        **{f"aiv_{PIPE_NAMES[p]}_active_bw(GB/s)": partial(_active_rate, p)
           for p in _WAYS},
    },
    "ArithmeticUtilization": {
        "aiv_vec_ratio": partial(_busy_ratio, "V"),
        **{f"aiv_vec_{name}_ratio": partial(_vector_ratio, frozenset({dtype}))
           for dtype, name in _DTYPE_NAMES.items()},
        "aiv_vec_misc_ratio": _misc_ratio,
        "aiv_vec_fops": lambda facts: facts.flops,
    },
    "Memory": {
        "aiv_ub_to_gm_bw(GB/s)": partial(_rate, "MTE3", "GM", "write"),
        "aiv_gm_to_ub_bw(GB/s)": partial(_rate, "MTE2", "GM", "read"),
        "aiv_main_mem_read_bw(GB/s)": lambda f: f.rate(_main_memory("read", f)),
        "aiv_main_mem_write_bw(GB/s)": lambda f: f.rate(_main_memory("write", f)),
        **{f"aiv_{PIPE_NAMES[p]}_instructions": partial(_instructions, p)
           for p in _WAYS},
        **{f"aiv_{PIPE_NAMES[p]}_ratio": partial(_busy_ratio, p) for p in _WAYS},
        "read_main_memory_datas(KB)": lambda f: _main_memory("read", f) / _KB,
        "write_main_memory_datas(KB)": lambda f: _main_memory("write", f) / _KB,
        "GM_to_UB_datas(KB)": partial(_kilobytes, "MTE2", "read"),
        "UB_to_GM_datas(KB)": partial(_kilobytes, "MTE3", "write"),
    },
    "MemoryUB": {
        "aiv_ub_read_bw_vector(GB/s)": partial(_rate, "V", "UB", "read"),
        "aiv_ub_write_bw_vector(GB/s)": partial(_rate, "V", "UB", "write"),
        "aiv_ub_read_bw_scalar(GB/s)": partial(_rate, "S", "UB", "read"),
        "aiv_ub_write_bw_scalar(GB/s)": partial(_rate, "S", "UB", "write"),
    },
    "L2Cache": {
        "aiv_write_cache_hit": partial(_requests, "write", True),
        "aiv_write_cache_miss_allocate": partial(_requests, "write", False),
        "aiv_r0_read_cache_hit": partial(_requests, "read", True),
        "aiv_r0_read_cache_miss_allocate": partial(_requests, "read", False),
        "aiv_write_hit_rate(%)": lambda f: 100 * f.hit_share("write"),
        "aiv_read_hit_rate(%)": lambda f: 100 * f.hit_share("read"),
        "aiv_total_hit_rate(%)": _total_hit_rate,
    },
    "ResourceConflictRatio": {
        "aiv_vec_total_cflt_ratio": _conflict_ratio,
        "aiv_vec_bankgroup_cflt_ratio": _conflict_ratio,
        **{f"aiv_{n}_wait_ratio": partial(_wait_ratio, p)
           for p, n in PIPE_NAMES.items() if p != "S"},
    },
}  # fmt: skip


def _shown(value: Any) -> Any:
    return round(value, _DIGITS) if isinstance(value, float) else value


def _rows(facts: BlockFacts, fills: Mapping[str, Fill]) -> list[dict[str, Any]]:
    row = {column: _shown(fill(facts)) for column, fill in fills.items()}
    return [
        {"block_id": block, "sub_block_id": "vector0", **row}
        for block in block_ids(facts.part)
    ]


def tables(run: Run) -> dict[str, list[dict[str, Any]]]:
    """Every table of a run by name: one row a block, in the order of blocks."""
    classes = facts_of(run)
    made = {}
    for name, fills in TABLES.items():
        found = [row for facts in classes for row in _rows(facts, {**_EVERY, **fills})]
        made[name] = sorted(found, key=lambda row: row["block_id"])
    return made
