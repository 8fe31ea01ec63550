"""Two arrays side by side: where they differ, and whether a guess explains it.

A guess is an array of what the kernel would have written had it a certain fault. It
explains a result if it equals it everywhere within the tolerance, and if that is more
than chance: several different values, or one hit to the last digits.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import resources

import numpy as np

from npusim.lang.types import DType

LARGE = 1 << 16  # elements from which on guesses are made on a part of the rows
_EVIDENCE = 3  # different values that a guess has to hit
_EXACT = 1e-6  # relative error at which fewer hits are no chance either


def tolerance_of(dtype: DType) -> tuple[float, float]:
    """(relative, absolute) tolerance for results of `dtype`; zeros for integers."""
    row = _table().get(dtype.name)
    return (row["rtol"], row["atol"]) if row else (0.0, 0.0)


def _table() -> Mapping[str, Mapping[str, float]]:
    text = resources.files(__package__).joinpath("tolerance.toml").read_text("utf-8")
    return tomllib.loads(text)


@dataclass(frozen=True)
class Case:
    """What is to be explained; all arrays are float64.

    `got` and `expected` have one shape; `written`: elements that the launch wrote;
    `inputs`: what the kernel read, by argument name, as it was before the launch.
    `rows_only`: a part of a larger case, cut along the first axis.
    """

    got: np.ndarray
    expected: np.ndarray
    written: np.ndarray
    inputs: Mapping[str, np.ndarray]
    dtype: DType
    rtol: float
    atol: float
    rows_only: bool = False

    def close(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Where `a` equals the reference `b` within the tolerance."""
        with np.errstate(all="ignore"):
            return np.isclose(a, b, self.rtol, self.atol, equal_nan=True)

    @cached_property
    def wrong(self) -> np.ndarray:
        """bool: where `got` is not `expected`."""
        return ~self.close(self.got, self.expected)

    @cached_property
    def judged(self) -> np.ndarray:
        """Wrong elements that the launch wrote: what a guess has to explain."""
        return self.wrong & self.written

    @cached_property
    def _sorted(self) -> tuple[np.ndarray, np.ndarray]:
        """The values of the reference in order, and where they stand."""
        flat = self.expected.ravel()
        order = np.argsort(flat, kind="stable")
        return flat[order], order

    def places_of(self, value: float, limit: int) -> np.ndarray:
        """Where the reference holds `value`; nothing if in more than `limit` places."""
        values, order = self._sorted
        room = self.atol + self.rtol * abs(value)
        low = np.searchsorted(values, value - room, "left")
        high = np.searchsorted(values, value + room, "right")
        return order[low:high] if high - low <= limit else order[:0]

    def explains(self, guess: np.ndarray) -> bool:
        """Whether the kernel's result is `guess` (any shape of the same size)."""
        if guess.size != self.got.size:
            return False
        guess = guess.reshape(self.got.shape)
        equal = self.close(self.got, guess)
        return bool((equal | ~self.written).all()) and self.convinces(guess)

    def convinces(self, guess: np.ndarray) -> bool:
        """Whether the hits of `guess` at wrong elements are more than chance."""
        hits, got = guess[self.judged], self.got[self.judged]
        if self.close(hits, self.expected[self.judged]).all():
            return False
        different = len(np.unique(hits[np.isfinite(hits)]))
        if different >= _EVIDENCE:
            return True
        with np.errstate(all="ignore"):
            exact = np.isclose(got, hits, _EXACT, 0.0)
        few = self.got.size <= _EVIDENCE and self.dtype.name == "float32"
        return different > 0 and few and bool(exact.all())

    def has_evidence(self, fitted: int) -> bool:
        """Whether there are more different values than `fitted` numbers explain."""
        got = self.got[self.judged]
        return len(np.unique(got[np.isfinite(got)])) >= _EVIDENCE + fitted - 1

    def explains_faults(self, guess: np.ndarray, share: float = 0.9) -> bool:
        """Whether `guess` is what stands at the wrong elements, or at most of them.

        For faults of a part of the result. NaN in `guess` stands for "no idea".
        """
        if guess.size != self.got.size or not self.judged.any():
            return False
        guess = guess.reshape(self.got.shape)
        hits = self.close(self.got, guess) & self.judged & ~np.isnan(guess)
        enough = hits.sum() >= max(_EVIDENCE, share * self.judged.sum())
        different = len(np.unique(guess[hits])) >= _EVIDENCE
        return bool(enough and different)

    def part(self) -> Case:
        """This case, or where it is large the rows that say most: wrong ones."""
        if self.got.size <= LARGE or self.got.ndim == 0:
            return self
        rows = _rows(self)
        length = len(self.got)
        inputs = {n: a[rows] if len(a) == length else a for n, a in self.inputs.items()}
        arrays = (self.got[rows], self.expected[rows], self.written[rows])
        got, expected, written = arrays
        return replace(
            self, got=got, expected=expected, written=written, inputs=inputs,
            rows_only=True,
        )  # fmt: skip


def _rows(case: Case) -> np.ndarray:
    """Rows with and without wrong elements, spread evenly, in order."""
    width = max(1, case.got.size // len(case.got))
    room = max(1, LARGE // width // 2)
    bad = case.judged.reshape(len(case.got), -1).any(axis=1)
    chosen = [_spread(np.flatnonzero(part), room) for part in (bad, ~bad)]
    return np.sort(np.concatenate(chosen))


def _spread(indices: np.ndarray, room: int) -> np.ndarray:
    step = max(1, -(-len(indices) // room))
    return indices[::step]
