"""Rank programs: right data through `comm`, overlap, groups, and honest hangs."""

from __future__ import annotations

import numpy as np
import pytest

from npusim import hccl
from npusim.hccl.calls import Signature


def run_all(program, ranks=8, **more):
    return hccl.run(program, ranks, **more)


def hang(program, ranks=4, **more) -> hccl.HcclError:
    with pytest.raises(hccl.HcclError) as caught:
        hccl.run(program, ranks, **more)
    return caught.value


# ------------------------------------------------------------------------------ results
@pytest.mark.parametrize("ranks", [1, 2, 8, 16, 24])
@pytest.mark.parametrize("dtype", ["f4", "f2", "i4", "f8"])
def test_collectives_through_comm(ranks, dtype):
    async def rank(comm):
        p, r = comm.size, comm.rank
        x = np.arange(2 * p, dtype=dtype).reshape(p, 2) + r
        last = p - 1
        mine = x if r == last else None
        return {
            "all_reduce": await comm.all_reduce(x, "max"),
            "reduce": await comm.reduce(x, last),
            "broadcast": await comm.broadcast(mine, last),
            "all_gather": await comm.all_gather(x),
            "gather": await comm.gather(x, last),
            "reduce_scatter": await comm.reduce_scatter(x),
            "scatter": await comm.scatter(mine, last),
            "all_to_all": await comm.all_to_all(x),
        }

    results = run_all(rank, ranks).results
    inputs = [
        np.arange(2 * ranks, dtype=dtype).reshape(ranks, 2) + r for r in range(ranks)
    ]
    total, joined = np.sum(inputs, axis=0, dtype=dtype), np.concatenate(inputs)
    for r, got in enumerate(results):
        assert got["all_reduce"].dtype == np.dtype(dtype)
        np.testing.assert_array_equal(got["all_reduce"], inputs[-1])
        np.testing.assert_array_equal(
            got["broadcast"], inputs[-1].reshape(-1).reshape(got["broadcast"].shape)
        )
        np.testing.assert_array_equal(got["all_gather"], joined)
        np.testing.assert_array_equal(got["reduce_scatter"], total[r : r + 1])
        np.testing.assert_array_equal(got["scatter"], inputs[-1][r : r + 1])
        wanted = np.concatenate([x[r : r + 1] for x in inputs])
        np.testing.assert_array_equal(got["all_to_all"], wanted)
        for name, value in (("reduce", total), ("gather", joined)):
            if r == ranks - 1:
                np.testing.assert_array_equal(got[name], value)
            else:
                assert got[name] is None


def test_all_to_all_v_takes_any_lengths():
    async def rank(comm):
        parts = [np.full(comm.rank + t, comm.rank) for t in range(comm.size)]
        return await comm.all_to_all_v(parts)

    for r, parts in enumerate(run_all(rank, 16).results):
        assert [p.tolist() for p in parts] == [[o] * (o + r) for o in range(16)]


def test_inputs_are_not_changed_and_results_are_ones_own():
    async def rank(comm):
        x = np.ones(8)
        y = await comm.all_reduce(x)
        y += comm.rank
        await comm.barrier()
        return x, y

    for r, (x, y) in enumerate(run_all(rank, 4).results):
        assert x.tolist() == [1] * 8 and y.tolist() == [4 + r] * 8


def test_groups_of_ranks_have_their_own_calls():
    async def rank(comm):
        half = comm.rank // 4 * 4
        mine = comm.group(range(half, half + 4))
        inside = await mine.all_reduce(np.array([comm.rank]))
        return int((await comm.all_reduce(inside))[0])

    assert run_all(rank, 8).results == [4 * (0 + 1 + 2 + 3) + 4 * (4 + 5 + 6 + 7)] * 8


def test_computing_overlaps_with_a_call_under_way():
    async def in_turn(comm):
        await comm.all_reduce(np.ones(1 << 20, np.float32))
        await comm.compute(100.0)

    async def at_once(comm):
        handle = comm.all_reduce(np.ones(1 << 20, np.float32))
        await comm.compute(100.0)
        await handle

    apart, together = run_all(in_turn).time_us, run_all(at_once).time_us
    assert together == pytest.approx(max(100.0, apart - 100.0))


def test_a_slow_rank_delays_the_others_and_is_no_error():
    async def rank(comm):
        await comm.compute(500.0 if comm.rank == 2 else 0.0)
        await comm.barrier()
        return comm.now_us

    outcome = run_all(rank)
    assert min(outcome.results) > 500.0
    waits = [log.calls[0].end_us - log.calls[0].begin_us for log in outcome.logs]
    assert waits[2] < min(w for r, w in enumerate(waits) if r != 2)


def test_calls_without_await_run_in_order():
    async def rank(comm):
        first = comm.all_reduce(np.array([1.0]))
        second = comm.all_reduce(np.array([10.0]))
        return float((await second)[0]), float((await first)[0])

    assert run_all(rank, 4).results == [(40.0, 4.0)] * 4


def test_the_same_program_takes_the_same_time():
    async def rank(comm):
        await comm.compute(comm.rank * 7.5)
        await comm.all_to_all(np.ones(1024))
        return comm.now_us

    assert run_all(rank, 16).results == run_all(rank, 16).results


# -------------------------------------------------------------------------------- hangs
async def leaves_early(comm):
    await comm.all_reduce(np.ones(4))
    if comm.rank == 3:
        return
    await comm.all_gather(np.ones(4))


async def swaps(comm):
    x = np.ones(8)
    if comm.rank == 2:
        await comm.broadcast(x)
        await comm.all_reduce(x)
    else:
        await comm.all_reduce(x)
        await comm.broadcast(x)


async def other_size(comm):
    await comm.all_reduce(np.ones(5 if comm.rank == 2 else 4))


async def raises(comm):
    if comm.rank == 1:
        raise OSError("disk full")
    await comm.barrier()


async def receives_in_a_ring(comm):
    await comm.recv((comm.rank + 1) % comm.size)


async def receives_alone(comm):
    if comm.rank == 1:
        await comm.recv(0)
    await comm.barrier()


async def forgets_to_be_sent(comm):
    await comm.barrier()
    if comm.rank == 0:
        await comm.recv(1)


@pytest.mark.parametrize(
    ("program", "code", "cause", "ranks"),
    [
        (leaves_early, "EI0002", "left", (3,)),
        (swaps, "EI0005", "order", (2,)),
        (other_size, "EI0005", "size", (2,)),
        (raises, "EI0002", "raised", (1,)),
        (receives_in_a_ring, "EI0002", "cycle", ()),
        (receives_alone, "EI0002", "elsewhere", (1,)),
        (forgets_to_be_sent, "EI0002", "peer", ()),
    ],
)
def test_a_wrong_program_ends_with_a_report(program, code, cause, ranks):
    error = hang(program)
    assert (error.code, error.report.cause, error.report.ranks) == (code, cause, ranks)
    for language in ("en", "zh"):
        text = error.report.text(language)
        assert all(f"rank {r}" in text for r in range(4)) and "{" not in text


def test_the_report_names_calls_and_lines():
    report = hang(leaves_early).report
    line = leaves_early.__code__.co_firstlineno + 4
    assert [row.state for row in report.rows] == ["waiting"] * 3 + ["finished"]
    assert report.rows[0].call.line == line
    assert report.last_common.signature == Signature("all_reduce", 4, "float64", "sum")
    assert report.edges == [(0, 3), (1, 3), (2, 3)]


def test_an_error_that_nobody_waits_for_is_raised_itself():
    async def rank(comm):
        await comm.barrier()
        if comm.rank == 2:
            raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        run_all(rank, 4)


def test_a_time_out_of_ones_own_can_be_handled():
    async def rank(comm):
        if comm.rank == 0:
            return "gone"
        try:
            await comm.barrier(timeout_us=300.0)
        except hccl.HcclError as error:
            comm.heartbeat("gave up")
            return error.code

    outcome = run_all(rank, 4)
    assert outcome.results == ["gone", "EI0002", "EI0002", "EI0002"]
    assert outcome.logs[1].heartbeats == [(300.0, "gave up")]


def test_a_wait_longer_than_the_exec_timeout_is_a_fault():
    async def rank(comm):
        await comm.compute(70e6 if comm.rank == 0 else 0.0)
        await comm.barrier()

    error = hang(rank, environment={"HCCL_EXEC_TIMEOUT": 68})
    assert (error.code, error.reason) == ("EI0002", "waited-too-long")
    hccl.run(rank, 4)


# ------------------------------------------------------------------ bad arguments
@pytest.mark.parametrize(
    "call",
    [
        lambda comm: comm.all_reduce([1.0]),
        lambda comm: comm.all_reduce(np.ones(4), "mean"),
        lambda comm: comm.broadcast(np.ones(4), root=9),
        lambda comm: comm.send(np.ones(1), -1),
        lambda comm: comm.compute(-1.0),
        lambda comm: comm.reduce_scatter(np.ones(5)),
        lambda comm: comm.all_to_all(np.ones(())),
        lambda comm: comm.all_to_all_v([np.ones(1)] * 3),
        lambda comm: comm.group([1, 1]),
    ],
)
def test_a_bad_argument_is_ei0003(call):
    async def rank(comm):
        await call(comm)

    with pytest.raises(hccl.HcclError) as caught:
        hccl.run(rank, 2)
    assert caught.value.code == "EI0003"


def test_a_plain_function_is_no_rank_program():
    with pytest.raises(hccl.HcclError) as caught:
        hccl.run(lambda comm: None)
    assert caught.value.code == "EI0003"


@pytest.mark.parametrize(
    "given",
    [
        {"HCCL_EXEC_TIMEOUT": "soon"},
        {"HCCL_CONNECT_TIMEOUT": 5},
        {"HCCL_ALGO": "level0:NA;level1:star"},
        {"HCCL_ALGO": "allreduze=level1:ring"},
        {"HCCL_ALGO": "level7:ring"},
        {"HCCL_DETERMINISTIC": "perhaps"},
        {"HCCL_EXEC_TIMEOUTS": 100},
    ],
)
def test_a_bad_variable_is_ei0001(given):
    with pytest.raises(hccl.HcclError) as caught:
        hccl.Environment.read(given)
    assert caught.value.code == "EI0001"


def test_hccl_algo_chooses():
    async def rank(comm):
        return await comm.all_reduce(np.ones(16))

    given = {"HCCL_ALGO": "allreduce=level0:NA;level1:ring/allgather=level1:NB"}
    (choice,) = run_all(rank, 32, environment=given).choices
    assert (choice.inside, choice.between) == ("mesh", "ring")
