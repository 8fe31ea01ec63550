"""Is a copy descriptor for a window of a matrix right, field by field?

The window has `rows` rows of `cols` elements of `itemsize` bytes, its matrix `pitch`
elements a row. The answer holds the fields of `data_copy_pad` from GM to UB, rows
packed one behind the other in UB, and the bytes of UB that they take. The numbers are
unique: every field has one right value. Left out: paddings and their values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from npugrade.messages import Text
from npugrade.outcome import Outcome, Refused

BLOCK_NBYTES = 32  # a data block of UB
_UNITS: Mapping[str, Text] = {
    "block_count": {"en": "bursts", "zh": "段"},
    "block_len": {"en": "bytes", "zh": "字节"},
    "src_stride": {"en": "bytes", "zh": "字节"},
    "dst_stride": {"en": "blocks of 32 B", "zh": "32 B 的块"},
    "ub_nbytes": {"en": "bytes", "zh": "字节"},
}


def copy_descriptor(arguments: Mapping[str, Any], answer: Any) -> Outcome:
    """Refused unless every field of `answer` is right."""
    if not isinstance(answer, dict) or set(answer) != set(_UNITS):
        raise Refused("descriptor.form", fields=", ".join(_UNITS))
    if any(type(value) is not int for value in answer.values()):
        raise Refused("descriptor.form", fields=", ".join(_UNITS))
    for field, due in due_fields(**arguments).items():
        if answer[field] != due:
            facts = {"value": answer[field], "unit": _UNITS[field]}
            raise Refused("descriptor.field", field=field, **facts)
    return Outcome(1, 1)


def due_fields(rows: int, cols: int, itemsize: int, pitch: int) -> dict[str, int]:
    """The right value of each field; `cols` and `pitch` in elements."""
    burst = cols * itemsize
    return {
        "block_count": rows,
        "block_len": burst,
        "src_stride": pitch * itemsize - burst,
        "dst_stride": 0,
        "ub_nbytes": rows * -(-burst // BLOCK_NBYTES) * BLOCK_NBYTES,
    }
