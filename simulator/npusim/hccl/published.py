"""Published numbers of links and collectives beside what this floor predicts.

    python -m npusim.hccl.published > docs/links.md

The numbers stand in `published.csv` with their sources. Link constants were fitted to
the copies, so those rows show how well a line fits, not a prediction; the collectives
were not. A table below says what no one has published: it is unvalidated.
"""

from __future__ import annotations

import csv
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from npusim.hccl.links import link_tables, load_link
from npusim.hccl.measure import measure
from npusim.hccl.topology import load_topology

MAX_FAIR_ERROR = 0.25
_IN_A_SERVER = ("all_gather", "all_reduce")


@dataclass(frozen=True)
class Row:
    """One published number; `nbytes`, `block_nbytes` are 0 where there is none."""

    kind: str
    where: str
    ranks: int
    nbytes: int
    block_nbytes: int
    value: float
    unit: str
    source: str

    def predicted(self) -> float | None:
        """What this floor says, in the row's unit; None for what it does not model."""
        if self.kind == "not modelled":
            return None
        return _PREDICTORS.get(self.kind, _collective)(self)

    def error(self) -> float | None:
        """Predicted by published, less 1."""
        predicted = self.predicted()
        return None if predicted is None else predicted / self.value - 1


def _copy(row: Row) -> float:
    link = load_link(row.where)
    return link.copy_us(row.nbytes, row.block_nbytes, row.kind == "read")


def _collective(row: Row) -> float:
    topology = load_topology(row.where, row.ranks)
    one = measure(row.kind, row.nbytes, topology, closed=True)
    return one.time_us if row.unit == "us" else one.alg_gb_s


_PREDICTORS: Mapping[str, Callable[[Row], float]] = {
    "write": _copy,
    "read": _copy,
    "peak": lambda row: load_link(row.where).peak_gb_s,
}


@cache
def rows() -> tuple[Row, ...]:
    """All rows of `published.csv`."""
    text = (resources.files(__package__) / "published.csv").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return tuple(
        Row(
            one["kind"],
            one["where"],
            int(one["ranks"]),
            int(one["nbytes"] or 0),
            int(one["block_nbytes"] or 0),
            float(one["value"]),
            one["unit"],
            one["source"],
        )
        for one in csv.DictReader(lines)
    )


def page() -> str:
    """docs/links.md: every row, the misses in words, what is unvalidated."""
    parts = ["# Links and collectives: published and predicted", _ABOUT, _table()]
    parts += [_summary(), "## Unvalidated", _UNVALIDATED, _unpublished()]
    return "\n\n".join(parts)


def _table() -> str:
    lines = [
        "| what | where | ranks | bytes | block | published | predicted | error "
        "| source |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows():
        predicted, error = row.predicted(), row.error()
        shown = "not modelled" if predicted is None else f"{predicted:,.1f} {row.unit}"
        cells = (
            row.kind.replace("_", "-"),
            row.where,
            row.ranks,
            f"{row.nbytes:,}" if row.nbytes else "",
            f"{row.block_nbytes:,}" if row.block_nbytes else "",
            f"{row.value:,.1f} {row.unit}",
            shown,
            "" if error is None else f"{error:+.1%}",
            row.source,
        )
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def median_error(kinds: tuple[str, ...]) -> float:
    """The median of the errors' sizes over rows of these kinds."""
    errors = [row.error() for row in rows() if row.kind in kinds]
    return statistics.median(abs(e) for e in errors if e is not None)


def _summary() -> str:
    groups = {
        "copies (fitted)": ("write", "read"),
        "all-gather and all-reduce in a server (not fitted)": _IN_A_SERVER,
        "all-to-all of mixture-of-experts models (not fitted)": ("all_to_all",),
    }
    lines = [
        f"* {name}: median error {median_error(k):.1%}" for name, k in groups.items()
    ]
    missed = [r for r in rows() if abs(r.error() or 0.0) > MAX_FAIR_ERROR]
    kinds = {r.kind.replace("_", "-") for r in missed}
    lines.append(
        f"* {len(missed)} rows miss by more than {MAX_FAIR_ERROR:.0%}, all of the kind "
        f"{', '.join(sorted(kinds))}: dispatch to experts also sorts, quantises and "
        "waits for the slowest rank, which a bare all-to-all does not"
    )
    return "\n".join(lines)


def _unpublished() -> str:
    lines = ["| link | number | value | taken from |", "|---|---|---|---|"]
    for name, table in link_tables().items():
        for key, entry in table.items():
            if isinstance(entry, dict) and entry["confidence"] == "none":
                cells = (name, key, f"{entry['value']:g}", entry["source"])
                lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


_ABOUT = """\
Made by `python -m npusim.hccl.published > docs/links.md`. GB are 1e9 bytes. Constants
of links are fitted to the copies below; nothing is fitted to a collective. Four ranks
in an A2 server reach 15 to 16 GB/s a link where two and eight reach 18: nobody has said
why, and it is left as a miss."""
_UNVALIDATED = """\
No measurement of a collective over several A2 servers is public, nor one of small
messages: their times rest on the latencies below."""

if __name__ == "__main__":
    print(page())
