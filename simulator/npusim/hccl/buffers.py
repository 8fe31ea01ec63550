"""What each rank holds before a collective and what it gets: slices of numpy arrays.

With p ranks: all-reduce, reduce and broadcast keep the shape; all-gather and gather
join p arrays along axis 0; reduce-scatter, scatter and all-to-all cut axis 0 into p
equal parts (`ValueError` if it cannot be cut). These are HCCL's counts: the output of
all-gather is ranks x count, the input of reduce-scatter too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

OPERATIONS: Mapping[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "sum": np.add,
    "prod": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}
Held = dict[int, np.ndarray]


@dataclass(frozen=True)
class Place:
    """Local rank, number of ranks, number of slices, root."""

    rank: int
    ranks: int
    slices: int
    root: int


def cut(array: np.ndarray, parts: int) -> list[np.ndarray]:
    """The elements in `parts` contiguous parts, as equal as they can be."""
    flat = array.reshape(-1)
    bounds = [flat.size * k // parts for k in range(parts + 1)]
    return [flat[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]


def blocks(array: np.ndarray, parts: int) -> list[np.ndarray]:
    """Axis 0 in `parts` equal parts; ValueError if that leaves a rest."""
    if array.ndim == 0 or array.shape[0] % parts:
        raise ValueError(
            f"axis 0 of shape {array.shape} cannot be cut into {parts} equal parts"
        )
    return list(array.reshape(parts, array.shape[0] // parts, *array.shape[1:]))


# ------------------------------------------------------------------------------- before
def _all_slices(x: np.ndarray, at: Place) -> Held:
    return dict(enumerate(cut(x, at.slices)))


def _of_the_root(x: np.ndarray, at: Place) -> Held:
    return _all_slices(x, at) if at.rank == at.root else {}


def _own_block(x: np.ndarray, at: Place) -> Held:
    return {at.rank: x}


def _all_blocks(x: np.ndarray, at: Place) -> Held:
    return dict(enumerate(blocks(x, at.ranks)))


def _blocks_of_the_root(x: np.ndarray, at: Place) -> Held:
    return _all_blocks(x, at) if at.rank == at.root else {}


def _blocks_for_each(x: Sequence[np.ndarray], at: Place) -> Held:
    parts = blocks(x, at.ranks) if isinstance(x, np.ndarray) else x
    return {at.rank * at.ranks + t: part for t, part in enumerate(parts)}


# -------------------------------------------------------------------------------- after
def _whole(held: Held, x: np.ndarray, at: Place) -> np.ndarray:
    flat = np.concatenate([held[s] for s in range(at.slices)])
    return flat.reshape(x.shape) if x is not None else flat


def _whole_at_root(held: Held, x: np.ndarray, at: Place) -> np.ndarray | None:
    return _whole(held, x, at) if at.rank == at.root else None


def _joined(held: Held, x: np.ndarray, at: Place) -> np.ndarray:
    return np.concatenate([np.atleast_1d(held[r]) for r in range(at.ranks)])


def _joined_at_root(held: Held, x: np.ndarray, at: Place) -> np.ndarray | None:
    return _joined(held, x, at) if at.rank == at.root else None


def _block(held: Held, x: np.ndarray, at: Place) -> np.ndarray:
    return held[at.rank].copy()


def _from_each(held: Held, x: Any, at: Place) -> Any:
    parts = [held[o * at.ranks + at.rank] for o in range(at.ranks)]
    return np.concatenate(parts) if isinstance(x, np.ndarray) else parts


@dataclass(frozen=True)
class Layout:
    """`before(x, place)`: what a rank holds; `after(held, x, place)`: what it gets."""

    before: Callable[[Any, Place], Held]
    after: Callable[[Held, Any, Place], Any]


LAYOUTS: Mapping[str, Layout] = {
    "all_reduce": Layout(_all_slices, _whole),
    "reduce": Layout(_all_slices, _whole_at_root),
    "broadcast": Layout(_of_the_root, _whole),
    "all_gather": Layout(_own_block, _joined),
    "gather": Layout(_own_block, _joined_at_root),
    "reduce_scatter": Layout(_all_blocks, _block),
    "scatter": Layout(_blocks_of_the_root, _block),
    "all_to_all": Layout(_blocks_for_each, _from_each),
}
