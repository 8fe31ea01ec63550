"""Every kind of hang: its code, its cause, the ranks that part, the graph, the cure."""

from __future__ import annotations

import numpy as np
import pytest

from npusim import hccl
from npusim.hccl.causes import _CAUSES as CAUSES
from npusim.hccl.words import _table

GIB = 1 << 30


def fault(program, ranks=4, **more) -> hccl.HcclError:
    with pytest.raises(hccl.HcclError) as caught:
        hccl.run(program, ranks, **more)
    return caught.value


def ones(count=8, dtype=np.float32):
    return np.ones(count, dtype)


async def one_more_round(comm):
    for _ in range(3 if comm.rank == 2 else 2):
        await comm.all_reduce(ones())


async def other_dtype(comm):
    await comm.all_reduce(ones(dtype=np.float16 if comm.rank == 1 else np.float32))


async def other_operation(comm):
    await comm.all_reduce(ones(), "max" if comm.rank == 3 else "sum")


async def other_root(comm):
    await comm.broadcast(ones(), root=1 if comm.rank == 1 else 0)


async def other_count(comm):
    await comm.all_reduce(ones(9 if comm.rank == 0 else 8))


async def no_barrier(comm):
    if comm.rank != 1:
        await comm.barrier()
    await comm.all_reduce(ones())


async def crossed(comm):
    pair = comm.group([0, 1]) if comm.rank < 2 else comm.group([2, 3])
    calls = [pair.all_reduce, comm.all_reduce]
    for call in reversed(calls) if comm.rank == 1 else calls:
        await call(ones())


async def greedy_start(comm):
    comm.allocate(3 * GIB)
    await comm.compute(100.0)
    comm.release(2 * GIB)
    await comm.barrier()


async def sends_meet(comm):
    await comm.recv((comm.rank + 1) % comm.size)
    await comm.send(ones(), (comm.rank - 1) % comm.size)


@pytest.mark.parametrize(
    ("program", "code", "cause", "ranks"),
    [
        (one_more_round, "EI0002", "extra", (2,)),
        (other_dtype, "EI0005", "size", (1,)),
        (other_operation, "EI0005", "size", (3,)),
        (other_root, "EI0005", "size", (1,)),
        (other_count, "EI0005", "size", (0,)),
        (no_barrier, "EI0005", "order", (1,)),
        (crossed, "EI0002", "crossed", (0, 1)),
        (sends_meet, "EI0002", "cycle", ()),
    ],
)
def test_each_kind_is_named(program, code, cause, ranks):
    error = fault(program)
    report = error.report
    assert (error.code, report.cause) == (code, cause)
    assert report.ranks == ranks
    for language in ("en", "zh"):
        assert "{" not in report.text(language)
    assert report.text("en").splitlines()[-1].startswith("Cure: ")


@pytest.mark.parametrize(
    ("program", "field"),
    [
        (other_dtype, "dtype"),
        (other_operation, "operation"),
        (other_root, "root"),
        (other_count, "count"),
    ],
)
def test_what_differs_is_named(program, field):
    assert fault(program).report.facts["differs"] == field


def test_the_one_that_waits_for_more_is_the_one_that_differs():
    report = fault(one_more_round).report
    assert report.edges == [(2, 0), (2, 1), (2, 3)]
    assert [row.state for row in report.rows].count("finished") == 3


def test_crossed_communicators_are_a_ring_in_the_graph():
    report = fault(crossed).report
    assert {(0, 1), (1, 0)} <= set(report.edges)
    assert report.facts["group"] != report.facts["first"]


def test_too_much_memory_at_start_and_three_cures():
    four = {"server_nbytes": 10 * GIB}
    error = fault(greedy_start, **four)
    assert (error.code, error.report.cause, error.report.ranks) == (
        "EI0002", "memory", (3,),
    )  # fmt: skip
    assert "EI0007" in error.report.text("en")
    hccl.run(greedy_start, 4, start_us=[0, 200, 400, 600], **four)
    hccl.run(greedy_start, 4, server_nbytes=12 * GIB)
    hccl.run(greedy_start, 4)


def test_every_server_has_its_own_memory_and_a_rank_gives_its_own_back():
    async def rank(comm):
        comm.allocate(GIB)
        await comm.barrier()

    hccl.run(rank, 16, server_nbytes=8 * GIB)
    fault(rank, 16, server_nbytes=8 * GIB - 1)

    async def leaves(comm):
        comm.allocate(GIB)

    hccl.run(leaves, 2, server_nbytes=GIB, start_us=[0, 10])


@pytest.mark.parametrize("call", ["allocate", "release"])
@pytest.mark.parametrize("value", [-1, 1.5, True])
def test_a_bad_number_of_bytes_is_ei0003(call, value):
    async def rank(comm):
        getattr(comm, call)(value)

    assert fault(rank).code == "EI0003"


def test_more_cannot_be_released_than_held():
    async def rank(comm):
        comm.allocate(5)
        comm.release(6)

    assert fault(rank).reason == "release-more"


# ------------------------------------------------------------------------------- start
async def meets(comm):
    await comm.barrier()
    return comm.now_us


@pytest.mark.parametrize(
    ("starts", "code"),
    [
        ([0, 0, None, 0], "EI0015"),
        ([0, 0, 121e6, 0], "EI0015"),
        ([None, 0, 0, 0], "EI0006"),
        ([121e6, 0, 0, 0], "EI0006"),
        ([0, 0, 0], "EI0003"),
        ([0, 0, -1, 0], "EI0003"),
    ],
)
def test_who_starts_too_late_is_missed(starts, code):
    assert fault(meets, start_us=starts).code == code


def test_the_connect_timeout_says_how_late_is_too_late():
    late = [0, 0, 121e6, 0]
    longer = {"HCCL_CONNECT_TIMEOUT": 130}
    assert min(hccl.run(meets, 4, start_us=late, environment=longer).results) > 121e6
    assert "rank 2" in str(fault(meets, start_us=late))


# --------------------------------------------------------------------------- time-outs
def test_a_longer_time_out_changes_nothing_but_when_it_is_said():
    reports = []
    for seconds in (68, 1836, 17340, 0):
        error = fault(one_more_round, environment={"HCCL_EXEC_TIMEOUT": seconds})
        reports.append(error.report.text("en"))
        assert (error.reason == "hang-never") == (seconds == 0)
    assert len(set(reports)) == 1


def test_heartbeats_stand_in_the_log_and_in_the_report():
    async def rank(comm):
        for step in range(2):
            await comm.compute(10.0 * (comm.rank + 1))
            comm.heartbeat(f"step {step}")
            if comm.rank == 1 and step == 1:
                return
            await comm.all_reduce(ones())

    report = fault(rank, 3).report
    lines = report.heartbeat_log().splitlines()
    times = [float(line.split()[0]) for line in lines]
    assert times == sorted(times) and len(lines) == 6
    assert lines[0].split(maxsplit=2)[2] == "rank 0  step 0"
    assert all("step 1" in line for line in report.text("en").splitlines()[1:4])
    done = hccl.run(meets, 2)
    assert done.heartbeat_log() == ""


def test_every_cause_has_a_cure_in_both_languages():
    named = {*CAUSES, "cycle", "peer", "unknown"}
    for kind in ("cause", "cure"):
        found = {k.split("-", 1)[1] for k in _table() if k.startswith(f"{kind}-")}
        assert found == named
