"""Is a plan of UB legal, full and free of conflicts? How many bytes does a copy move?

`ub_plan`: two buffers for each of `tensors` tensors, those of one tensor together in
the list. Neighbouring tensors are read by one instruction: a repeat reads 8 blocks of
each, so that only sources 8 of the 16 groups apart never meet.
`line_traffic`: rows of a window, moved in whole lines of 512 B, each row for itself.
Facts of UB: 16 bank groups of 32 B blocks, 32 B alignment (public Ascend C
documentation, Atlas A2). Left out: the three banks of a group, lines kept in L2.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from npugrade.outcome import Outcome, Refused

BLOCK_NBYTES, GROUPS, LINE_NBYTES, BUFFERS = 32, 16, 512, 2
_LEAST_PERCENT = 99


def ub_plan(arguments: Mapping[str, Any], answer: Any) -> Outcome:
    """Refused unless `answer` = {"tile", "starts"} places every buffer legally, fills
    99 % of `ub_nbytes`, and keeps neighbouring tensors 8 bank groups apart."""
    ub_nbytes, tensors = int(arguments["ub_nbytes"]), int(arguments["tensors"])
    starts, nbytes = _fields(answer, tensors * BUFFERS, int(arguments["itemsize"]))
    for number, start in enumerate(starts):
        _placed(number, start, nbytes, ub_nbytes)
    for first, second in combinations(range(len(starts)), 2):
        _apart(first, second, starts, nbytes)
    used = len(starts) * nbytes
    if 100 * used < _LEAST_PERCENT * ub_nbytes:
        raise Refused("plan.unused", used=used, ub_nbytes=ub_nbytes)
    return Outcome(1, 1)


def _fields(answer: Any, count: int, itemsize: int) -> tuple[list[int], int]:
    if not isinstance(answer, dict) or set(answer) != {"tile", "starts"}:
        raise Refused("plan.form", count=count)
    tile, starts = answer["tile"], answer["starts"]
    if not isinstance(starts, list) or len(starts) != count:
        raise Refused("plan.form", count=count)
    if any(type(value) is not int or abs(value) > 2**40 for value in (tile, *starts)):
        raise Refused("plan.form", count=count)
    return starts, tile * itemsize


def _placed(number: int, start: int, nbytes: int, ub_nbytes: int) -> None:
    if nbytes < 1 or start < 0 or nbytes % BLOCK_NBYTES or start % BLOCK_NBYTES:
        raise Refused("plan.aligned", number=number, start=start, nbytes=nbytes)
    if start + nbytes > ub_nbytes:
        end = start + nbytes
        raise Refused("plan.outside", number=number, end=end, ub_nbytes=ub_nbytes)


def _apart(first: int, second: int, starts: list[int], nbytes: int) -> None:
    if abs(starts[first] - starts[second]) < nbytes:
        raise Refused("plan.overlap", first=first, second=second)
    groups = [starts[n] // BLOCK_NBYTES % GROUPS for n in (first, second)]
    together = second - first == BUFFERS  # first with first, second with second
    if together and (groups[0] - groups[1]) % GROUPS != GROUPS // 2:
        raise Refused(
            "plan.group", first=first, second=second, one=groups[0], other=groups[1]
        )


def line_traffic(arguments: Mapping[str, Any], answer: Any) -> Outcome:
    """Refused unless `answer` is the bytes of all lines that the rows touch."""
    if type(answer) is not int:
        raise Refused("lines.form")
    if answer != moved_nbytes(**{k: int(v) for k, v in arguments.items()}):
        raise Refused("lines.count", answer=answer)
    return Outcome(1, 1)


def moved_nbytes(start: int, row_nbytes: int, pitch_nbytes: int, rows: int) -> int:
    """512 B for every line that a row touches, rows counted one by one."""
    moved = 0
    for row in range(rows):
        first = (start + row * pitch_nbytes) // LINE_NBYTES
        last = (start + row * pitch_nbytes + row_nbytes - 1) // LINE_NBYTES
        moved += (last - first + 1) * LINE_NBYTES
    return moved
