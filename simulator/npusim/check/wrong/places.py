"""Right values in other places: transposed, reversed, shifted, another tile's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import permutations

import numpy as np

from npusim.check.wrong.compare import Case
from npusim.check.wrong.suspect import Suspect, Trial, layout
from npusim.check.wrong.writers import NOBODY, Writers

_AXES = 4  # axes up to which all orders are tried
_PROBES = 8  # wrong elements whose values are looked up in the reference
_PLACES = 64  # places at which such a value may stand
_TILES = 64  # tiles looked at
_SHARE = 0.9  # of the wrong elements of a tile that have to agree


def find(trial: Trial) -> Iterator[Suspect]:
    """The first kind of misplacement that explains the result."""
    for kind in (_transposed, _reversed, _other_tiles, _shifted):
        found = list(kind(trial))
        if found:
            yield from found
            return


def _transposed(trial: Trial) -> Iterator[Suspect]:
    case = trial.case
    ndim = case.expected.ndim
    if not 2 <= ndim <= _AXES:
        return
    for order in permutations(range(ndim)):
        moved = case.expected.transpose(order)
        if order != tuple(range(ndim)) and case.explains(moved):
            yield layout("transpose", axes=str(order))
            return


def _reversed(trial: Trial) -> Iterator[Suspect]:
    case = trial.case
    for axis in range(case.expected.ndim):
        if case.explains(np.flip(case.expected, axis)):
            yield layout("reversed", axis=axis)
            return


def _offsets(case: Case, places: np.ndarray) -> Counter[int]:
    """How far from some wrong elements their values stand in the reference."""
    got = case.got.ravel()
    found: Counter[int] = Counter()
    for place in places[:: max(1, len(places) // _PROBES)].tolist():
        if np.isfinite(got[place]):
            here = case.places_of(float(got[place]), _PLACES)
            found.update((here - place).tolist())
    return found


def _holds(case: Case, places: np.ndarray, offset: int) -> bool:
    """Whether the values at `places` are those of the reference `offset` further."""
    source = places + offset
    places = places[(source >= 0) & (source < case.got.size)]
    got, expected = case.got.ravel()[places], case.expected.ravel()[places + offset]
    hits = case.close(got, expected)
    different = len(np.unique(expected[hits]))
    return bool(len(places) and hits.mean() >= _SHARE and different >= 3)


def _shifted(trial: Trial) -> Iterator[Suspect]:
    case = trial.case
    places = np.flatnonzero(case.judged.ravel())
    for offset, _ in _offsets(case, places).most_common(4):
        inside = (places + offset >= 0) & (places + offset < case.got.size)
        if offset and inside.mean() >= 0.5 and _holds(case, places, offset):
            yield layout("shifted", offset=offset)
            return


def _tiles(case: Case, writers: Writers) -> list[tuple[int, int, np.ndarray]]:
    """(block, tile, wrong elements) of each tile with wrong elements."""
    places = np.flatnonzero(case.judged.ravel())
    places = places[writers.index[places] != NOBODY]
    number = writers.tiles()
    key = writers.block[places].astype(np.int64) << 32 | number[places]
    order = np.argsort(key, kind="stable")
    cuts = np.flatnonzero(np.diff(key[order])) + 1
    groups = np.split(places[order], cuts) if len(places) else []
    return [(int(writers.block[g[0]]), int(number[g[0]]), g) for g in groups[:_TILES]]


def _source(case: Case, places: np.ndarray) -> int | None:
    """The offset at which all values of one tile stand in the reference."""
    for offset, _ in _offsets(case, places).most_common(3):
        if offset and _holds(case, places, offset):
            return offset
    return None


def _other_tiles(trial: Trial) -> Iterator[Suspect]:
    """Tiles that hold what belongs into other tiles; one tile back is a stale buffer.

    A shift by the same short way everywhere is no tile's fault.
    """
    case, writers = trial.case, trial.writers
    tiles = _tiles(case, writers)
    sources: list[int] = []
    for _, _, places in tiles:
        source = _source(case, places)
        if source is None:
            return
        sources.append(source)
    if not tiles:
        return
    block, tile, places = tiles[0]
    elements = places + sources[0]
    owner = writers.of(int(elements[0])) if 0 <= elements[0] < case.got.size else None
    if owner is None or (owner.block, owner.tile) == (block, tile):
        return
    other = writers.of(int(elements[-1]))
    if other is None or (other.block, other.tile) != (owner.block, owner.tile):
        return
    stale = owner.block == block and owner.tile < tile
    facts = {"block": block, "tile": tile, "count": len(tiles)}
    facts |= {"other_block": owner.block, "other_tile": owner.tile}
    facts |= {"element": int(places[0]), "other": int(elements[0])}
    yield layout("stale" if stale else "tile", **facts)


def find_permuted(trial: Trial) -> Iterator[Suspect]:
    """The same values in some other order, as a last resort."""
    case = trial.case
    got, expected = np.sort(case.got.ravel()), np.sort(case.expected.ravel())
    if case.written.all() and case.close(got, expected).all() and not _dense(case):
        yield layout("permuted", count=int(case.wrong.sum()))


def _dense(case: Case) -> bool:
    """So many values so close together that any result of that kind would fit."""
    values = np.sort(case.expected.ravel())
    return len(values) > 1 and bool(case.close(values[1:], values[:-1]).mean() > 0.5)
