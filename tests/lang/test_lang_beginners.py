"""A beginner's mistakes: what is refused, where, and what to write instead."""

import pytest
from lang_helpers import FIRST_LINE, refused

from npusim import asc

TENSORS = """\
g = asc.GlobalTensor()
g.set_global_buffer(x, 64)
t = asc.LocalTensor(asc.int32, asc.TPosition.VECIN, 0, 64)
"""
CASES = [  # what is written; the code; what the hint says to write
    ("asc.data_cpy(t, g, 64)", "06", "asc.data_copy"),
    ("g.set_global_bufer(x)", "06", "GlobalTensor.set_global_buffer"),
    ("y = t.shape", "06", "get_size()"),
    ("y = t.size", "06", "get_size()"),
    ("y = x.dtype.itemsize", "06", "sizeof()"),
    ("q = asc.TQue(asc.VECIN, 2)", "06", "asc.TPosition.VECIN"),
    ("y = asc.fp16", "06", "asc.half"),
    ("asc.set_flag(asc.HardEvent.MTE2V, 0)", "06", "asc.HardEvent.MTE2_V"),
    ("t = asc.LocalTensor('half', asc.TPosition.VECIN, 0, 64)", "12", "asc.half"),
    ("asc.set_flag('MTE2_V', 0)", "12", "asc.HardEvent.MTE2_V"),
    ("asc.pipe_barrier('PIPE_ALL')", "12", "asc.PipeID.PIPE_ALL"),
    ("asc.data_copy(t, x, 64)", "12", "g.set_global_buffer(x)"),
    ("asc.data_copy(t, g, 64.0)", "12", "int("),
    ("asc.data_copy(t, g, n / 2)", "12", "int("),
    ("asc.add(t, t, 1, 64)", "12", "asc.adds(dst, src, scalar, count)"),
    ("asc.exp(t, t)", "10", "exp(dst, src, count)"),
    ("u = asc.exp(t)", "10", "exp(dst, src, count)"),
    ("asc.add(dst=t, src0=t, src1=t, cnt=64)", "11", "count"),
    ("t = t + t", "45", "asc.add(dst, src0, src1, count)"),
    ("if t > 0:\n    pass", "45", "asc.add("),
    ("t[0] = 1", "54", "t.set_value(i, value)"),
    ("y = t[0] + 1", "40", "t.get_value(i)"),
    ("y = len(t)", "42", "t.get_size()"),
    ("for i, v in enumerate(t):\n    pass", "54", "for i in range(n):"),
    ("for v in [1, 2]:\n    pass", "39", "for i in range(n):"),
    ("y = n is None", "37", "a == b"),
    ("y = n not in (1, 2)", "37", "a != b and a != c"),
    ("y = n ** 2", "37", "x * x"),
    ("print(n)", "36", "asc.printf"),
    ("y = sum([1, 2])", "36", "for"),
    ("asc.printf('%d', n)", "55", 'asc.printf(f"x = {value}")'),
    ("y = f'{n}'", "55", 'asc.printf(f"x = {value}")'),
    ("y = math.sqrt(a)", "70", "asc.sqrt"),
    ("kernel(x, n, a, flag)", "46", ""),
    ("return n", "69", "GM"),
    ("global y", "28", "set_value"),
    ("y = lambda v: v", "22", "@asc.jit"),
    ("y = [i for i in range(3)]", "23", "range("),
    ("a, y = 1", "61", ""),
    ("n += 1.5", "17", "0.0"),
    ("y = unknown", "05", ""),
    ("asc.add(t t, t, 64)", "01", ""),
]


@pytest.mark.parametrize("line, number, instead", CASES)
def test_a_mistake_is_located_and_its_cure_named_in_both_languages(
    line, number, instead
):
    found = refused(TENSORS + line, {"asc": asc})
    assert found.code == f"ASC-JIT-{number}"
    assert found.where.line == FIRST_LINE + TENSORS.count("\n")
    assert found.where.text.strip() == line.split("\n")[0]
    for language, word in (("en", "hint:"), ("zh", "建议：")):
        _, _, hint = found.render(language).partition(word)
        assert hint and instead in hint
