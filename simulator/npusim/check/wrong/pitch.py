"""Rows of an input that were read with a wrong pitch: the window of a matrix.

The expected result is a run of rows of one input, each the same way after the one
before, and so is the kernel's result, with another way. Copies only: what a function
makes of such rows is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from npusim.check.wrong.compare import Case
from npusim.check.wrong.suspect import Suspect, Trial, layout

_STARTS = 64  # places of an input at which a row is looked for
_SHARE = 0.9  # of the wrong rows that have to agree


def find(trial: Trial) -> Iterator[Suspect]:
    """The first input whose rows, read with another pitch, are the result."""
    case = trial.case
    if case.rows_only or case.expected.ndim < 2 or case.expected.shape[-1] < 2:
        return
    for name, array in case.inputs.items():
        suspect = _of_input(case, name, array.ravel())
        if suspect:
            yield suspect
            return


def _of_input(case: Case, name: str, source: np.ndarray) -> Suspect | None:
    cols = case.expected.shape[-1]
    expected, got = case.expected.reshape(-1, cols), case.got.reshape(-1, cols)
    broken = case.judged.reshape(-1, cols).any(axis=1)
    if source.size <= cols or broken[0] or not broken.any():
        return None
    row = int(np.flatnonzero(broken)[0])
    for start in _starts(case, source, expected[0]):
        after = _after(case, source, expected[row], start + 1)
        wanted, rest = divmod(after - start, row) if after is not None else (0, 1)
        if rest or not _all_rows(case, source, expected, start, wanted):
            continue
        before = start + (row - 1) * wanted
        for place in _starts(case, source, got[row]):
            pitch = int(place) - before
            if _explains(case, source, got, broken, (start, wanted, pitch)):
                facts = {"pitch": pitch, "wanted": wanted, "gap": pitch - cols}
                nbytes = (wanted - cols) * case.dtype.itemsize
                facts |= {"wanted_gap": wanted - cols, "nbytes": nbytes}
                return layout("input_pitch", name=name, row=row, **facts)
    return None


def _starts(case: Case, source: np.ndarray, row: np.ndarray) -> np.ndarray:
    """Where `row` stands in `source`, at most at `_STARTS` places; needs three values
    that differ."""
    if len(np.unique(row[np.isfinite(row)])) < 3:
        return np.zeros(0, int)
    first = source[: source.size - len(row) + 1]
    places = np.flatnonzero(case.close(first, row[0]))
    for column in range(1, len(row)):
        if len(places) <= _STARTS:
            break
        places = places[case.close(source[places + column], row[column])]
    stands = [case.close(source[p : p + len(row)], row).all() for p in places[:_STARTS]]
    return places[:_STARTS][np.array(stands, bool)]


def _after(case: Case, source: np.ndarray, row: np.ndarray, low: int) -> int | None:
    places = _starts(case, source, row)
    places = places[places >= low]
    return int(places[0]) if len(places) else None


def _rows_at(source: np.ndarray, starts: np.ndarray, cols: int) -> np.ndarray:
    """The rows at `starts`; NaN where a start lies outside of the input."""
    inside = (starts >= 0) & (starts + cols <= source.size)
    places = np.where(inside, starts, 0)[:, None] + np.arange(cols)
    return np.where(inside[:, None], source[places], np.nan)


def _all_rows(
    case: Case, source: np.ndarray, rows: np.ndarray, start: int, pitch: int
) -> bool:
    starts = start + np.arange(len(rows)) * pitch
    return bool(case.close(_rows_at(source, starts, rows.shape[1]), rows).all())


def _explains(
    case: Case,
    source: np.ndarray,
    got: np.ndarray,
    broken: np.ndarray,
    found: tuple[int, int, int],
) -> bool:
    """Whether each wrong row lies `pitch` after the one before it; the first of a run
    of wrong rows follows a right one."""
    start, wanted, pitch = found
    index = np.arange(len(broken))
    right = np.maximum.accumulate(np.where(broken, 0, index))
    starts = start + right * wanted + (index - right) * pitch
    held = case.close(_rows_at(source, starts, got.shape[1]), got).all(axis=1)
    return pitch != wanted and bool(held[broken].mean() >= _SHARE)
