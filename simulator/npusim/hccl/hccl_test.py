"""The table that HCCL's own test tool prints, from the simulated cluster.

    print(hccl_test("all_reduce", ranks=8, begin="8K", end="64M"))

As `all_reduce_test -b 8K -e 64M -f 2 -d fp32 -o sum -p 8`, with its column titles
("aveg" is how the tool spells it). Sizes K, M, G are 2^10, 2^20, 2^30 bytes; the rate
is in GB/s of 1e9 bytes (older versions of the tool printed GiB/s under the same title).
`check_result` is the comparison with numpy on real data, up to `CHECKED_NBYTES` a rank;
above it the column says NULL, as the tool does where it does not check.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from npusim.hccl.buffers import OPERATIONS
from npusim.hccl.communicator import Communicator
from npusim.hccl.environment import Environment
from npusim.hccl.faults import HcclError
from npusim.hccl.measure import measure
from npusim.hccl.simulation import run
from npusim.hccl.topology import Topology, load_topology

CHECKED_NBYTES = 1 << 20
TITLES = (
    "data_size(Bytes):",
    "aveg_time(us):",
    "alg_bandwidth(GB/s):",
    "check_result:",
)
DTYPES = {"fp32": "f4", "fp16": "f2", "int32": "i4", "int8": "i1", "int64": "i8"}
_SIZE = re.compile(r"(\d+)([KMG]?)")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def nbytes_of(size: str | int) -> int:
    """ "8K" → 8192; HcclError EI0003 for anything that is no size."""
    found = _SIZE.fullmatch(str(size).strip())
    if not found or not int(found[1]):
        raise HcclError("EI0003", "bad-size", value=size)
    return int(found[1]) * _UNITS[found[2]]


def hccl_test(
    collective: str = "all_reduce",
    ranks: int = 8,
    topology: str | Topology = "a2",
    begin: str | int = "8K",
    end: str | int = "64M",
    factor: int = 2,
    dtype: str = "fp32",
    op: str = "sum",
    environment: Mapping[str, Any] | None = None,
) -> str:
    """The tool's table as text; HcclError EI0003 for a bad argument."""
    if dtype not in DTYPES or op not in OPERATIONS or factor < 2:
        facts = {"dtype": dtype, "op": op, "factor": factor, "known": ", ".join(DTYPES)}
        raise HcclError("EI0003", "bad-test", **facts)
    named = load_topology(topology) if isinstance(topology, str) else topology
    cluster, settings = named.with_ranks(ranks), Environment.read(environment)
    lines = [" | ".join(f"{title:>22}" for title in TITLES)]
    for nbytes in _sizes(nbytes_of(begin), nbytes_of(end), factor):
        one = measure(collective, nbytes, cluster, settings)
        result = _check(collective, nbytes, cluster, dtype, op, environment)
        cells = (nbytes, f"{one.time_us:.2f}", f"{one.alg_gb_s:.5f}", result)
        lines.append(" | ".join(f"{cell:>22}" for cell in cells))
    return "\n".join(lines)


def _sizes(begin: int, end: int, factor: int) -> Iterator[int]:
    while begin <= end:
        yield begin
        begin *= factor


def _check(
    collective: str,
    nbytes: int,
    topology: Topology,
    dtype: str,
    op: str,
    environment: Mapping[str, Any] | None,
) -> str:
    """Run it with real data and compare; NULL where that is not done."""
    if nbytes > CHECKED_NBYTES or collective not in _CHECKS:
        return "NULL"
    ranks = topology.ranks
    count = max(1, nbytes // np.dtype(DTYPES[dtype]).itemsize // ranks) * ranks
    inputs = [
        (np.arange(count) % 3 + rank % 2).astype(DTYPES[dtype]) for rank in range(ranks)
    ]
    if ranks > 63 and op == "sum" and dtype == "int8":
        return "NULL"  # the sum would not fit

    async def program(comm: Communicator) -> Any:
        call = getattr(comm, collective)
        mine = inputs[comm.rank]
        reduced = collective in ("all_reduce", "reduce_scatter")
        return await (call(mine, op=op) if reduced else call(mine))

    outcome = run(program, ranks, topology, environment)
    wanted = _CHECKS[collective](inputs, OPERATIONS[op])
    same = all(
        np.array_equal(got, want)
        for got, want in zip(outcome.results, wanted, strict=True)
    )
    return "success" if same else "failed"


def _reduced(inputs: list[np.ndarray], combine: Any) -> np.ndarray:
    return combine.reduce(np.stack(inputs), dtype=inputs[0].dtype)


_CHECKS: Mapping[str, Any] = {
    "all_reduce": lambda x, f: [_reduced(x, f)] * len(x),
    "reduce_scatter": lambda x, f: np.split(_reduced(x, f), len(x)),
    "all_gather": lambda x, f: [np.concatenate(x)] * len(x),
    "all_to_all": lambda x, f: [
        np.concatenate([np.split(one, len(x))[r] for one in x]) for r in range(len(x))
    ],
    "broadcast": lambda x, f: [x[0]] * len(x),
}
