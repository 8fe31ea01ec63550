"""Pictures of a cluster: what each rank did, how the links were used, who waits.

    outcome = hccl.run(rank, ranks=8)
    outcome.timeline()          # each rank's sends, receives, reductions, waits
    outcome.links(windows=8)    # the map of the links, with a slider over time
    error.report.graph()        # of an HcclError: who waits for whom
    error.report.steps()        # the same, with a slider over time

The first two take plain messages, so a schedule that was only timed can be shown too.
Loaded by the first picture: a run without one needs neither matplotlib nor ipywidgets.
"""

from npusim.hccl.pictures.linkmap import LinkMap
from npusim.hccl.pictures.linkuse import LinkUse, link_use
from npusim.hccl.pictures.ranks import RankTimeline, rank_timeline
from npusim.hccl.pictures.waits import WaitGraph, WaitSteps, wait_graph, wait_steps

__all__ = [
    "LinkMap",
    "LinkUse",
    "RankTimeline",
    "WaitGraph",
    "WaitSteps",
    "link_use",
    "rank_timeline",
    "wait_graph",
    "wait_steps",
]
