"""Is the answer to one drawn question right?

The learner's `answers()` returns a dict: number of the question → letters. Letters
stand for the options as this learner sees them. A bank holds for each question a salted
hash of its right options: a guard against reading the key in passing, not against
trying out. Question 0 asks for the form of the whole answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from npugrade.banks import bank
from npugrade.draw import Ticket, read_draw, shuffled
from npugrade.messages import say
from npugrade.outcome import Outcome, Refused

LETTERS = "abcdefgh"
ROUNDS = 2_000  # of PBKDF2: about a millisecond for each question


def knowledge(arguments: Mapping[str, Any], answer: Any) -> Outcome:
    """Refused unless question `arguments["slot"]` is answered rightly; for slot 0,
    unless the whole answer is of the form."""
    ticket, ids = read_draw(arguments["drawn"])
    slot = int(arguments["slot"])
    if not isinstance(answer, dict):
        raise Refused("knowledge.form", count=len(ids))
    if not slot:
        _require_form(answer, len(ids))
        return Outcome(1, 1)
    if slot not in answer:
        raise Refused("knowledge.empty", slot=slot)
    letters = _letters(answer[slot], slot)
    _judge(ids[slot - 1], slot, letters, arguments, ticket)
    return Outcome(1, 1)


def _judge(
    id_: str, slot: int, given: str, arguments: Mapping[str, Any], ticket: Ticket
) -> None:
    item = bank(arguments["bank"])["items"][id_]
    if not given:
        raise Refused("knowledge.empty", slot=slot)
    order = shuffled(len(item["options"]), arguments["assignment"], id_, ticket)
    chosen = {order[LETTERS.index(letter)] for letter in given if _is_in(letter, order)}
    if len(chosen) != len(given) or key_of(id_, item["salt"], chosen) != item["key"]:
        kind = say("knowledge.wrong.kind", **_source(item))
        raise Refused("knowledge.wrong", kind=kind, slot=slot, stem=item["stem"])


def _is_in(letter: str, order: tuple[int, ...]) -> bool:
    return letter in LETTERS[: len(order)]


def _source(item: Mapping[str, Any]) -> dict[str, Any]:
    lesson, source = item["lesson"].upper(), item["source"]
    return {"stem": item["stem"], "lesson": lesson, "source": source}


def key_of(id_: str, salt: str, right: set[int]) -> str:
    """The salted hash of a set of options, as 32 hexadecimal digits."""
    text = f"{id_}|{','.join(map(str, sorted(right)))}".encode()
    digest = hashlib.pbkdf2_hmac("sha256", text, bytes.fromhex(salt), ROUNDS, 16)
    return digest.hex()


def _require_form(answer: Mapping[Any, Any], count: int) -> None:
    for number, letters in answer.items():
        if type(number) is not int or not 1 <= number <= count:
            raise Refused("knowledge.number", number=str(number)[:20], count=count)
        _letters(letters, number)


def _letters(given: Any, number: int) -> str:
    """Different letters, without spaces and commas; Refused if they are none."""
    clean = given.lower().replace(",", " ").split() if isinstance(given, str) else ["?"]
    letters = "".join(clean)
    if set(letters) - set(LETTERS) or len(set(letters)) != len(letters):
        raise Refused("knowledge.letters", number=number)
    return letters
