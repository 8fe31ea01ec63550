"""How the places lie at which a result is wrong, as codes with facts.

From the general to the special; a reader is shown those that hold: all, one range, the
tail, some blocks, some tiles, some columns of every row, some rows, every k-th element;
and whether all wrong elements hold one value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from npusim.check.wrong.compare import Case
from npusim.check.wrong.writers import NOBODY, Writers

Pattern = tuple[str, dict[str, Any]]
_FEW = 8  # blocks, tiles or columns that a sentence can list


def patterns_of(case: Case, writers: Writers) -> list[Pattern]:
    """`(name, facts)` of each pattern that the wrong elements follow."""
    wrong = case.wrong.ravel()
    places = np.flatnonzero(wrong)
    if not len(places):
        return []
    found: list[Pattern] = []
    for rule in _RULES:
        found += rule(case, writers, wrong, places)
    return found


def _extent(
    case: Case, writers: Writers, wrong: np.ndarray, places: np.ndarray
) -> Iterator[Pattern]:
    first, last = int(places[0]), int(places[-1])
    if len(places) == len(wrong):
        yield "all", {}
    elif last - first + 1 == len(places):
        name = "tail" if last == len(wrong) - 1 else "range"
        yield name, {"first": first, "last": last}


def _never(
    case: Case, writers: Writers, wrong: np.ndarray, places: np.ndarray
) -> Iterator[Pattern]:
    unwritten = int((writers.index[places] == NOBODY).sum())
    if unwritten:
        name = "unwritten" if unwritten == len(places) else "some_unwritten"
        yield name, {"count": unwritten}


def _blocks(
    case: Case, writers: Writers, wrong: np.ndarray, places: np.ndarray
) -> Iterator[Pattern]:
    yield from _owners("blocks", writers.block, places)


def _tiles(
    case: Case, writers: Writers, wrong: np.ndarray, places: np.ndarray
) -> Iterator[Pattern]:
    tiles = writers.tiles()
    bad, total = np.unique(tiles[places]), int(tiles.max(initial=0)) + 1
    bad = bad[bad != NOBODY]
    if total < 2 or not len(bad) or len(bad) == total:
        return
    if len(bad) > 1 and bad[0] > 0 and len(bad) == total - bad[0]:
        yield "from_tile", {"first": int(bad[0])}
    elif len(bad) <= _FEW:
        yield "tiles", {"names": bad.tolist(), "total": total}


def _owners(name: str, owner: np.ndarray, places: np.ndarray) -> Iterator[Pattern]:
    bad, everyone = np.unique(owner[places]), np.unique(owner)
    bad, everyone = bad[bad != NOBODY], everyone[everyone != NOBODY]
    if 0 < len(bad) < len(everyone) and len(bad) <= _FEW:
        yield name, {"names": bad.tolist(), "total": len(everyone)}


def _columns(
    case: Case, writers: Writers, wrong: np.ndarray, places: np.ndarray
) -> Iterator[Pattern]:
    """Columns of a matrix (the last axis), where every row is wrong alike."""
    if case.wrong.ndim < 2:
        return
    table = wrong.reshape(-1, case.wrong.shape[-1])
    bad, width = np.flatnonzero(table.any(axis=0)), table.shape[1]
    rows = np.flatnonzero(table.any(axis=1))
    if len(bad) < width and len(rows) > 1:
        name = "row_tails" if len(bad) == width - bad[0] else "columns"
        if name == "row_tails" or len(bad) <= _FEW:
            yield name, {"first": int(bad[0]), "last": width - 1, "names": bad.tolist()}
    if len(rows) < len(table) and len(rows) <= _FEW:
        yield "rows", {"names": rows.tolist(), "total": len(table)}


def _period(
    case: Case, writers: Writers, wrong: np.ndarray, places: np.ndarray
) -> Iterator[Pattern]:
    gaps = np.diff(places)
    if len(gaps) >= 3 and gaps[0] > 1 and (gaps == gaps[0]).all():
        yield "period", {"first": int(places[0]), "step": int(gaps[0])}


def _constant(
    case: Case, writers: Writers, wrong: np.ndarray, places: np.ndarray
) -> Iterator[Pattern]:
    values = case.got.ravel()[places]
    if len(values) > 1 and np.isnan(values).all():
        yield "nan", {}
    elif len(values) > 1 and (values == values[0]).all():
        yield "constant", {"value": float(values[0])}


Rule = Callable[[Case, Writers, np.ndarray, np.ndarray], Iterator[Pattern]]
_RULES: tuple[Rule, ...] = (
    _extent, _never, _blocks, _tiles, _columns, _period, _constant,
)  # fmt: skip
