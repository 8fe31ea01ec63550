"""The profiler's tables agree with the run, with each other and with closed forms."""

import csv

import pytest

from npusim.profile.csvfiles import COLUMNS
from npusim.profile.flows import flows
from npusim.profile.tables import TABLES, tables

TILES, TILE, BLOCKS = 4, 2048, 48
COPY = TILE * 2  # bytes of a half tile


@pytest.fixture(scope="module")
def run(launch):
    return launch("queue_add", blocks=BLOCKS, tiles=TILES, tile=TILE)


@pytest.fixture(scope="module")
def made(run):
    return tables(run)


@pytest.fixture(scope="module")
def folder(run, tmp_path_factory):
    return run.save(tmp_path_factory.mktemp("tables"))


def column(rows, name):
    return [row[name] for row in rows]


@pytest.mark.parametrize("name", TABLES)
def test_columns_are_msprofs(made, name):
    filled = set().union(*map(set, made[name]))
    assert filled <= set(COLUMNS[name])
    assert column(made[name], "block_id") == list(range(BLOCKS))


def test_memory_counts_every_byte(made, run):
    moved = made["Memory"]
    assert sum(column(moved, "GM_to_UB_datas(KB)")) * 1024 == run.nbytes_read
    assert sum(column(moved, "UB_to_GM_datas(KB)")) * 1024 == run.nbytes_written
    assert set(column(moved, "aiv_mte2_instructions")) == {2 * TILES}
    assert set(column(moved, "aiv_mte3_instructions")) == {TILES}
    row = moved[0]
    seconds = made["PipeUtilization"][0]["aiv_time(us)"] / 1e6
    expected = 2 * TILES * COPY / seconds / 1e9
    assert row["aiv_gm_to_ub_bw(GB/s)"] == pytest.approx(expected, rel=1e-4)


def test_vector_reads_two_operands_and_writes_one(made):
    for row in made["MemoryUB"]:
        read, written = (
            row[f"aiv_ub_{way}_bw_vector(GB/s)"] for way in ("read", "write")
        )
        assert read == pytest.approx(2 * written, rel=1e-6) and written > 0


def test_arithmetic_is_one_operation_an_element(made):
    rows = made["ArithmeticUtilization"]
    assert set(column(rows, "aiv_vec_fops")) == {TILES * TILE}
    for row in rows:
        assert row["aiv_vec_fp16_ratio"] == row["aiv_vec_ratio"] > 0
        assert row["aiv_vec_fp32_ratio"] == row["aiv_vec_misc_ratio"] == 0


def test_a_pipe_works_or_waits_no_longer_than_the_block(made):
    busy = made["PipeUtilization"]
    waits = made["ResourceConflictRatio"]
    for row, held in zip(busy, waits, strict=True):
        for pipe in ("vec", "mte2", "mte3"):
            assert (
                0 <= row[f"aiv_{pipe}_ratio"] + held[f"aiv_{pipe}_wait_ratio"] < 1.001
            )


def test_one_buffer_makes_the_pipes_wait(launch):
    def waited(depth):
        one = launch("queue_add", blocks=8, tiles=8, tile=TILE, depth=depth)
        return sum(column(tables(one)["ResourceConflictRatio"], "aiv_mte2_wait_ratio"))

    assert waited(1) > 2 * waited(2)


def test_core_folders_are_named_as_msprof_names_them(folder, run):
    names = {path.name for path in folder.iterdir() if path.is_dir()}
    assert names == {f"core{i // 2}.veccore{i % 2}" for i in range(BLOCKS)}
    (core,) = folder.glob("core0.veccore1")
    with (core / "core0.veccore1_instr_exe.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    adds = [row for row in rows if row["instr"] == "add"]
    assert [(row["pipe"], row["call_count"]) for row in adds] == [("V", str(TILES))]
    assert "half" in adds[0]["detail"]
    with (core / "core0.veccore1_code_exe.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    total = sum(int(row["cycles"]) for row in lines)
    assert total == pytest.approx(sum(int(row["cycles"]) for row in rows), rel=0.02)


def test_arrows_join_the_pipes_that_a_queue_joins(run):
    (part,) = run.timing.classes
    steps = list(part.stream.steps())
    pairs = {(steps[f.producer].pipe, steps[f.consumer].pipe) for f in flows(steps)}
    assert {("MTE2", "V"), ("V", "MTE3")} <= pairs
    for flow in flows(steps):
        assert flow.kind == "queue"
        assert part.start_ticks[flow.consumer] >= part.end_ticks[flow.producer]


def test_a_flag_is_an_arrow_to_the_waiting_pipe(launch):
    (part,) = launch("flag_exp").timing.classes
    steps = list(part.stream.steps())
    found = [
        (f.kind, steps[f.producer].name, steps[f.consumer].name) for f in flows(steps)
    ]
    assert found == [
        ("flag", "data_copy", "exp"),
        ("flag", "exp", "data_copy"),
        ("flag", "data_copy", "wait_flag"),
    ]
    for flow in flows(steps):
        assert part.end_ticks[flow.consumer] >= part.end_ticks[flow.producer]


def test_l2_requests_add_up_to_the_bytes(made, run):
    rows = made["L2Cache"]
    reads = sum(column(rows, "aiv_r0_read_cache_hit"))
    reads += sum(column(rows, "aiv_r0_read_cache_miss_allocate"))
    assert reads * 128 == pytest.approx(run.nbytes_read, rel=1e-3)
    writes = sum(column(rows, "aiv_write_cache_hit"))
    assert writes * 128 == pytest.approx(run.nbytes_written, rel=1e-3)  # L2 keeps all
    assert set(column(rows, "aiv_read_hit_rate(%)")) == {0.0}


def test_resident_inputs_hit(launch):
    run = launch("queue_add", blocks=4, tiles=2, tile=TILE, cache="l2")
    assert set(column(tables(run)["L2Cache"], "aiv_read_hit_rate(%)")) == {100.0}


def test_bank_conflicts_are_a_share_of_the_time(made, run):
    for row in made["ResourceConflictRatio"]:
        cycles = row["aiv_vec_total_cflt_ratio"] * row["aiv_total_cycles"] * BLOCKS
        assert cycles == pytest.approx(run.timing.conflict_cycles, rel=0.02)
