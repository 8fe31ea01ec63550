"""The bank of the hang clinic: broken rank programs → grader/npugrade/banks/d5.json.

A source (`solutions/d5-hang-clinic/bank.toml`) holds programs with places for a rank and
a size, their variants, the true cause and a cure. The built bank has the form of the
knowledge check's: the program as code, five pairs of cause and rank as options, a salted
hash of the right one. A mistake in the source is a MaterialError.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from npucamp.build.knowledge import Question, Topic, item
from npucamp.material import Bilingual, Key, MaterialError, Table

SOURCE = Path("solutions/d5-hang-clinic/bank.toml")
BANK = Path("grader/npugrade/banks/d5.json")
SENTENCE = "B082.2"  # of the articles: what most of these programs show
_DECOYS = 4


class Variant(Table):
    """`r`: the rank that differs, `o`: another; `n` elements; how many ranks."""

    r: int
    o: int
    n: Annotated[int, Field(ge=1)]
    ranks: Annotated[int, Field(ge=2)]


class Case(Table):
    """A program in some variants; `cause` is the one that the simulator's report names,
    `kind` the one that the learner names."""

    kind: Key
    cause: Key
    program: str
    cure: tuple[tuple[str, str], ...]
    variants: Annotated[tuple[Variant, ...], Field(min_length=1)]
    server_gib: int | None = None


class _Source(Table):
    text: Mapping[Key, Bilingual]
    case: tuple[Case, ...]


class Program(Table):
    """One broken program, filled in; `cured` finishes."""

    id: Key
    kind: Key
    cause: Key
    variant: Variant
    code: str
    cured: str
    server_gib: int | None


def programs(root: Path) -> list[Program]:
    """Every program of the bank; MaterialError if a cure does not fit its program."""
    return list(_programs(_read(root)))


def _programs(source: _Source) -> Iterator[Program]:
    numbers: dict[str, int] = {}
    for case in source.case:
        for variant in case.variants:
            number = numbers[case.kind] = numbers.get(case.kind, 0) + 1
            code = _filled(case.program, variant).lstrip()
            cured = code
            for old, new in case.cure:
                if _filled(old, variant) not in cured:
                    raise MaterialError(f"{case.kind}: {old!r} is not in its program")
                cured = cured.replace(_filled(old, variant), _filled(new, variant))
            yield Program(
                id=f"{case.kind}-{number}",
                kind=case.kind,
                cause=case.cause,
                variant=variant,
                code=code,
                cured=cured,
                server_gib=case.server_gib,
            )


def _filled(text: str, variant: Variant) -> str:
    for name in ("r", "o", "n"):
        text = text.replace(f"@{name}", str(getattr(variant, name)))
    return text


def clinic_outputs(root: Path) -> dict[Path, str]:
    """The built bank, by its place below `root`; empty where there is no source."""
    if not (root / SOURCE).is_file():
        return {}
    source = _read(root)
    topics = {kind: text for kind, text in source.text.items() if kind != "slow"}
    groups: dict[str, list[str]] = {kind: [] for kind in topics}
    items = {}
    for one in _programs(source):
        groups[one.kind].append(one.id)
        items[one.id] = _item(one, source)
    names = {kind: {"en": kind, "zh": kind} for kind in topics}
    whole = {"groups": groups, "topics": names, "items": items}
    return {BANK: json.dumps(whole, ensure_ascii=False, indent=1) + "\n"}


def _item(one: Program, source: _Source) -> dict[str, Any]:
    right, wrong = _options(one, source)
    facts = {"id": one.id, "kind": "output", "source": SENTENCE, "lesson": "d5"}
    why = {"en": "Run it and read the report.", "zh": "运行它，读报告。"}
    question = Question.model_validate(
        facts
        | {"stem": _stem(one), "code": one.code, "right": [right], "why": why}
        | {"wrong": [{**text, "from": SENTENCE} for text in wrong]}
    )
    topic = Topic.model_construct(topic=one.kind, en="", zh="", question=())
    return item(question, topic)


def _stem(one: Program) -> dict[str, str]:
    en, zh = f"{one.variant.ranks} ranks", f"{one.variant.ranks} 个 rank"
    if one.server_gib is not None:
        en += f", a server of {one.server_gib} GiB (server_nbytes)"
        zh += f"，服务器内存 {one.server_gib} GiB（server_nbytes）"
    return {
        "en": f"{en}. What stops this program, and where does it begin?",
        "zh": f"{zh}。这个程序为什么停住？从哪里开始？",
    }


def _options(one: Program, source: _Source) -> tuple[dict, list[dict]]:
    """The right pair of cause and rank; the same cause elsewhere, and other causes."""
    r, o = one.variant.r, one.variant.o
    kinds = list(source.text)
    at = kinds.index(one.kind)
    others = [kinds[(at + step) % len(kinds)] for step in (3, 5)]
    pairs = [(one.kind, o), ("slow", o), (others[0], r), (others[1], o)]
    if one.kind == "ring":
        pairs[0] = ("unanswered", o)
    wrong = [_text(source, *pair) for pair in dict.fromkeys(pairs)]
    if len(wrong) < _DECOYS:
        wrong.append(_text(source, "slow", r))
    return _text(source, one.kind, r), wrong


def _text(source: _Source, kind: str, rank: int) -> dict[str, str]:
    both = source.text[kind]
    return {one: getattr(both, one).format(r=rank) for one in ("en", "zh")}


def _read(root: Path) -> _Source:
    try:
        return _Source.model_validate(tomllib.loads((root / SOURCE).read_text("utf-8")))
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise MaterialError(f"{SOURCE.name}: {error}") from None
