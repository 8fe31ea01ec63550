"""Pictures of a cluster: what each rank did, and how the links were used.

    outcome = hccl.run(rank, ranks=8)
    outcome.timeline()          # each rank's sends, receives, reductions, waits
    outcome.links(windows=8)    # the map of the links, with a slider over time

Both take plain messages, so a schedule that was only timed can be shown too. Loaded by
the first picture: a run without one needs neither matplotlib nor ipywidgets.
"""

from npusim.hccl.pictures.linkmap import LinkMap
from npusim.hccl.pictures.linkuse import LinkUse, link_use
from npusim.hccl.pictures.ranks import RankTimeline, rank_timeline

__all__ = ["LinkMap", "LinkUse", "RankTimeline", "link_use", "rank_timeline"]
