"""The data of a case: lengths and inputs drawn from a seed, never from global state.

Every number comes from `PCG64.random_raw`, whose stream numpy keeps fixed, seeded by
HMAC-SHA256 of the class seed over task, case and purpose. The same seed gives the same
data on every machine; nobody without it can foretell a hidden case.
"""

from __future__ import annotations

import hashlib
import hmac
import math
from dataclasses import dataclass

import numpy as np

from npugrade.taskmodel import Case, Length, Task, Values
from npusim.lang.types import DTYPES

PUBLIC_SEED = "self-study"
_UNIT = 2.0**-53  # 53 random bits to [0, 1)


@dataclass(frozen=True)
class CaseData:
    """A case ready to run: `inputs` by position, `outputs` as (shape, dtype name)."""

    case: Case
    hidden: bool
    inputs: tuple[np.ndarray, ...]
    outputs: tuple[tuple[tuple[int, ...], str], ...]

    @property
    def elements(self) -> int:
        return math.prod(self.outputs[0][0])


def raw_words(seed: str, *purpose: str, count: int) -> np.ndarray:
    """`count` random 64-bit words for a purpose, from the seed alone."""
    message = "|".join(purpose).encode()
    key = hmac.new(seed.encode(), message, hashlib.sha256).digest()
    generator = np.random.PCG64(int.from_bytes(key, "big"))
    return generator.random_raw(count)


def make_case(task: Task, case: Case, hidden: bool, seed: str) -> CaseData:
    """Draw the inputs of `case`; visible cases always use the public seed."""
    seed = seed if hidden else PUBLIC_SEED
    shape = case_shape(task, case, seed)
    inputs = tuple(
        _array(seed, (task.id, case.name, name), shape, case)
        for name in task.entry.inputs
    )
    outputs = tuple((shape, case.dtype) for _ in task.entry.outputs)
    return CaseData(case, hidden, inputs, outputs)


def case_shape(task: Task, case: Case, seed: str) -> tuple[int, ...]:
    """The shape of a case's arrays; a drawn length is one-dimensional."""
    if case.shape is not None:
        return tuple(case.shape)
    assert case.length is not None
    return (_length(task, case.name, case.length, seed),)


def _length(task: Task, name: str, length: Length, seed: str) -> int:
    if length.between is None:
        twin = task.draws[length.twin_of]
        return math.prod(case_shape(task, twin, seed)) + length.offset
    first, last = length.between
    word = int(raw_words(seed, task.id, name, "length", count=1)[0])
    drawn = first + word % (last - first + 1)
    if length.prime:
        return next_prime(drawn)
    return math.ceil(drawn / length.multiple) * length.multiple


def next_prime(number: int) -> int:
    """The least prime ≥ `number`."""
    while not _is_prime(number):
        number += 1
    return number


def _is_prime(number: int) -> bool:
    return number >= 2 and all(number % d for d in range(2, math.isqrt(number) + 1))


def _array(
    seed: str, purpose: tuple[str, ...], shape: tuple[int, ...], case: Case
) -> np.ndarray:
    dtype = DTYPES[case.dtype].numpy
    size = math.prod(shape)
    values = case.values
    unit = (raw_words(seed, *purpose, "values", count=size) >> np.uint64(11)) * _UNIT
    data = (values.low + (values.high - values.low) * unit).astype(dtype)
    _place_special(data, values, seed, purpose)
    return data.reshape(shape)


def _place_special(
    data: np.ndarray, values: Values, seed: str, purpose: tuple[str, ...]
) -> None:
    limits = np.finfo(data.dtype)
    numbers = {"max": float(limits.max), "min": float(limits.min)}
    for name in values.special:
        words = raw_words(seed, *purpose, name, count=values.count)
        places = (words % np.uint64(data.size)).astype(np.int64)
        data[places] = numbers.get(name, float(name) if name not in numbers else 0.0)
