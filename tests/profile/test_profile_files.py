"""Files of a run: valid, complete, the same every time."""

import csv
import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from npusim import asc, profile
from npusim.launch import Kernel

SCHEMA = json.loads(Path(__file__).with_name("trace.schema.json").read_text())


@pytest.fixture(scope="module")
def run(launch):
    """Small, since every event is validated."""
    return launch("queue_add", tiles=2, tile=4096)


@pytest.fixture(scope="module")
def folder(run, tmp_path_factory):
    return run.save(tmp_path_factory.mktemp("saved") / "deep" / "folder")


@pytest.fixture(scope="module")
def trace(folder):
    return json.loads((folder / "trace.json").read_text(encoding="utf-8"))


def rows(folder, name):
    with (folder / name).open(newline="") as file:
        return list(csv.DictReader(file))


def test_trace_follows_the_schema(trace):
    jsonschema.Draft202012Validator(SCHEMA).validate(trace)


def test_schema_refuses_a_broken_trace(trace):
    broken = {**trace, "traceEvents": [{**trace["traceEvents"][-1], "ts": -1}]}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, SCHEMA)


def test_one_row_per_core_and_pipe(trace, run):
    threads = {
        (e["pid"], e["args"]["name"])
        for e in trace["traceEvents"]
        if e["name"] == "thread_name"
    }
    assert threads == {(c, p) for c in range(48) for p in ("S", "V", "MTE2", "MTE3")}


def test_events_are_those_of_the_run(trace, run):
    complete = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    assert len(complete) == len(run.events())
    assert sum(e["name"] == "add" for e in complete) == 48 * 2
    last = max(e["args"]["end_cycle"] for e in complete)
    assert last == pytest.approx(max(run.core_cycles), abs=1)
    add = next(e for e in complete if e["name"] == "add")
    assert add["args"]["source"] == "asc.add(z_local, x_local, y_local, tile)"
    assert add["dur"] * 1850 == pytest.approx(
        add["args"]["end_cycle"] - add["args"]["start_cycle"], abs=0.01
    )


def test_arrows_begin_and_end_inside_work_of_the_pipes(trace):
    spans = [e for e in trace["traceEvents"] if e["ph"] == "X" and e["dur"] > 0]
    starts = {(e["pid"], e["tid"], e["ts"]) for e in spans}
    ends = [e for e in trace["traceEvents"] if e["ph"] in "sf"]
    sources = {e["id"]: e for e in ends if e["ph"] == "s"}
    targets = {e["id"]: e for e in ends if e["ph"] == "f"}
    assert sources.keys() == targets.keys() and len(sources) > 48
    for name, target in targets.items():
        source = sources[name]
        assert source["pid"] == target["pid"] and source["ts"] <= target["ts"] + 1e-5
        if target["tid"]:
            assert (target["pid"], target["tid"], target["ts"]) in starts


def test_later_blocks_of_a_core_start_after_earlier_ones(launch, tmp_path):
    run = launch("queue_add", blocks=100, tiles=1, tile=1024)
    saved = json.loads((run.save(tmp_path) / "trace.json").read_text())
    ends = {}
    for event in sorted(
        (e for e in saved["traceEvents"] if e["ph"] == "X" and e["pid"] == 3),
        key=lambda e: (e["args"]["block"], e["ts"]),
    ):
        block = event["args"]["block"]
        assert event["ts"] >= max((t for b, t in ends.items() if b < block), default=0)
        ends[block] = max(ends.get(block, 0), event["ts"] + event["dur"])
    assert sorted(ends) == [3, 51, 99]
    assert ends[99] * 1850 == pytest.approx(run.core_cycles[3], abs=2)


def test_op_basic_info(folder, run):
    (row,) = rows(folder, "OpBasicInfo.csv")
    assert row["Op Name"] == "queue_add"
    assert float(row["Task Duration(us)"]) == pytest.approx(run.time_us, abs=1e-6)
    assert (row["Block Dim"], row["Current Freq"]) == ("48", "1850")
    assert row["Mix Block Dim"] == "NA"


def test_pipe_utilization(folder, run):
    table = rows(folder, "PipeUtilization.csv")
    assert [int(row["block_id"]) for row in table] == list(range(48))
    mean = sum(float(row["aiv_mte2_time(us)"]) for row in table) / 48
    assert mean == pytest.approx(run.pipe_cycles["MTE2"] / 1850, rel=1e-3)
    assert all(0 < float(row["aiv_vec_ratio"]) <= 1 for row in table)
    assert {row["aic_cube_ratio"] for row in table} == {"NA"}
    assert float(table[0]["aiv_mte2_active_bw(GB/s)"]) > 10


def test_equal_runs_give_equal_bytes(launch, tmp_path):
    for name in ("a", "b"):
        launch("queue_add", blocks=2, tiles=2).save(tmp_path / name)
    files = [file for file in (tmp_path / "a").rglob("*") if file.is_file()]
    assert len(files) == 8 + 2 * 2  # tables and trace; two files for each of two cores
    for file in files:
        twin = tmp_path / "b" / file.relative_to(tmp_path / "a")
        assert file.read_bytes() == twin.read_bytes()


def test_each_event_has_the_source_of_its_own_cell():
    """Lines of two cells may have the same number."""
    store = "\n@asc.jit\ndef store(y_gm):\n    y_gm.set_value(0, 5)\n"
    text = (
        "@asc.jit\ndef kernel(y: asc.GlobalAddress):\n    y_gm = asc.GlobalTensor()\n"
        "    y_gm.set_global_buffer(y, 8); y_gm.set_value(1, 3)\n    store(y_gm)\n"
    )
    helper = Kernel.from_text(store, "Cell [2]", "store", {"asc": asc})
    kernel = Kernel.from_text(text, "Cell [1]", "kernel", {"asc": asc, "store": helper})
    run = kernel.launch(np.zeros(8, np.int32), blocks=1)
    events = [e for e in profile.trace(run)["traceEvents"] if e["ph"] == "X"]
    assert [(e["args"]["line"], e["args"]["source"]) for e in events] == [
        (4, "y_gm.set_global_buffer(y, 8); y_gm.set_value(1, 3)"),
        (4, "y_gm.set_value(0, 5)"),
    ]
