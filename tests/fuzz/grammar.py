"""A grammar of kernel source: most of it right, some of it wrong on purpose.

`RULES` maps a symbol to its alternatives with weights; `<name>` in a text is a symbol,
`<block>` an indented body. What comes out is mostly a kernel that compiles; a part of
the texts is then damaged (`damaged`): tokens dropped, doubled, exchanged, lines moved.
"""

from __future__ import annotations

import random
import re

Rules = dict[str, list[tuple[int, str]]]

HEAD = """
from npusim import asc


@asc.tiling
class Tiling:
    tile: int
    scale: float = 1.0


@asc.jit
def helper(p, q: int, r=2):
    if q > r:
        return q - r
    return r


@asc.jit
def move(dst, src, count):
    asc.data_copy(dst, src, count)


@asc.jit
def kernel(
    x: asc.GlobalAddress, z: asc.GlobalAddress, c: asc.GlobalAddress,
    n: int, a: float, flag: bool, t: Tiling, size: asc.constexpr,
):
    me = asc.get_block_idx()
    i = 1
    j = n
    f = a
    b = flag
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x, 4096)
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z + me * 512, 512)
    gc = asc.GlobalTensor()
    gc.set_global_buffer(c, 1024)
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 2)
    out = asc.TQue(asc.TPosition.VECOUT, 2)
    buf = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(queue, 2, 2048)
    pipe.init_buffer(out, 2, 2048)
    pipe.init_buffer(buf, 2048)
    w = buf.get(asc.float32)
    u = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 65536, 512)
    v = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 131072, 512)
    h = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 147456, 512)
    s = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 163840, 512)
    s8 = s.reinterpret_cast(asc.uint8)
    hu = h.reinterpret_cast(asc.uint32)
    asc.duplicate(s, 0.0, 512)
    asc.duplicate(w, 0.5, 512)
    asc.duplicate(u, 1.0, 512)
    asc.duplicate(v, -1.0, 512)
    asc.duplicate(h, 3, 512)
    stamp = asc.get_system_cycle()
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
""".lstrip()
TAIL = """
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(gz, u, 512)
"""

RULES: Rules = {
    "stmt": [
        (8, "<vector>"),
        (6, "<assign>"),
        (4, "<copy>"),
        (3, "<queue>"),
        (3, "if <bool>:\n<block>"),
        (2, "if <bool>:\n<block>\nelse:\n<block>"),
        (3, "for <loopvar> in range(<bounds>):\n<block>"),
        (1, "for k in asc.static_range(<small>):\n<block>"),
        (1, "while j > <small>:\n    j -= 1\n<block>"),
        (1, "while <bool>:\n<block>"),
        (2, "<order>"),
        (2, "<atomic>"),
        (2, "<debug>"),
        (2, "<element>"),
        (1, "<helper>"),
        (1, "<odd>"),
    ],
    "vector": [
        (3, "asc.<two>(<local>, <local>, <local>, <count>)"),
        (3, "asc.adds(<local>, <local>, <float>, <count>)"),
        (2, "asc.muls(<local>, <local>, <float>, count=<count>)"),
        (2, "asc.exp(<local>, <local>, <count>)"),
        (2, "asc.relu(<local>, <local>, <count>)"),
        (2, "asc.duplicate(<local>, <float>, <count>)"),
        (1, "asc.<two>(h, h, h, <count>)"),
        (1, "asc.duplicate(h, <int>, <count>)"),
        (3, "asc.<one>(<local>, <local>, <count>)"),
        (3, "asc.<two>(<local>, <local>, <local>, <mask>, <repeats>, "
            "asc.BinaryRepeatParams(1, 1, 1, <stride>, <stride>, <stride>))"),
        (2, "asc.<one>(<local>, <local>, <mask>, <repeats>, "
            "asc.UnaryRepeatParams(1, 1, <stride>, <stride>))"),
        (2, "asc.reduce_<fold>(<local>, <local>, s, <count>)"),
        (1, "asc.whole_reduce_<fold>(s, <local>, <mask>, <repeats>, <small>, 1, 8)"),
        (2, "asc.cast(h, <local>, asc.RoundMode.<round>, <count>)"),
        (1, "asc.cast(<local>, h, asc.RoundMode.<round>, <count>)"),
        (1, "asc.compare(s8, u, <local>, asc.CMPMODE.LT, <count>)"),
        (1, "asc.select(u, s8, u, <local>, asc.SELMODE.<select>, <count>)"),
        (1, "asc.gather(u, v, hu, <multiple>, <count>)"),
        (1, "asc.set_mask_count()\nasc.set_vector_mask(<count>)\n"
            "asc.add(u, u, v, <mask>, 1)\nasc.set_mask_norm()\nasc.reset_mask()"),
        (1, "asc.set_mask_count()"),
    ],
    "one": [(1, "abs"), (1, "sqrt"), (1, "ln"), (1, "rsqrt"), (1, "reciprocal")],
    "mask": [(4, "64"), (2, "32"), (1, "128"), (1, "[255, 0]"), (1, "<int>")],
    "repeats": [(4, "4"), (3, "8"), (1, "0"), (1, "255"), (1, "<int>")],
    "stride": [(5, "8"), (1, "0"), (1, "4"), (1, "<int>")],
    "fold": [(2, "sum"), (1, "max"), (1, "min")],
    "round": [(2, "RINT"), (1, "TRUNC"), (1, "NONE"), (1, "ODD")],
    "select": [(2, "VSEL_TENSOR_TENSOR_MODE"), (1, "VSEL_CMPMASK_SPR")],
    "two": [(1, "add"), (1, "sub"), (1, "mul"), (1, "max"), (1, "div"),
            (1, "fused_mul_add")],
    "local": [(4, "u"), (4, "v"), (3, "w"), (1, "u[<multiple>:]"),
              (1, "v[<multiple>:512]"), (1, "w[<multiple>:<int>]")],
    "count": [(4, "512"), (4, "64"), (2, "<small>"), (1, "t.tile"), (1, "size"),
              (1, "min(abs(i), 64)"), (1, "<int>")],
    "multiple": [(4, "8"), (3, "64"), (2, "me * 8"), (1, "(i % 4) * 8"), (1, "<int>")],
    "assign": [
        (4, "i = <int>"), (3, "j = <int>"), (4, "f = <float>"), (2, "b = <bool>"),
        (2, "i += <small>"), (1, "f *= 0.5"), (1, "i, j = j, i"), (1, "i: int = <int>"),
        (1, "u = v if <bool> else w"), (1, "y<digit> = <int>"), (1, "i = <float>"),
    ],
    "int": [
        (5, "<small>"), (4, "i"), (3, "j"), (2, "n"), (3, "me"), (1, "t.tile"),
        (1, "size"), (2, "<int> + <int>"), (2, "<int> - <int>"), (1, "<int> * <int>"),
        (1, "<int> // <positive>"), (1, "<int> % <positive>"), (1, "<int> // <int>"),
        (1, "min(<int>, <int>)"), (1, "max(<int>, <int>, <int>)"), (1, "abs(<int>)"),
        (1, "int(<float>)"), (1, "(<int> if <bool> else <int>)"), (1, "-<int>"),
        (1, "(<int> & <small>)"), (1, "<int> << <small>"), (1, "u.get_size()"),
        (1, "h.get_value(<digit>)"), (1, "helper(u, <int>)"), (1, "len((1, <int>))"),
        (1, "asc.get_block_num()"), (1, "asc.float32.sizeof()"), (1, "<nasty>"),
    ],
    "float": [
        (5, "0.<digit>"), (4, "f"), (2, "a"), (1, "t.scale"), (2, "<float> + <float>"),
        (2, "<float> * <float>"), (1, "<float> - <int>"), (1, "<int> / <positive>"),
        (1, "<float> / <float>"), (1, "float(<int>)"), (1, "u.get_value(<digit>)"),
        (1, "gx.get_value(<digit>)"), (1, "(<float> if <bool> else <float>)"),
        (1, "min(<float>, <float>)"), (1, "1e30"), (1, "float('nan')"),
    ],
    "bool": [
        (3, "<int> < <int>"), (3, "<float> > <float>"), (2, "b"), (1, "flag"),
        (2, "me % 2 == 0"), (2, "i > <small>"), (1, "not <bool>"),
        (1, "<bool> and <bool>"), (1, "<bool> or <bool>"), (1, "0 <= i < <small>"),
        (1, "n"), (1, "size == 8"), (1, "True"),
    ],
    "small": [(1, "1"), (1, "2"), (1, "3"), (1, "4"), (1, "8"), (1, "16"), (1, "0")],
    "positive": [(1, "1"), (1, "3"), (1, "8"), (1, "(abs(i) + 1)")],
    "digit": [(1, str(d)) for d in range(10)],
    "nasty": [
        (1, "9223372036854775807"), (1, "10 ** 40"), (1, "2 ** 63"), (1, "-1"),
        (1, "1 << 200"), (1, "10 ** 10 ** 10"), (1, "0x7fffffff"), (1, "4095"),
    ],
    "loopvar": [(3, "k"), (1, "i"), (1, "m")],
    "bounds": [(4, "<small>"), (2, "1, <small>"), (1, "me"), (1, "0, 16, <small>"),
               (1, "8, 0, -2"), (1, "<int>"), (1, "t.tile, <int>, <int>")],
    "copy": [
        (3, "asc.data_copy(<local>, gx, 512)"),
        (3, "asc.data_copy(gz, <local>, 512)"),
        (2, "asc.data_copy(<local>, gx[<multiple>:], 64)"),
        (1, "asc.data_copy(gz[<multiple>:], <local>, 64)"),
        (1, "asc.data_copy(<local>, gx, <count>)"),
        (1, "asc.data_copy(<local>, <local>, <count>)"),
        (1, "move(<local>, gx, 64)"),
        (1, "asc.data_copy(u, gx, asc.DataCopyParams(<small>, <small>, 0, <small>))"),
        (2, "asc.data_copy_pad(<local>, gx, asc.DataCopyExtParams(<small>, <count>, "
            "<small>, <small>), asc.DataCopyPadExtParams(<bool>, 0, <small>, 0))"),
        (1, "asc.data_copy_pad(gz, u, asc.DataCopyExtParams(1, <count>, 0, 0))"),
        (1, "asc.data_copy(gz, gx, 64)"),
    ],
    "queue": [
        (4, "q = queue.alloc_tensor(asc.float32)\nasc.data_copy(q, gx, 512)\n"
            "queue.enque(q)\nq = queue.deque(asc.float32)\n"
            "asc.add(u, q, v, <count>)\nqueue.free_tensor(q)"),
        (2, "o = out.alloc_tensor(asc.float32)\nasc.adds(o, u, <float>, 512)\n"
            "out.enque(o)\no = out.deque(asc.float32)\nasc.data_copy(gz, o, 512)\n"
            "out.free_tensor(o)"),
        (1, "q = queue.alloc_tensor(asc.float32)"),
        (1, "q = queue.deque(asc.float32)"),
        (1, "queue.free_tensor(u)"),
    ],
    "order": [
        (3, "asc.pipe_barrier(asc.PipeID.PIPE_ALL)"),
        (1, "asc.pipe_barrier(asc.PipeID.<pipe>)"),
        (2, "asc.set_flag(asc.HardEvent.MTE2_V, <small>)\n"
            "asc.wait_flag(asc.HardEvent.MTE2_V, <small>)"),
        (2, "asc.set_flag(asc.HardEvent.V_MTE3, 0)\n"
            "asc.wait_flag(asc.HardEvent.V_MTE3, 0)"),
        (1, "asc.wait_flag(asc.HardEvent.V_S, 1)"),
        (2, "asc.sync_all()"),
        (1, "asc.cross_core_set_flag(<small>, 0, asc.PipeID.<pipe>)\n"
            "asc.cross_core_wait_flag(<small>, 0)"),
    ],
    "pipe": [(1, "PIPE_V"), (1, "PIPE_MTE2"), (1, "PIPE_MTE3"), (1, "PIPE_S")],
    "atomic": [
        (3, "asc.set_atomic_<kind>(asc.float32)\nasc.data_copy(gc, <local>, 64)\n"
            "asc.set_atomic_none()"),
        (1, "asc.set_atomic_<kind>(asc.<dtype>)"),
        (1, "asc.set_atomic_none()"),
    ],
    "kind": [(2, "add"), (1, "max"), (1, "min")],
    "dtype": [(2, "float32"), (1, "half"), (1, "int32"), (1, "uint64")],
    "debug": [
        (2, 'asc.printf(f"{i} {f:.<digit>f} {b}")'),
        (1, 'asc.printf(f"{<int>:<digit>d} {asc.get_system_cycle() - stamp}")'),
        (1, "asc.dump_tensor(<local>, <int>, <count>)"),
        (1, "assert <bool>, f\"i = {i}\""),
        (1, "assert i == i"),
        (1, "gx.set_l2_cache_hint(asc.CacheMode.CACHE_MODE_DISABLE)"),
        (1, "stamp = asc.get_system_cycle()"),
    ],
    "element": [
        (2, "u.set_value(<digit>, <float>)"),
        (2, "gc.set_value(me * 16 + <digit>, <float>)"),
        (1, "h.set_value(<int>, <int>)"),
        (1, "f = gc.get_value(<int>)"),
    ],
    "helper": [(2, "i = helper(u, <int>, r=<small>)"), (1, "move(u, v, 64)"),
               (1, "i = helper(u)"), (1, "f = helper(u, <int>)")],
    "odd": [
        (1, "<refused>"), (1, "return"), (1, "break"), (1, "continue"), (2, "pass"),
        (1, "e = asc.LocalMemAllocator()\ne1 = e.alloc(asc.TPosition.VECIN, "
            "asc.<dtype>, <small>)"),
        (1, "r = [u, v, w]\nasc.add(r[0], r[<digit>], u, 64)"),
        (1, "u = asc.LocalTensor(asc.float32, asc.TPosition.<place>, <int>, <int>)"),
        (1, "gz.set_global_buffer(z + <int>, <int>)"),
        (1, "y<digit> = u.dtype.sizeof() + t.tile"),
    ],
    "place": [(3, "VECIN"), (1, "VECOUT"), (1, "A1"), (1, "GM")],
    "refused": [
        (1, "import os"), (1, "g = lambda y: y"), (1, "s = [y for y in (1, 2)]"),
        (1, "class C:\n    pass"), (1, "f = u[3] + 1.0"), (1, "print(i)"),
        (1, "f = expf(f)"), (1, "asc.sort32(u, v)"), (1, "i = unknown"),
        (1, "try:\n    pass\nfinally:\n    pass"), (1, "i = u"), (1, "t.tile = 3"),
        (1, "y = 'a' * 10 ** 9"), (1, "i = stamp + 1"), (1, "asc.add(u, v)"),
        (1, "asc.add(u, h, v, 64)"), (1, "del i"), (1, "with u:\n    pass"),
        (1, "i = kernel(x)"), (1, "gz[0] = 1.0"), (1, "i = [1, 2][5]"),
        (1, "for k in asc.static_range(10 ** 9):\n    pass"), (1, "i = 1 / 0"),
    ],
}  # fmt: skip
SYMBOL = re.compile(r"<(\w+)>")
MOST_DEPTH = 5


class Grammar:
    """Texts of one seed. A symbol deep inside others takes its first alternative."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def expand(self, symbol: str, depth: int = 0) -> str:
        """One text for `symbol`."""
        if symbol == "block":
            return self.block(depth)
        rules = RULES[symbol]
        if depth > MOST_DEPTH:
            text = rules[0][1]
        else:
            weights = [weight for weight, _ in rules]
            ((_, text),) = self.random.choices(rules, weights)
        return SYMBOL.sub(lambda m: self.expand(m.group(1), depth + 1), text)

    def block(self, depth: int) -> str:
        """Statements, indented."""
        count = 1 if depth > 3 else self.random.randrange(1, 4)
        symbol = "stmt" if depth < MOST_DEPTH - 1 else "vector"
        lines = "\n".join(self.expand(symbol, depth + 1) for _ in range(count))
        return "\n".join("    " + line for line in lines.split("\n"))

    def kernel(self) -> str:
        """A whole text; about one in four is damaged."""
        count = self.random.randrange(1, 8)
        body = "\n".join(self.expand("stmt", 1) for _ in range(count))
        lines = "\n".join("    " + line for line in body.split("\n"))
        text = HEAD + lines + TAIL
        return self.damaged(text) if self.random.random() < 0.25 else text

    def damaged(self, text: str) -> str:
        """The text with one to three random edits in the kernel's own part."""
        for _ in range(self.random.randrange(1, 4)):
            start = text.index("def kernel")
            tokens = re.findall(r"\w+|\s+|[^\w\s]", text[start:])
            at = self.random.randrange(len(tokens))
            edit = self.random.choice((_drop, _double, _swap, _replace, _nothing))
            edit(tokens, at, self.random)
            text = text[:start] + "".join(tokens)
            if "def kernel" not in text:
                break
        return text


def _drop(tokens: list[str], at: int, rng: random.Random) -> None:
    del tokens[at]


def _double(tokens: list[str], at: int, rng: random.Random) -> None:
    tokens.insert(at, tokens[at])


def _swap(tokens: list[str], at: int, rng: random.Random) -> None:
    other = rng.randrange(len(tokens))
    tokens[at], tokens[other] = tokens[other], tokens[at]


def _replace(tokens: list[str], at: int, rng: random.Random) -> None:
    words = (
        "asc",
        "u",
        "0",
        "-",
        "(",
        ":",
        "\n",
        "None",
        "if",
        "9" * 30,
        '"',
        "名",
        "\0",
    )
    tokens[at] = rng.choice(words)


def _nothing(tokens: list[str], at: int, rng: random.Random) -> None:
    """A text may stay as it is."""
