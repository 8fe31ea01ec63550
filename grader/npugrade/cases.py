"""The data of a case: dimensions, attributes and inputs, drawn from a seed alone.

Every number comes from `PCG64.random_raw`, whose stream numpy keeps fixed, seeded by
HMAC-SHA256 of the class seed over task, case and purpose. The same seed gives the same
data on every machine; nobody without it can foretell a hidden case. A visible case has
public dimensions and attributes; when a class is graded its values come from the class
seed, so that an answer with the public results folded into it is wrong.
"""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import ml_dtypes
import numpy as np

from npugrade.draw import Ticket, for_learner
from npugrade.taskmodel import Array, Case, Choice, Length, Task, Values
from npugrade.taskparts import Draw, Scalar
from npugrade.taskshape import evaluate
from npusim.lang.types import DTYPES, dtype_of

PUBLIC_SEED = "self-study"
_UNIT = 2.0**-53  # 53 random bits to [0, 1)


@dataclass(frozen=True)
class CaseData:
    """A case ready to run: `inputs` by position, `outputs` as (shape, dtype name),
    `attributes` and `dims` by name."""

    case: Case
    hidden: bool
    inputs: tuple[np.ndarray, ...]
    outputs: tuple[tuple[tuple[int, ...], str], ...]
    attributes: Mapping[str, Scalar] = field(default_factory=dict)
    dims: Mapping[str, int] = field(default_factory=dict)

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
    """Draw the data of `case`. Values always follow from `seed`; dimensions and
    attributes of a visible case from the public one."""
    form_seed = seed if hidden else PUBLIC_SEED
    dims = case_dims(task, case, form_seed)
    inputs = tuple(
        _input(seed, task, case, name, *_form(task, case, name, dims, form_seed))
        for name in task.entry.inputs
    )
    outputs = tuple(_form(task, case, n, dims, form_seed) for n in task.entry.outputs)
    attributes = _attributes(task, case, dims, form_seed)
    return CaseData(case, hidden, inputs, outputs, attributes, dims)


def case_dims(task: Task, case: Case, seed: str) -> dict[str, int]:
    """The named dimensions of a case."""
    return {
        dim: _length(task, case, dim, length, seed) for dim, length in case.dims.items()
    }


def case_shape(task: Task, case: Case, seed: str) -> tuple[int, ...]:
    """The common shape of the arrays of a case without named dimensions; a drawn
    length is one-dimensional."""
    if case.shape is not None:
        return tuple(case.shape)
    assert case.length is not None
    return (_length(task, case, "", case.length, seed),)


def _form(
    task: Task, case: Case, name: str, dims: Mapping[str, int], seed: str
) -> tuple[tuple[int, ...], str]:
    """Shape and dtype name of an array."""
    array = task.arrays.get(name)
    if array is None:
        return case_shape(task, case, seed), case.dtype
    shape = tuple(evaluate(extent, dims) for extent in array.shape)
    return shape, array.dtype or case.dtype


# -------------------------------------------------------------------- sizes, scalars
def _length(task: Task, case: Case, dim: str, length: Length, seed: str) -> int:
    if length.between is None:
        return _twin_length(task, dim, length, seed)
    first, last = length.between
    purpose = ("length", dim) if dim else ("length",)
    word = int(raw_words(seed, task.id, case.name, *purpose, count=1)[0])
    drawn = first + word % (last - first + 1)
    if length.prime:
        return next_prime(drawn)
    return math.ceil(drawn / length.multiple) * length.multiple


def _twin_length(task: Task, dim: str, length: Length, seed: str) -> int:
    twin = task.draws[length.twin_of]
    visible = any(case.name == twin.name for case in task.visible)
    seed = PUBLIC_SEED if visible else seed
    if not dim:
        return math.prod(case_shape(task, twin, seed)) + length.offset
    return _length(task, twin, dim, twin.dims[dim], seed) + length.offset


def _attributes(
    task: Task, case: Case, dims: Mapping[str, int], seed: str
) -> dict[str, Scalar]:
    task = for_learner(task, Ticket())  # where nobody has drawn yet
    given = {**dims, **task.attributes, **case.attributes}
    names = (*task.entry.attributes, *task.entry.unseen)
    return {
        name: _scalar(given[name], seed, task.id, case.name, name) for name in names
    }


def _scalar(value: Scalar | Choice | Draw, seed: str, *purpose: str) -> Scalar:
    assert not isinstance(value, Draw)  # for_learner has drawn
    if not isinstance(value, Choice):
        return value
    word = int(raw_words(seed, *purpose, "attribute", count=1)[0])
    if value.between is None:
        return value.choose[word % len(value.choose)]
    low, high = value.between
    return low + (high - low) * ((word >> 11) * _UNIT)


def next_prime(number: int) -> int:
    """The least prime ≥ `number`."""
    while not _is_prime(number):
        number += 1
    return number


def _is_prime(number: int) -> bool:
    return number >= 2 and all(number % d for d in range(2, math.isqrt(number) + 1))


# -------------------------------------------------------------------------- elements
def case_values(case: Case, name: str, array: Array | None) -> Values:
    """The recipe of an input: the case's for it, the case's, the array's, the usual."""
    own = case.values_of.get(name) or case.values
    return own or (array.values if array else None) or Values()


def _input(
    seed: str, task: Task, case: Case, name: str, shape: tuple[int, ...], dtype: str
) -> np.ndarray:
    purpose, size = (task.id, case.name, name), math.prod(shape)
    values = case_values(case, name, task.arrays.get(name))
    unit = (raw_words(seed, *purpose, "values", count=size) >> np.uint64(11)) * _UNIT
    drawn = values.low + (values.high - values.low) * unit
    if values.whole or not DTYPES[dtype].is_float:
        drawn = np.floor(values.low + (values.high - values.low + 1) * unit)
    data = drawn.astype(DTYPES[dtype].numpy)
    _place_special(data, values, seed, purpose)
    return data.reshape(shape)


def _place_special(
    data: np.ndarray, values: Values, seed: str, purpose: tuple[str, ...]
) -> None:
    if not data.size:
        return
    dtype = dtype_of(data.dtype)
    limits = ml_dtypes.finfo if dtype and dtype.is_float else ml_dtypes.iinfo
    ends = limits(data.dtype)
    numbers = {"max": ends.max, "min": ends.min}
    for name in values.special:
        words = raw_words(seed, *purpose, name, count=values.count)
        places = (words % np.uint64(data.size)).astype(np.int64)
        data[places] = numbers[name] if name in numbers else float(name)
