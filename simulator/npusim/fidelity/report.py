"""All groups predicted: results and summaries in the order of the report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from npusim.fidelity import instructions, ladders, library
from npusim.fidelity.rows import Group, groups, rules
from npusim.fidelity.score import Result, Summary, explained_share, summary

OVERALL = Group(
    "overall",
    "All vector rows of 910B2 and 910B4-1",
    median=rules()["overall_median"],
    p90=rules()["overall_p90"],
    best_fit="7.4 / 32 %",
)
CHEAP = ("two_source", "bank", "golden", "add_ladder")
"""Groups that take seconds: a test predicts them again and compares with the page."""

PREDICTORS: dict[str, Callable[[], list[Result]]] = {
    "add_ladder": ladders.predict_add,
    "copy_ladder": ladders.predict_copy,
}


@dataclass(frozen=True)
class Section:
    """One group: `results` is empty where the operator is not in the library."""

    group: Group
    results: tuple[Result, ...]
    summary: Summary | None


def predict(name: str) -> Section:
    """Runs all rows of a group through the simulator."""
    found = _predictor(name)()
    group = groups()[name]
    return Section(group, tuple(found), summary(group, found))


def _predictor(name: str) -> Callable[[], list[Result]]:
    if name in PREDICTORS:
        return PREDICTORS[name]
    module = instructions if name in instructions.PREDICTORS else library
    return lambda: module.predict(name)


def predict_all(
    names: Iterable[str] | None = None, say: Callable[[str], None] = print
) -> list[Section]:
    """The sections of `names` (default: all), saying how long each took."""
    sections = []
    for name in names or groups():
        start = time.perf_counter()
        sections.append(predict(name))
        seconds = time.perf_counter() - start
        say(f"{name}: {len(sections[-1].results)} rows in {seconds:.1f} s")
    return sections


def overall(sections: Iterable[Section]) -> Summary | None:
    """Target (e): the rows of 910B2 and 910B4-1, exp and other axes included."""
    names = [name for name in library.CALLS if not name.endswith("a3")]
    return summary(
        OVERALL,
        [
            Result(**{**vars(result), "counted": True})
            for section in sections
            if section.group.name in names
            for result in section.results
        ],
    )


def in_network(sections: Iterable[Section]) -> list[Result]:
    """The rows whose cache and code state is not known."""
    return [
        result
        for section in sections
        if section.group.name in library.IN_NETWORK
        for result in section.results
    ]


def verdicts(sections: list[Section]) -> list[tuple[str, str, bool]]:
    """(what is asked, what was found, met) for everything that has a target."""
    by_name = {section.group.name: section for section in sections}
    found = [
        (s.group.title, _found(s.summary), s.summary.met)
        for s in sections
        if s.summary and s.summary.group.name in _asked()
    ]
    if "add_ladder" in by_name:
        found.extend(_ladder_verdicts(list(by_name["add_ladder"].results)))
    rows = in_network(sections)
    if rows:
        share = explained_share(rows)
        words = f"{share:.0%} of {len(rows)} rows"
        found.append(
            ("In-network rows explained", words, share >= rules()["explained_share"])
        )
    total = overall(sections)
    if total:
        found.append((OVERALL.title, _found(total), total.met))
    return found


def _asked() -> set[str]:
    return {n for n, g in groups().items() if (g.median, g.p90, g.each) != (None,) * 3}


def _found(summed: Summary) -> str:
    return (
        f"median {summed.median:.1%}, p90 {summed.p90:.1%}, "
        f"largest {summed.largest:.1%} of {summed.count} rows"
    )


def _ladder_verdicts(results: list[Result]) -> list[tuple[str, str, bool]]:
    active = [abs(r.error) for r in results if r.row.endswith("-v")]
    kept = ladders.order_kept(results)
    return [
        (
            "Add ladder, time of the vector pipe",
            f"largest {max(active):.1%}",
            max(active) <= rules()["vector_tolerance"],
        ),
        ("Add ladder, order of the steps", "as published" if kept else "not", kept),
    ]
