"""The wait-for graph: its arrows are the report's, in time, themes and languages."""

from __future__ import annotations

import warnings
from xml.etree import ElementTree

import numpy as np
import pytest

from npusim import hccl
from npusim.hccl.pictures.waits import MOST_RANKS


async def leaves(comm):
    await comm.compute(10.0 * (comm.rank + 1))
    await comm.barrier()
    await comm.compute(10.0)
    if comm.rank == 2:
        raise OSError("磁盘已满 鑫")
    await comm.all_reduce(np.ones(8, np.float32))


def report_of(program, ranks=4):
    with pytest.raises(hccl.HcclError) as caught:
        hccl.run(program, ranks)
    return caught.value.report


@pytest.fixture(scope="module")
def report():
    return report_of(leaves)


def arrows(svg: str) -> int:
    """Arrow heads and shafts are paths; the legend and the discs are not `patch`es of
    an open line."""
    tree = ElementTree.fromstring(svg)
    return sum("patch_" in (e.get("id") or "") for e in tree.iter())


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("theme", ["light", "dark", "inherit"])
def test_it_draws_in_each_theme_and_language_without_a_warning(report, language, theme):
    graph = report.graph(language)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert arrows(graph.svg(theme)) >= len(report.edges) + len(report.rows)
    for line in report.verdict(language):
        assert line in graph.text


def test_steps_walk_from_the_first_call_to_the_report(report):
    steps = report.steps("en")
    assert list(steps.times_us) == sorted(steps.times_us)
    waiting = [steps.at(n).report.edges for n in range(len(steps.times_us))]
    assert waiting[0] == [(0, 1), (0, 2), (0, 3)]  # the fastest waits for all others
    assert [] in waiting  # when the barrier has been passed
    assert waiting[-1] == report.edges == [(0, 2), (1, 2), (3, 2)]
    last = steps.at(len(steps.times_us) - 1)
    assert last.lines[1:] == report.verdict("en")
    assert len(steps.at(0).lines) == 1  # no cause before the end
    assert steps.widget().children[0].options[-1][1] == len(steps.times_us) - 1


@pytest.mark.parametrize("step", [-1, 99, 1.0, True])
def test_a_step_that_does_not_exist_is_refused(report, step):
    with pytest.raises(ValueError, match="0 to"):
        report.steps("en").at(step)


def test_more_ranks_than_fit_are_counted():
    async def one_leaves(comm):
        if comm.rank:
            await comm.barrier()

    graph = report_of(one_leaves, MOST_RANKS + 8).graph("en")
    assert "8 more ranks" in graph.text
    assert graph.svg()
