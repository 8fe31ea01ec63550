"""`asc.explain(kernel)`: what a compiled kernel consists of, before it runs.

Read off the Program alone: how many instructions stand in it for each pipe (and how
many of those in loops), which buffers lie where in UB, and which events order the pipes
that use each buffer. Numbers count what is written, not what is executed; sizes that
depend on run-time values are said to.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from html import escape
from typing import Any

from npusim.chip import load_chip
from npusim.diagnostic import language
from npusim.lang.dump import show
from npusim.lang.program import Const, Issue, Jump, Program, Resource, Tensor
from npusim.lang.signatures import SIGNATURES
from npusim.profile.words import Words, parts

WORDS = Words("npusim.profile", "explain.toml")
_COPIES = ("data_copy", "data_copy_pad")
_COPY_PIPES = {("GM", "UB"): "MTE2", ("UB", "GM"): "MTE3", ("UB", "UB"): "V"}
_QUEUE_CALLS = ("alloc_tensor", "enque", "deque", "free_tensor")
_QUEUE_EVENTS = {
    "VECIN": ("MTE2_V", "V_MTE2"),
    "VECOUT": ("V_MTE3", "MTE3_V"),
    "VECCALC": ("V",),
}
_NO_INSTRUCTION = ("local_tensor", "dump_tensor")


@dataclass(frozen=True)
class Placed:
    """A buffer in UB: `start` and `nbytes` in bytes, None where run time tells."""

    name: str
    kind: str
    number: int | None
    nbytes: int | None
    start: int | None


@dataclass(frozen=True)
class Explanation:
    """The report. `counts`: pipe → instruction → how often it stands in the program;
    `looped`: pipe → how many of these in loops; `uses`: tensor → (pipes that write it,
    pipes that read it); `flags`: (event, id) → [sets, waits]."""

    kernel: str
    counts: dict[str, Counter[str]]
    looped: Counter[str]
    placed: tuple[Placed, ...]
    queues: dict[str, tuple[str, Counter[str]]]
    uses: dict[str, tuple[tuple[str, ...], tuple[str, ...]]]
    flags: dict[tuple[str, str], list[int]]
    across: Counter[str]
    capacity: int

    def text(self, reader: str = "en") -> str:
        """The report in `en` or `zh`."""
        return "\n".join(_lines(self, reader))

    def __str__(self) -> str:
        return "\n\n".join(self.text(x) for x in language.shown())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def explain(kernel: Any, *arguments: Any, **keywords: Any) -> Explanation:
    """The report of a kernel, a Program or a Run."""
    program = getattr(getattr(kernel, "execution", None), "program", kernel)
    if not isinstance(program, Program):
        program = kernel.program(*arguments, **keywords)
    issues = [
        (pc, op) for pc, op in enumerate(program.code)
        if isinstance(op, Issue) and op.name not in _NO_INSTRUCTION
    ]  # fmt: skip
    counts: dict[str, Counter[str]] = {}
    looped: Counter[str] = Counter()
    loops = _loops(program)
    for pc, op in issues:
        pipe = pipe_of(op)
        counts.setdefault(pipe, Counter())[op.name] += 1
        looped[pipe] += any(start <= pc <= end for start, end in loops)
    return Explanation(
        program.name, counts, looped, tuple(_placed(program)), _queues(program),
        _uses([op for _, op in issues]), _flags(program), _across(program),
        load_chip("910B1").ub_nbytes,
    )  # fmt: skip


def pipe_of(op: Issue) -> str:
    """The pipe that an instruction runs on."""
    if op.name in _COPIES:
        dst, src = op.operands["dst"], op.operands["src"]
        assert isinstance(dst, Tensor) and isinstance(src, Tensor)
        return _COPY_PIPES[src.position.memory, dst.position.memory]
    signature = SIGNATURES.get(op.name)
    return "V" if signature is not None and signature.vector else "S"


def _loops(program: Program) -> list[tuple[int, int]]:
    """(first, last) operation of each loop: a jump back closes it."""
    return [
        (op.to, pc)
        for pc, op in enumerate(program.code)
        if isinstance(op, Jump) and op.to <= pc
    ]


# ---------------------------------------------------------------------------- UB map
def _number(value: Any) -> int | None:
    value = value.value if isinstance(value, Const) else value
    return value if isinstance(value, int) else None


def _placed(program: Program) -> list[Placed]:
    found: list[Placed] = []
    top: int | None = 0
    for op in program.code:
        if not isinstance(op, Issue):
            continue
        if op.name == "init_buffer":
            number = _number(op.operands.get("num", 1))
            nbytes = _number(op.operands["nbytes"])
            rounded = None if nbytes is None else -(-nbytes // 32) * 32
            buffer: Any = op.operands["buffer"]
            found.append(Placed(buffer.name, buffer.kind, number, rounded, top))
            known = None not in (top, number, rounded)
            top = top + number * rounded if known else None  # type: ignore[operator]
        elif op.name == "local_tensor":
            tensor: Any = op.operands["tensor"]
            size, start = _number(tensor.size), _number(tensor.address)
            nbytes = None if size is None else size * tensor.dtype.itemsize
            found.append(Placed(tensor.name, "LocalTensor", 1, nbytes, start))
    return list(dict.fromkeys(found))


def _used(placed: tuple[Placed, ...]) -> int | None:
    """Bytes in use, those that lie over each other once; None if some are unknown."""
    spans: list[tuple[int, int]] = []
    for p in placed:
        if p.number is None or p.nbytes is None or p.start is None:
            return None
        spans.append((p.start, p.start + p.number * p.nbytes))
    used = reach = 0
    for begin, end in sorted(spans):
        used += max(0, end - max(begin, reach))
        reach = max(reach, end)
    return used


# ---------------------------------------------------------------------------- events
def _queues(program: Program) -> dict[str, tuple[str, Counter[str]]]:
    found: dict[str, tuple[str, Counter[str]]] = {}
    for op in program.code:
        if isinstance(op, Issue) and op.name in _QUEUE_CALLS:
            queue = op.operands["queue"]
            assert isinstance(queue, Resource) and queue.position is not None
            calls = found.setdefault(queue.name, (queue.position.name, Counter()))[1]
            calls[op.name] += 1
    return found


def _uses(
    issues: list[Issue],
) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Pipes that write and that read each tensor in UB, by its name."""
    found: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for op in issues:
        if op.name in _QUEUE_CALLS:
            continue
        for role, tensor in op.operands.items():
            if not isinstance(tensor, Tensor) or tensor.position.memory != "UB":
                continue
            writes = role == "dst" or op.name == "set_value"
            sides = found.setdefault(tensor.name, ({}, {}))
            sides[0 if writes else 1][pipe_of(op)] = None
    return {n: (tuple(w), tuple(r)) for n, (w, r) in found.items()}


def _flags(program: Program) -> dict[tuple[str, str], list[int]]:
    found: dict[tuple[str, str], list[int]] = {}
    for op in program.code:
        if isinstance(op, Issue) and op.name in ("set_flag", "wait_flag"):
            number = _number(op.operands["event_id"])
            label = show(op.operands["event_id"]) if number is None else str(number)
            event: Any = op.operands["event"]
            pair = found.setdefault((event.value, label), [0, 0])
            pair[op.name == "wait_flag"] += 1
    return found


def _across(program: Program) -> Counter[str]:
    names = ("sync_all", "cross_core_set_flag", "cross_core_wait_flag")
    ops = (op.name for op in program.code if isinstance(op, Issue))
    return Counter(name for name in ops if name in names)


# ------------------------------------------------------------------------------ text
def _lines(report: Explanation, reader: str) -> list[str]:
    (reader,) = parts(reader)
    total = sum(sum(names.values()) for names in report.counts.values())
    looped = sum(report.looped.values())
    head = WORDS(
        "title", reader, kernel=report.kernel, instructions=total, looped=looped
    )
    sections = (
        (WORDS("pipes", reader), _pipe_lines(report, reader)),
        (
            WORDS("ub", reader, capacity=f"{report.capacity:,}"),
            _ub_lines(report, reader),
        ),
        (WORDS("events", reader), _event_lines(report, reader)),
    )
    body = (
        line for title, rows in sections for line in (title, *(f"  {r}" for r in rows))
    )
    return [head, *body]


def _pipe_lines(report: Explanation, reader: str) -> list[str]:
    lines = []
    for pipe, names in sorted(report.counts.items()):
        shown = ", ".join(f"{n} {c}" for n, c in sorted(names.items()))
        count = sum(names.values())
        line = WORDS("pipe_line", reader, pipe=pipe, count=count, names=shown)
        looped = report.looped[pipe]
        lines.append(
            WORDS("pipe_looped", reader, line=line, looped=looped) if looped else line
        )
    return lines


def _ub_lines(report: Explanation, reader: str) -> list[str]:
    if not report.placed:
        return [WORDS("ub_none", reader)]

    def shown(value: int | None) -> str:
        return WORDS("runtime", reader) if value is None else f"{value:,}"

    lines = [
        WORDS(
            "ub_line", reader, start=shown(p.start), name=p.name, kind=p.kind,
            number=shown(p.number), nbytes=shown(p.nbytes),
        )
        for p in report.placed
    ]  # fmt: skip
    used = _used(report.placed)
    if used is None:
        return [*lines, WORDS("ub_unknown", reader)]
    free = report.capacity - used
    return [*lines, WORDS("ub_total", reader, used=f"{used:,}", free=f"{free:,}")]


def _event_lines(report: Explanation, reader: str) -> list[str]:
    lines = [_queue_line(name, *row, reader) for name, row in report.queues.items()]
    lines += [_use_line(name, *row, reader) for name, row in report.uses.items()]
    lines += [
        WORDS("flag_line", reader, event=e, number=i, sets=sets, waits=waits)
        for (e, i), (sets, waits) in report.flags.items()
    ]
    if report.across:
        counts = [report.across[f"cross_core_{w}_flag"] for w in ("set", "wait")]
        everyone = report.across["sync_all"]
        lines.append(
            WORDS("cross_line", reader, all=everyone, sets=counts[0], waits=counts[1])
        )
    return lines or [WORDS("events_none", reader)]


def _queue_line(name: str, position: str, calls: Counter[str], reader: str) -> str:
    numbers = {call.split("_")[0]: calls[call] for call in _QUEUE_CALLS}
    events = ", ".join(_QUEUE_EVENTS.get(position, ()))
    return WORDS("queue_line", reader, name=name, events=events, **numbers)


def _use_line(
    name: str, writers: tuple[str, ...], readers: tuple[str, ...], reader: str
) -> str:
    nobody = WORDS("nobody", reader)
    events = [f"{w}_{r}" for w in writers for r in readers if w != r]
    return WORDS(
        "events_line", reader, name=name, writers=", ".join(writers) or nobody,
        readers=", ".join(readers) or nobody, events=", ".join(events) or nobody,
    )  # fmt: skip
