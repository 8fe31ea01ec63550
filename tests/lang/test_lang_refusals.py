"""Every refusal: its code, and the exact span it points at (between « and »)."""

import pytest
from lang_helpers import FIRST_LINE, refused

from npusim import lang
from npusim.diagnostic import Diagnostic
from npusim.diagnostic.catalogue import CATALOGUE
from npusim.lang.signatures import SIGNATURES
from npusim.lang.spelling import SCALAR_CALLS

G = "g = asc.GlobalTensor()\ng.set_global_buffer(x, 16)\n"
T = "t = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, 64)\n"
Q = "q = asc.TQue(asc.TPosition.VECIN, 1)\n"

CASES = [
    # syntax and names
    ("01", "y = 1 «+»"),
    ("05", "y = «tiles» + 1"),
    ("05", "if False:\n    y = «tiles»"),
    ("06", "«asc.addd»(1)"),
    ("06", "if False:\n    «asc.addd»(1)"),
    ("06", "p = «asc.TPosition.UB»"),
    ("06", T + "y = «t.shape»"),
    ("06", "«n.bit_length»()"),
    ("07", T + "«asc.sort32»(t, t)"),
    ("10", T + "«asc.add(t, t, t, 64, 1, 0, True, 1)»"),
    ("06", T + "«t.set_l2_cache_hint»(0)"),
    ("12", T + "asc.add(t, t, t, «[1, 2, 3]», 1)"),
    ("12", T + "asc.add(t, t, t, 64, 1, is_set_mask=«n»)"),
    ("12", T + "asc.cast(t, t, «0», 8)"),
    ("13", T + "«asc.bitwise_and(t, t, t, 8)»"),
    ("14", T + "f = t.reinterpret_cast(asc.float32)\n«asc.mul_add_dst(t, f, f, 8)»"),
    ("07", "t = «asc.LocalTensor(asc.half, asc.TPosition.A1, 0, 8)»"),
    ("08", "y = «table»"),
    ("43", "y = «math».pi"),
    ("43", "y = «math».gcd(2, 4)"),
    ("70", "y = «math.sqrt»(2.0)"),
    ("70", "y = «expf»(a)"),
    ("70", "y = «asc.expf»(a)"),
    ("70", "if False:\n    y = «asc.tanh»(a)"),
    ("70", "y = «np.log1p»(a)"),
    ("70", "y = «fmodf»(a, 2.0)"),
    ("70", "y = a if flag else «tanh»(a)"),
    ("71", "y = 1 + «asc.get_system_cycle()»"),
    ("71", "t0 = asc.get_system_cycle()\nif «t0»:\n    pass"),
    ("71", "y = «abs(asc.get_system_cycle())»"),
    ("71", "y = «int(asc.get_system_cycle())»"),
    ("71", "y = «float(asc.get_system_cycle())»"),
    ("71", "t0 = asc.get_system_cycle()\ny = «-t0»"),
    ("71", "t0 = asc.get_system_cycle()\ny = «t0 < 3»"),
    ("71", "t0 = asc.get_system_cycle()\nt1 = asc.get_system_cycle()\ny = «t0 < t1»"),
    ("71", "t0 = asc.get_system_cycle()\ny = «max(t0, t0)»"),
    ("71", T + "«asc.adds(t, t, asc.get_system_cycle(), 8)»"),
    ("71", T + "«t.set_value(0, asc.get_system_cycle())»"),
    ("36", "«print»(n)"),
    ("36", "y = «sum»((1, 2))"),
    ("51", "y = «host»(n)"),
    ("51", "y = «n»(1)"),
    ("65", "y = «asc.device»"),
    # Python that is refused
    ("20", "«class A:»\n    pass"),
    ("21", "«def f():»\n    pass"),
    ("22", "y = «lambda: 1»"),
    ("23", "y = «[i for i in (1, 2)]»"),
    ("23", "y = «(i for i in (1, 2))»"),
    ("23", "y = «{i for i in (1, 2)}»"),
    ("23", "y = «{i: i for i in (1, 2)}»"),
    ("24", "«try:»\n    pass\nfinally:\n    pass"),
    ("25", "«raise ValueError»"),
    ("26", "«with n:»\n    pass"),
    ("27", "«import math»"),
    ("27", "«from math import sqrt»"),
    ("28", "«global n2»\nn2 = 1"),
    ("29", "y = 1\n«del y»"),
    ("30", "«async def f():»\n    pass"),
    ("31", "«yield 1»"),
    ("32", "y = («z := 1»)"),
    ("33", "«match n:»\n    case 1:\n        pass"),
    ("34", "y = max(«*(1, 2)»)"),
    ("34", "y = max(1, **«n»)"),
    ("34", "«*y», z = (1, 2)"),
    ("35", "y = «{1: 2}»"),
    ("35", "y = «{1, 2}»"),
    ("37", "y = «n is 1»"),
    ("37", "y = «n in (1, 2)»"),
    ("37", "y = «n @ n»"),
    ("37", "y = «1j»"),
    ("37", "y = «b'a'»"),
    ("37", "y = «n ** 2»"),
    ("38", "for i in range(3):\n    pass\nelse:\n    «pass»"),
    ("38", "while flag:\n    pass\nelse:\n    «pass»"),
    ("39", "for i in «(1, 2)»:\n    pass"),
    ("39", "y = «range(3)»"),
    ("39", "y = «asc.static_range(3)»"),
    ("59", "«break»"),
    ("59", "if flag:\n    «continue»"),
    ("63", "«n + 1»"),
    ("54", T + "«t[0]» = 1"),
    ("54", T + "«t.size» = 1"),
    ("54", "for «i, j» in range(3):\n    pass"),
    # signatures
    ("10", T + "«asc.add(t, t, 64)»"),
    ("10", "y = «asc.get_block_idx(1)»"),
    ("10", "y = «min()»"),
    ("10", "y = «f1(1, 2)»"),
    ("11", T + "asc.add(t, t, t, size=«64»)"),
    ("11", "y = f1(b=«1»)"),
    ("12", T + "asc.add(t, t, «n», 64)"),
    ("12", T + "asc.add(t, t, t, «a»)"),
    ("12", "asc.set_flag(«0», 0)"),
    ("12", "asc.pipe_barrier(«asc.HardEvent.MTE2_V»)"),
    ("12", "t = asc.LocalTensor(«n», asc.TPosition.VECIN, 0, 64)"),
    ("12", "q = asc.TQue(asc.TPosition.VECIN, «0»)"),
    ("12", Q + "q.enque(«q»)"),
    ("12", "g = asc.GlobalTensor()\ng.set_global_buffer(«n»)"),
    ("12", T + G + "asc.data_copy_pad(t, g, «asc.DataCopyParams(1, 2)»)"),
    ("12", "y = «n & a»"),
    ("12", "for i in range(«a»):\n    pass"),
    ("12", "y = len(«n»)"),
    ("12", "t = «asc.LocalTensor(asc.half, asc.TPosition.GM, 0, 64)»"),
    ("13", T.replace("half", "int8") + "«asc.add(t, t, t, 64)»"),
    (
        "14",
        T + "u = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)\n"
        "«asc.add(t, t, u, 64)»",
    ),
    ("16", T.replace("half", "int32") + "«asc.adds(t, t, 0.5, 64)»"),
    ("16", T.replace("half", "int16") + "«asc.adds(t, t, 40000, 64)»"),
    ("16", T.replace("half", "int16") + "«asc.adds(t, t, a, 64)»"),
    # variables and stages
    ("17", "acc = 0\nfor i in range(n):\n    «acc += 0.5»"),
    ("17", "y = n\n«y = a»"),
    ("17", "y: int = 0\n«y2: int = 0.5»"),
    ("17", "y = f1(1)\ny = typed(«a»)"),
    ("18", "if flag:\n    y = 1\nz = «y»"),
    ("18", "z = «y»\ny = 1"),
    ("18", "for i in range(n):\n    y = i\nz = «y»"),
    ("18", "while flag:\n    y = 1\n    break\nz = «y»"),
    ("19", "y = (1, 2)[«n»]"),
    ("19", "for i in «asc.static_range(n)»:\n    pass"),
    ("19", "q = asc.TQue(asc.TPosition.VECIN, «n»)"),
    ("52", "for i in range(2):\n    p = «asc.TPipe()»"),
    ("52", "if flag:\n    q = «asc.TQue(asc.TPosition.VECIN, 1)»"),
    ("61", "«y, z» = (1, 2, 3)"),
    ("61", "«y, z» = n"),
    ("62", "s = 'a'\nfor i in range(n):\n    s = 'b'\nasc.printf(f'{«s»}')"),
    ("62", "s = 'a'\nif flag:\n    s = 'b'\nasc.printf(f'{«s»}')"),
    ("62", "t = (1, 2)\nwhile flag:\n    y = «t»[0]\n    t = (2, 3)"),
    ("62", "y = 1\nif flag:\n    y = asc.half\nz = «y»"),
    ("06", G + "h = g\n«h.set_global_buffer»(x, 4)"),
    ("57", "g = asc.GlobalTensor()\n«g».set_value(0, 1)"),
    # tensors
    ("40", G + "y = «g[0]» + 1"),
    ("40", G + "y = max(«g[0]», 1)"),
    ("40", G + "asc.printf(f'{«g[0]»}')"),
    ("40", G + T + "asc.add(t, t, t, «g[0]»)"),
    ("41", T + "u = t[«-1»:]"),
    ("42", T + "y = «len(t)»"),
    ("44", T + "u = t[0:8:«2»]"),
    ("45", T + "y = «t» + t"),
    ("45", "y = «'a' + n»"),
    ("64", "g = asc.GlobalTensor()\ng.set_global_buffer(x)\ny = «g.get_size()»"),
    ("66", "y = «x[0]»"),
    ("66", "y = «n[0]»"),
    ("67", T + "y = «t if flag else n»"),
    # helpers
    ("46", "y = «f1(loop(1))»"),
    ("53", "y = mixed(n)"),
    ("69", "«return 1»"),
    # constants and size
    ("48", "for i in «asc.static_range(10 ** 9)»:\n    pass"),
    ("49", "y = «10 ** 10 ** 10»"),
    ("49", "y = «1 << 10 ** 9»"),
    ("49", "y = «[0] * 10 ** 9»"),
    ("49", "y = «'a' * 10 ** 9»"),
    ("49", "y = n + («1 << 100»)"),
    ("50", "y = «1 // 0»"),
    ("50", "y = «1 << -1»"),
    ("50", "y = «'a' - 1»"),
    ("50", "y = «(1, 2)[5]»"),
    ("50", "y = «int(float('nan'))»"),
    ("50", "for i in «range(0, 3, 0)»:\n    pass"),
    ("55", "asc.printf(f'{«n»!r}')"),
    ("55", "«asc.printf('%d', n)»"),
    ("55", "y = «f'{n}'»"),
    ("68", "asc.printf(f'{«a»:d}')"),
    ("68", "asc.printf(f'{«n»:999999999d}')"),
]
MORE = """

@asc.jit
def f1(v):
    return v


@asc.jit
def typed(v: int):
    return v


@asc.jit
def mixed(v):
    if v > 0:
        return 1
    return asc.half


def host(v):
    return v
"""
CAPTURED = {"table": {}, "math": __import__("math")}


class Facade:
    """A façade with a host-only name."""

    __asc_facade__ = True
    device = object()

    def __getattr__(self, name):
        if name in lang.EXPORTS:
            return lang.EXPORTS[name]
        raise AttributeError(name)


def marked(text):
    """The text without marks, and the line, column and end column of the mark."""
    before, rest = text.split("«", 1)
    inside, after = rest.split("»", 1)
    line = before.count("\n")
    column = len(before) - (before.rfind("\n") + 1)
    return before + inside + after, (line, column, column + len(inside))


@pytest.mark.parametrize(("number", "text"), CASES)
def test_refused_with_code_and_span(number, text):
    if "«" not in text:
        diagnostic = refused(text, CAPTURED, more=MORE)
        assert diagnostic.code == f"ASC-JIT-{number}"
        return
    if number == "46":
        more = MORE + "\n\n@asc.jit\ndef loop(v):\n    return loop(v)\n"
        diagnostic = refused(text.replace("«", "").replace("»", ""), more=more)
        assert diagnostic.code == "ASC-JIT-46"
        assert diagnostic.where.text.strip() == "return loop(v)"
        return
    body, (line, column, end) = marked(text)
    diagnostic = refused(body, {**CAPTURED, "asc": Facade()}, more=MORE)
    where = diagnostic.where
    found = (where.line - FIRST_LINE, where.column - 4, where.end_column - 4)
    assert diagnostic.code == f"ASC-JIT-{number}", diagnostic
    if number != "01":  # Python chooses the place of a syntax error
        assert found == (line, column, end), diagnostic
    assert where.label == "k.py"
    assert diagnostic.severity == CATALOGUE[diagnostic.code].severity


@pytest.mark.parametrize(
    "body",
    [
        G + "h = asc.GlobalTensor()\nh.set_global_buffer(x, 16)\n"
        "asc.data_copy(g, h, 16)",
        G + "asc.add(g, g, g, 16)",
        T + "asc.data_copy_pad(t, t, asc.DataCopyExtParams(1, 8))",
    ],
)
def test_paths_that_no_hardware_has(body):
    from npusim.lang import types

    diagnostic = refused(body, dtype=types.half)
    assert diagnostic.code == "ASC-PATH-07"
    assert {"operation", "source", "target"} <= set(diagnostic.facts)


def every_code():
    tested = {f"ASC-JIT-{number}" for number, _ in CASES}
    elsewhere = {f"ASC-JIT-{n}" for n in ("02", "03", "04", "09", "47", "56", "58")}
    return tested | elsewhere


def test_every_code_of_the_catalogue_is_tested():
    assert {c for c in CATALOGUE if c.startswith("ASC-JIT-")} == every_code()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("number", "text"), CASES)
def test_message_has_all_its_facts(number, text, language):
    if number == "46":
        return
    body = text.replace("«", "").replace("»", "")
    diagnostic = refused(body, {**CAPTURED, "asc": Facade()}, more=MORE)
    assert isinstance(diagnostic, Diagnostic)
    source = diagnostic.where.text
    message = diagnostic.render(language).replace(source.strip(), "")
    assert "?" not in message, message


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ('asc.set_flag("MTE2_V", 0)', "write asc.HardEvent.MTE2_V, without"),
        ("asc.set_flag(asc.HardEvent.MTE2_V, 0.5)", "int(…)"),
        ("q = asc.TQue(asc.TPosition.VECIN, 0)", "pass int ≥ 1 here"),
    ],
)
def test_a_wrong_kind_is_told_what_to_pass(body, hint):
    found = refused(body)
    assert found.code == "ASC-JIT-12" and hint in found.render("en")


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("muls(1)", "write asc.muls"),
        ("y = tiles", "define it before the launch"),
        ("mmad(1)", "define it before the launch"),
        ("asc.ad(1)", "the closest name is asc.add"),
        ("asc.fixpip(1)", "check the spelling"),
        ("asc.zzz(1)", "check the spelling"),
        ("p = asc.TPosition.VECINN", "the closest name is asc.TPosition.VECIN"),
        (T + "asc.add(t, t, 1.0, 8)", "write asc.adds(dst, src, scalar, count)"),
        (T + "asc.sub(t, t, n, 8)", "write asc.adds(dst, src, -scalar, count)"),
        (T + "asc.sub(t, 1.0, t, 8)", "pass tensor here"),
        (T + "asc.mul(t, 2, t, 8)", "write asc.muls(dst, src, scalar, count)"),
        (T + "asc.max(t, t, 2 * a, 8)", "write asc.maxs(dst, src, scalar, count)"),
    ],
)
def test_the_hint_names_what_was_meant(body, hint):
    found = refused(body)
    assert hint in found.render("en")
    assert "asc." not in hint or hint.split()[-1] in found.render("zh")


def test_every_call_with_a_scalar_exists():
    for (name, parameter), call in SCALAR_CALLS.items():
        assert parameter in signature_parameters(name)
        wanted, _, operands = call.rstrip(")").partition("(")
        assert len(operands.split(", ")) == len(signature_parameters(wanted))


def signature_parameters(name):
    return [p.name for p in SIGNATURES[name].forms[0].parameters]


@pytest.mark.parametrize(
    "call",
    ["pipe.init_buffer(q, 64)", "pipe.init_buffer(b, 1, 64)"],
)
def test_a_queue_takes_a_number_of_buffers_and_a_tbuf_does_not(call):
    found = refused(
        f"""
        pipe = asc.TPipe()
        q = asc.TQue(asc.TPosition.VECIN, 1)
        b = asc.TBuf(asc.TPosition.VECCALC)
        {call}
        """
    )
    assert found.code == "ASC-JIT-10" and "num, nbytes" in found.render("en")
