"""Random programs that do not race, as kernel text: one for every seed.

Each block owns 64 elements of `z`, a cache line of `s`, and adds to `w` by atomic
copies. Statements are separated by PIPE_ALL barriers or real flags; `z` of a neighbour
is read only between two all-core syncs. A program may fault (a division by zero in some
block); it then must fault alike in both executions.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

SHARE = 64  # elements of a block
ATOMIC = 48  # elements of w
BARRIER = "asc.pipe_barrier(asc.PipeID.PIPE_ALL)"

HEAD = f"""
@asc.jit
def kernel(
    x: asc.GlobalAddress, z: asc.GlobalAddress, w: asc.GlobalAddress,
    s: asc.GlobalAddress, n: int, a: float,
):
    me = asc.get_block_idx()
    cores = asc.get_block_num()
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x + me * {SHARE}, {SHARE})
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z, {SHARE} * cores)
    gw = asc.GlobalTensor()
    gw.set_global_buffer(w, {ATOMIC})
    gs = asc.GlobalTensor()
    gs.set_global_buffer(s + me * 8, 8)
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 2)
    pipe.init_buffer(queue, 2, {SHARE * 4})
    t0 = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 8192, {SHARE})
    t1 = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 16384, {SHARE})
    k = n
    f = a
    asc.data_copy(t0, gx, {SHARE})
    asc.duplicate(t1, 0.25, {SHARE})
    {BARRIER}
""".lstrip()


@dataclass
class Writer:
    """Writes one program; `random` decides, `lines` grow."""

    random: random.Random
    lines: list[str] = field(default_factory=list)
    names: int = 0

    def put(self, depth: int, *lines: str) -> None:
        self.lines += ["    " * depth + line for line in lines]

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    # ------------------------------------------------------------------- expressions
    def tensor(self) -> str:
        return self.pick("t0", "t1")

    def count(self) -> int:
        return self.random.choice((1, 7, 8, 16, 33, SHARE))

    def condition(self) -> str:
        number = self.random.randrange(1, 5)
        return self.pick(
            f"me % {number + 1} == {self.random.randrange(2)}",
            f"k % {number} == 0",
            f"me < {number}",
            f"f > {number}.5",
            "n > 2",
        )

    def bound(self) -> str:
        return self.pick("2", "k % 3", "me % 3", "3", "n % 4", "me")

    # -------------------------------------------------------------------- statements
    def body(self, depth: int, room: int) -> None:
        for _ in range(self.random.randrange(1, 4)):
            self.statement(depth, room)

    def statement(self, depth: int, room: int) -> None:
        simple = (
            self.vector, self.scalar, self.scalar, self.read, self.queue, self.flags,
            self.atomic, self.print, self.stamp, self.own_line, self.dump,
        )  # fmt: skip
        nested = (self.branch, self.loop, self.while_loop) if room else ()
        self.random.choice(simple + nested + nested)(depth, room - 1)

    def vector(self, depth: int, room: int) -> None:
        dst, src, count = self.tensor(), self.tensor(), self.count()
        line = self.pick(
            f"asc.adds({dst}, {src}, f, {count})",
            f"asc.muls({dst}, {src}, 0.75, {count})",
            f"asc.add({dst}, {src}, t1, {count})",
            f"asc.max({dst}, {src}, t0, {count})",
            f"asc.adds({dst}, {src}, me * 1.5, {count})",
            f"asc.duplicate({dst}, k, {count})",
        )
        self.put(depth, line, BARRIER)

    def scalar(self, depth: int, room: int) -> None:
        self.put(
            depth,
            self.pick(
                "k = (k * 3 + me) % 17",
                "k += 1",
                "f = f * 0.5 + k",
                "f = min(f, 9.0) - 0.125",
                "k = k + 2 if me % 2 == 0 else k - 1",
                "k = abs(k) % 11",
            ),
        )

    def read(self, depth: int, room: int) -> None:
        index = self.random.randrange(SHARE)
        self.put(depth, f"f = min(max(t0.get_value({index}), -50.0), 50.0)")
        if self.random.random() < 0.3:
            self.put(depth, "k = int(f) % 7")

    def queue(self, depth: int, room: int) -> None:
        t = self.name("q")
        self.put(
            depth,
            f"{t} = queue.alloc_tensor(asc.float32)",
            f"asc.data_copy({t}, gx, {SHARE})",
            f"queue.enque({t})",
            f"{t} = queue.deque(asc.float32)",
            f"asc.add(t1, {t}, t1, {self.count()})",
            f"queue.free_tensor({t})",
            BARRIER,
        )

    def flags(self, depth: int, room: int) -> None:
        event = self.pick("0", "3", "me % 2", "(k + me) % 5")
        number = self.name("e")
        self.put(
            depth,
            f"{number} = abs({event})",
            f"asc.data_copy(t0, gx, {SHARE})",
            f"asc.set_flag(asc.HardEvent.MTE2_V, {number})",
            f"asc.wait_flag(asc.HardEvent.MTE2_V, {number})",
            f"asc.muls(t0, t0, 0.5, {self.count()})",
            BARRIER,
        )

    def atomic(self, depth: int, room: int) -> None:
        start = self.pick("0", "8", "me % 3 * 8", "16")
        self.put(
            depth,
            "asc.set_atomic_add(asc.float32)",
            f"asc.data_copy(gw[{start}:], {self.tensor()}, {self.pick('8', '16')})",
            BARRIER,
            "asc.set_atomic_none()",
        )

    def print(self, depth: int, room: int) -> None:
        self.put(depth, self.pick('asc.printf(f"k={k} f={f:.3f}")',
                                  'asc.printf(f"core {me} of {cores}")'))  # fmt: skip

    def dump(self, depth: int, room: int) -> None:
        self.put(depth, f"asc.dump_tensor({self.tensor()}, k, 3)")

    def stamp(self, depth: int, room: int) -> None:
        first, second = self.name("c"), self.name("c")
        self.put(depth, f"{first} = asc.get_system_cycle()")
        self.vector(depth, 0)
        self.put(
            depth,
            f"{second} = asc.get_system_cycle()",
            f'asc.printf(f"{{{second} - {first}}} cycles, at {{{second}:8d}}")',
            f"gs.set_value(0, {second} - {first})",
        )

    def own_line(self, depth: int, room: int) -> None:
        self.put(depth, f"gs.set_value({self.random.randrange(1, 8)}, k)")

    def branch(self, depth: int, room: int) -> None:
        self.put(depth, f"if {self.condition()}:")
        self.body(depth + 1, room)
        if self.random.random() < 0.5:
            self.put(depth, "else:")
            self.body(depth + 1, room)

    def loop(self, depth: int, room: int) -> None:
        self.put(depth, f"for {self.name('i')} in range({self.bound()}):")
        if self.random.random() < 0.3:
            self.put(depth + 1, f"if {self.condition()}:")
            self.put(depth + 2, self.pick("break", "continue"))
        self.body(depth + 1, room)

    def while_loop(self, depth: int, room: int) -> None:
        count = self.name("left")
        self.put(depth, f"{count} = {self.bound()}", f"while {count} > 0:")
        self.put(depth + 1, f"{count} -= 1")
        self.body(depth + 1, room)

    # ------------------------------------------------------------------------ phases
    def exchange(self) -> None:
        """Write the own share, meet, read a neighbour's, meet."""
        self.put(1, f"asc.data_copy(gz[me * {SHARE}:], t0, {SHARE})", BARRIER)
        self.meet()
        self.put(
            1,
            f"asc.data_copy(t1, gz[(me + {self.random.randrange(1, 3)}) % cores * "
            f"{SHARE}:], {SHARE})",
            BARRIER,
        )
        if self.random.random() < 0.5:
            self.put(1, f"asc.data_copy(t0, gw, {ATOMIC})", BARRIER)
        self.meet()

    def meet(self) -> None:
        if self.random.random() < 0.7:
            self.put(1, "asc.sync_all()")
            return
        flag = self.random.randrange(11)
        self.put(
            1,
            f"asc.cross_core_set_flag({flag}, 0, asc.PipeID.PIPE_MTE3)",
            f"asc.cross_core_wait_flag({flag}, 0)",
        )

    def ending(self) -> None:
        if self.random.random() < 0.1:
            self.put(1, f"k = 10 // (me - {self.random.randrange(8)})")
        if self.random.random() < 0.15:
            self.put(1, f"if {self.condition()}:", "    return")
        self.body(1, 1)
        self.put(1, BARRIER, f"asc.data_copy(gz[me * {SHARE}:], t0, {SHARE})")


def program_text(seed: int) -> str:
    """The kernel of a seed; always the same."""
    writer = Writer(random.Random(seed))
    for _ in range(writer.random.randrange(1, 3)):
        writer.body(1, 2)
        if writer.random.random() < 0.6:
            writer.exchange()
    writer.ending()
    return HEAD + "\n".join(writer.lines) + "\n"
