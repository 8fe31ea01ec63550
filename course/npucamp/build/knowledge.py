"""The bank of the knowledge check: sources → grader/npugrade/banks/k1.json.

A source (`solutions/k1-knowledge-check/bank/*.toml`, one topic a file) says which options
are right, what a wrong one believes, and why. Learners get the built bank: the options in
an order that tells nothing, and a salted hash of the right ones. A mistake in a source is
a MaterialError that names file, key and fault.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, ValidationError, model_validator

from npucamp.build.coverage import sentences
from npucamp.material import Bilingual, Key, MaterialError, Table

FOLDER = Path("solutions/k1-knowledge-check/bank")
BANK = Path("grader/npugrade/banks/k1.json")
MISCONCEPTIONS = "misconceptions.toml"
Model = TypeVar("Model", bound=Table)
_CODE = re.compile(r"ASC-[A-Z]+-\d\d")


class Wrong(Bilingual):
    """A wrong option; `from` is the message, sentence or misconception behind it."""

    origin: Annotated[str, Field(alias="from", min_length=1)]


class Question(Table):
    """One question. `code` of an output question prints its right option."""

    id: Key
    kind: Literal["single", "multiple", "boolean", "output"]
    source: str
    lesson: Key
    stem: Bilingual
    code: str = ""
    right: Annotated[tuple[Bilingual, ...], Field(min_length=1)]
    wrong: Annotated[tuple[Wrong, ...], Field(min_length=1)]
    why: Bilingual

    @model_validator(mode="after")
    def _of_its_kind(self) -> Question:
        if (self.kind == "output") != bool(self.code):
            raise ValueError("an output question has `code`, the others have none")
        if self.kind != "multiple" and len(self.right) != 1:
            raise ValueError(f"a {self.kind} question has one right option")
        if self.kind != "boolean" and len(self.right) + len(self.wrong) < 4:
            raise ValueError("fewer than four options")
        for language in ("en", "zh"):
            said = [getattr(o, language) for o in (*self.right, *self.wrong)]
            if len(set(said)) < len(said):
                raise ValueError(f"two options say the same in {language}")
        return self


class Topic(Bilingual):
    """One file: a topic and its questions."""

    topic: Key
    question: Annotated[tuple[Question, ...], Field(min_length=1)]


class _Misconceptions(Table):
    misconception: Mapping[Key, Bilingual]


def topics(root: Path) -> tuple[Topic, ...]:
    """All topics in order of their files; MaterialError for a mistake in one."""
    paths = sorted((root / FOLDER).glob("*.toml"))
    beliefs = misconceptions(root)
    read = [_read(path, Topic) for path in paths if path.name != MISCONCEPTIONS]
    found: dict[str, str] = {}
    for topic in read:
        for question in topic.question:
            if question.id in found:
                raise MaterialError(f"{topic.topic}: {question.id} stands twice")
            found[question.id] = topic.topic
            for origin in (question.source, *(w.origin for w in question.wrong)):
                _require_known(question.id, origin, beliefs)
    return tuple(read)


def misconceptions(root: Path) -> Mapping[str, Bilingual]:
    """What a wrong option may believe, by id."""
    return _read(root / FOLDER / MISCONCEPTIONS, _Misconceptions).misconception


def bank_outputs(root: Path) -> dict[Path, str]:
    """The built bank, by its place below `root`; empty where there is no source."""
    if not (root / FOLDER).is_dir():
        return {}
    read = topics(root)
    items = {q.id: item(q, topic) for topic in read for q in topic.question}
    groups = {topic.topic: [q.id for q in topic.question] for topic in read}
    names = {t.topic: {"en": t.en, "zh": t.zh} for t in read}
    whole = {"groups": groups, "topics": names, "items": items}
    return {BANK: json.dumps(whole, ensure_ascii=False, indent=1) + "\n"}


def item(question: Question, topic: Topic) -> dict[str, Any]:
    """What the bank holds of a question: the right options as a salted hash."""
    from npugrade.checkers.knowledge import key_of

    options = sorted(
        (*question.right, *question.wrong), key=lambda o: _digest(question.id, o.en)
    )
    right = {number for number, o in enumerate(options) if o in question.right}
    salt = _digest(question.id, "salt")[:16]
    return {
        "topic": topic.topic,
        "kind": question.kind,
        "source": question.source,
        "lesson": question.lesson,
        "stem": question.stem.model_dump(),
        "code": question.code,
        "options": [{"en": o.en, "zh": o.zh} for o in options],
        "salt": salt,
        "key": key_of(question.id, salt, right),
    }


def _digest(*parts: str) -> str:
    return hashlib.sha256("|".join(parts).encode()).hexdigest()


def _require_known(id_: str, origin: str, beliefs: Mapping[str, Bilingual]) -> None:
    if origin in {one.id for one in sentences()} or origin in beliefs:
        return
    if not _CODE.fullmatch(origin):
        raise MaterialError(f"{id_}: {origin!r} is no sentence, message, misconception")


def _read(path: Path, model: type[Model]) -> Model:
    try:
        return model.model_validate(tomllib.loads(path.read_text("utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise MaterialError(f"{path.name}: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise MaterialError(f"{path.name}: {place}: {first['msg']}") from None
