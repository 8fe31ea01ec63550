"""asc.explain: counts, UB map and events are those of the program."""

from __future__ import annotations

import numpy as np
import pytest
from tests.launch import kernels
from tests.launch.order_kernels import accumulate, rotate

from npusim import asc
from npusim.diagnostic import KernelError
from npusim.launch import Kernel
from npusim.profile.explain import WORDS, explain


def arrays(count: int, n: int = 4096):
    return [np.zeros(n, np.float16) for _ in range(count)]


def test_instructions_are_counted_by_pipe_and_loop():
    report = explain(kernels.scalar_add)
    assert report.counts == {"S": {"get_value": 2, "set_value": 1}}
    assert report.looped == {"S": 3}
    report = explain(rotate)
    assert report.counts["MTE2"] == {"data_copy": 2} == report.counts["MTE3"]
    assert report.counts["S"]["sync_all"] == 1 == report.across["sync_all"]
    assert sum(report.looped.values()) == 0


def test_the_ub_map_of_queues():
    report = explain(kernels.queue_add, *arrays(3), 2048, 1024, buffers=2)
    assert {p.kind for p in report.placed} == {"TQue"}
    starts = [p.start for p in report.placed]
    assert starts == [2 * 2048 * i for i in range(len(starts))]
    used = sum(p.number * p.nbytes for p in report.placed)
    assert f"used: {used:,} B, free: {196_608 - used:,} B" in report.text()
    for name, (position, calls) in report.queues.items():
        assert position in ("VECIN", "VECOUT"), name
        assert set(calls) == {"alloc_tensor", "enque", "deque", "free_tensor"}


def test_flags_and_the_pipes_of_each_tensor():
    report = explain(kernels.flag_add, *arrays(3), 1024, 1024)
    assert report.uses["x_ub"] == (("MTE2",), ("V",))
    assert report.uses["z_ub"] == (("V",), ("MTE3",))
    assert report.flags["MTE2_V", "0"] == [1, 1]
    assert "x_ub: written by MTE2, read by V; needs MTE2_V" in report.text()


def test_what_only_run_time_tells_is_said():
    report = explain(accumulate)
    assert report.placed[0].nbytes is None and report.placed[0].start == 0
    assert "run time" in report.text() and "运行时" in report.text("zh")


def test_a_run_a_program_and_the_last_launch():
    x, y, z = arrays(3)
    run = kernels.flag_add[1](x, y, z, 4096, 1024)
    text = explain(run).text()
    assert explain(run.execution.program).text() == text
    assert asc.explain(kernels.flag_add).text() == text
    assert "<pre>" in asc.explain(run)._repr_html_() and str(explain(run)) == text


def test_a_constant_without_a_value_is_asked_for():
    text = (
        "@asc.jit\ndef kernel(x: asc.GlobalAddress, tile: asc.constexpr):\n    pass\n"
    )
    kernel = Kernel.from_text(text, "k.py", "kernel", {"asc": asc})
    with pytest.raises(KernelError) as info:
        asc.explain(kernel)
    assert info.value.diagnostics[0].code == "ASC-ARG-03"
    report = asc.explain(kernel, np.zeros(8, np.float32), 4)
    assert report.counts == {} and WORDS("events_none", "en") in report.text()


def test_both_languages_say_the_same():
    report = explain(rotate)
    english, chinese = report.text("en"), report.text("zh")
    assert len(english.split("\n")) == len(chinese.split("\n"))
    assert asc.language("both") == "both" and str(report) == f"{english}\n\n{chinese}"
