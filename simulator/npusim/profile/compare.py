"""Two runs beside each other: what changed, by how much, and in whose favour.

A row has the value before, the value after and their ratio. Rows whose values are zero
in both runs are left out. The runs may be of different kernels; a note says so where
they read or write different amounts of distinct memory, since then a faster time may
only mean less work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from npusim.diagnostic.language import current, parts
from npusim.launch import Run
from npusim.profile.amounts import count_text, figures, nbytes_text, share_text
from npusim.profile.counters import Profile, profile
from npusim.profile.words import WORDS

Show = Callable[[float], str]


@dataclass(frozen=True)
class Row:
    """One quantity of both runs; `ratio` is after over before, None from zero."""

    name: str
    before: float
    after: float
    show: Show

    @property
    def ratio(self) -> float | None:
        return self.after / self.before if self.before else None


def _time(value: float) -> str:
    return f"{figures(value)} µs"


def _rate(value: float) -> str:
    return f"{figures(value)} GB/s"


def _pipe(name: str) -> Callable[[Run, Profile], float]:
    return lambda run, shown: shown.pipe(name).time_us


def _counter(name: str) -> Callable[[Run, Profile], float]:
    return lambda run, shown: run.counters[name]


_ROWS: tuple[tuple[str, Callable[[Run, Profile], float], Show], ...] = (
    ("time", lambda run, shown: run.time_us, _time),
    ("roofline", lambda run, shown: shown.roofline_share, share_text),
    ("compare_read", lambda run, shown: run.nbytes_read, nbytes_text),
    ("compare_written", lambda run, shown: run.nbytes_written, nbytes_text),
    ("bandwidth", lambda run, shown: shown.bandwidth_gb_s, _rate),
    ("cores", lambda run, shown: shown.cores_used, count_text),
    ("compare_vectors", _counter("vector_instructions"), count_text),
    ("compare_copies", _counter("copy_instructions"), count_text),
    ("compare_copy_size", _counter("mean_copy_nbytes"), nbytes_text),
    ("compare_conflicts", _counter("bank_conflict_cycles"), count_text),
    ("compare_flags", _counter("flags_set"), count_text),
    ("compare_barriers", _counter("barriers"), count_text),
    ("compare_scalars", _counter("scalar_accesses"), count_text),
    *((f"compare_busy_{p}", _pipe(p), _time) for p in ("S", "V", "MTE2", "MTE3")),
)  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """The rows of two runs; shows itself as text and as HTML."""

    before: Profile
    after: Profile
    rows: tuple[Row, ...]
    same_work: bool

    @property
    def speedup(self) -> float:
        """Time before over time after: above 1 is faster."""
        return self.before.time_us / self.after.time_us

    def row(self, name: str) -> Row:
        """The row of one quantity; KeyError where neither run has any of it."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    def text(self, language: str | None = None) -> str:
        """The comparison as a table of text."""
        return "\n".join(self._text(part) for part in parts(language or current()))

    def html(self, language: str | None = None) -> str:
        """The comparison as a compact HTML table."""
        return "".join(self._html(part) for part in parts(language or current()))

    def _cells(self, language: str) -> list[tuple[str, str, str, str]]:
        return [
            (WORDS(row.name, language), row.show(row.before), row.show(row.after),
             "" if row.ratio is None else f"×{row.ratio:.2f}")
            for row in self.rows
        ]  # fmt: skip

    def _notes(self, language: str) -> list[str]:
        key = "compare_faster" if self.speedup >= 1 else "compare_slower"
        ratio = self.speedup if self.speedup >= 1 else 1 / self.speedup
        lines = [WORDS(key, language, ratio=f"{ratio:.2f}")]
        bounds = self.before.bound, self.after.bound
        if bounds[0] != bounds[1]:
            lines.append(
                WORDS("compare_bound", language, before=bounds[0], after=bounds[1])
            )
        return lines if self.same_work else [*lines, WORDS("compare_work", language)]

    def _text(self, language: str) -> str:
        lines = [
            WORDS(
                "compare_line",
                language,
                name=name,
                before=one,
                after=two,
                ratio=ratio,
            ).rstrip()
            for name, one, two, ratio in self._cells(language)
        ]
        return "\n".join([*lines, *self._notes(language)])

    def _html(self, language: str) -> str:
        heads = ("", WORDS("before", language), WORDS("after", language), "")
        head = "".join(f"<th scope='col'>{escape(cell)}</th>" for cell in heads)
        body = "".join(
            f"<tr><th scope='row' style='text-align:left;font-weight:normal'>"
            f"{escape(name)}</th><td>{escape(one)}</td><td>{escape(two)}</td>"
            f"<td>{escape(ratio)}</td></tr>"
            for name, one, two, ratio in self._cells(language)
        )
        notes = "".join(f"<div>{escape(line)}</div>" for line in self._notes(language))
        return (
            f"<div class='npusim-compare' lang='{language}'>"
            f"<table><tr>{head}</tr>{body}</table>{notes}</div>"
        )

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.html()


def compare(before: Run, after: Run) -> Comparison:
    """Both runs in numbers, for example a learner's last attempt and the new one."""
    shown = profile(before), profile(after)
    rows = tuple(
        Row(name, value(before, shown[0]), value(after, shown[1]), show)
        for name, value, show in _ROWS
    )
    work = before.timing.compulsory_nbytes == after.timing.compulsory_nbytes
    return Comparison(*shown, tuple(r for r in rows if r.before or r.after), work)
