"""The checkers of Z0 and Z2: against the simulator and against rules said anew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from npugrade.checkers.audit import findings, server_audit
from npugrade.checkers.descriptor import copy_descriptor, due_fields
from npugrade.outcome import Refused
from npusim import asc

GOOD = "/usr/local/Ascend/model/"


# ------------------------------------------------------------------------- descriptor
@asc.jit
def fetch_kernel(
    x: asc.GlobalAddress,
    z: asc.GlobalAddress,
    size: int,
    rows: asc.constexpr,
    cols: asc.constexpr,
    fields: asc.constexpr,
    ub_size: asc.constexpr,
):
    x_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, size)
    z_gm.set_global_buffer(z, rows * cols)
    ub = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, ub_size)
    no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
    count, burst, gap, ub_gap = fields
    fetch = asc.DataCopyExtParams(count, burst, gap, ub_gap)
    asc.data_copy_pad(ub, x_gm, fetch, no_pad)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy_pad(z_gm, ub, asc.DataCopyExtParams(count, burst, 0, 0))


@given(
    rows=st.integers(1, 40),
    cols=st.integers(1, 90),
    skipped=st.integers(0, 30),
    dtype=st.sampled_from(["int8", "float16", "float32"]),
)
def test_the_due_fields_fetch_the_window(rows, cols, skipped, dtype):
    x = np.arange(rows * (cols + skipped)).astype(dtype).reshape(rows, -1)
    z = np.zeros((rows, cols), dtype)
    due = due_fields(rows, cols, x.itemsize, cols + skipped)
    *fields, ub_nbytes = due.values()
    ub_size = ub_nbytes // x.itemsize
    fetch_kernel[1](x, z, x.size, rows, cols, tuple(fields), ub_size)
    assert np.array_equal(z, x[:, :cols])
    with pytest.raises(asc.KernelError):  # 32 B of UB less are too few
        less = ub_size - 32 // x.itemsize
        fetch_kernel[1](x, z, x.size, rows, cols, tuple(fields), less)


@pytest.mark.parametrize(
    "field", ["block_count", "block_len", "src_stride", "dst_stride", "ub_nbytes"]
)
def test_one_wrong_field_is_named(field):
    window = {"rows": 10, "cols": 33, "itemsize": 2, "pitch": 100}
    right = due_fields(**window)
    assert copy_descriptor(window, right).cost == 1
    with pytest.raises(Refused) as refused:
        copy_descriptor(window, right | {field: right[field] + 1})
    assert refused.value.code == "descriptor.field"
    assert field in refused.value.text["en"] and field in refused.value.text["zh"]


@pytest.mark.parametrize("answer", [None, [], {}, {"block_count": 1}, 7, "text"])
def test_any_other_form_is_borne(answer):
    window = {"rows": 1, "cols": 1, "itemsize": 2, "pitch": 1}
    with pytest.raises(Refused) as refused:
        copy_descriptor(window, answer)
    assert refused.value.code == "descriptor.form"
    one = due_fields(**window) | {"dst_stride": 0.0}
    with pytest.raises(Refused):
        copy_descriptor(window, one)


# ------------------------------------------------------------------------------ audit
FILES = st.tuples(
    st.sampled_from("-d"),
    st.integers(0, 0o777),
    st.sampled_from([GOOD, "/tmp/", "/usr/local/Ascend/model_old/", "/b" + GOOD]),
    st.sampled_from(["a.om", "net v2.om", "int8/a.om"]),
)


def line(kind: str, mode: int, folder: str, name: str) -> str:
    letters = "".join("rwx"[i % 3] if mode >> (8 - i) & 1 else "-" for i in range(9))
    return f"{kind}{letters} {folder}{name}"


@given(files=st.lists(FILES, max_size=5, unique_by=lambda f: f[2:]), same=st.booleans())
def test_findings_are_those_of_the_rules(files, same):
    listing = "\n".join(line(*file) for file in files)
    versions = ("8.0.RC1", "8.0.RC1" if same else "8.0.RC10")
    due = {f"path {f[2]}{f[3]}" for f in files if f[2] != GOOD}
    due |= {f"mode {f[2]}{f[3]}" for f in files if f[1] != 0o755}
    due |= set() if same else {"version"}
    assert set(findings(*versions, listing)) == due
    arguments = {"cann": versions[0], "hccl": versions[1], "listing": listing}
    assert server_audit(arguments, sorted(due)).cost == 1


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (["version", f"mode {GOOD}a.om"], "audit.extra"),
        ([], "audit.missing"),
        (["version", "version"], "audit.twice"),
        ("version", "audit.form"),
        ([1], "audit.form"),
        (None, "audit.form"),
    ],
)
def test_a_wrong_audit_is_refused(answer, code):
    listing = f"-rwxr-xr-x {GOOD}a.om"
    arguments = {"cann": "8.0.0", "hccl": "8.1.0", "listing": listing}
    with pytest.raises(Refused) as refused:
        server_audit(arguments, answer)
    assert refused.value.code == code
