"""What differs from learner to learner: a draw from a bank.

A draw follows from a key, the assignment and the learner's id alone. The key of a class
is made of its seed and is not secret: `npucamp class assign` writes it into the
notebook, so that a learner's machine and the judge draw the same. Who studies alone has
the public key and the id `self`. Ids are ranked by HMAC-SHA256, so the draw of one
learner tells nothing about that of another, and a longer bank changes few draws.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from npugrade.banks import bank_groups
from npugrade.taskmodel import Task
from npugrade.taskparts import Draw

PUBLIC_KEY, SELF = "self-study", "self"


@dataclass(frozen=True)
class Ticket:
    """Whose draw it is: the key of the class and the learner's id."""

    key: str = PUBLIC_KEY
    learner: str = SELF

    def rank(self, assignment: str, *item: str) -> bytes:
        """The place of an item in this learner's order."""
        message = "|".join((assignment, self.learner, *item)).encode()
        return hmac.new(self.key.encode(), message, hashlib.sha256).digest()


def class_key(seed: str) -> str:
    """The public key of the draws of a class, from its secret seed."""
    return hmac.new(seed.encode(), b"draw", hashlib.sha256).hexdigest()[:32]


def drawn(
    groups: Mapping[str, Sequence[str]], count: int, assignment: str, ticket: Ticket
) -> tuple[str, ...]:
    """`count` different ids, the groups in turn, each as evenly as `count` allows.

    ValueError if the bank has too few."""
    queues = {
        name: sorted(ids, key=lambda id_: ticket.rank(assignment, "item", id_))
        for name, ids in groups.items()
    }
    order = sorted(queues, key=lambda name: ticket.rank(assignment, "group", name))
    found: list[str] = []
    while len(found) < count:
        ready = [name for name in order if queues[name]]
        if not ready:
            raise ValueError(f"the bank has {len(found)} items, {count} are asked for")
        taken = ready[: count - len(found)]
        found += [queues[name].pop(0) for name in taken]
    return tuple(found)


def in_bank_order(
    ids: Sequence[str], groups: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """The ids in the order of the bank's groups; inside one as they were drawn."""
    place = {id_: n for n, (_, ids_) in enumerate(groups.items()) for id_ in ids_}
    return tuple(sorted(ids, key=lambda id_: place[id_]))


def shuffled(count: int, assignment: str, item: str, ticket: Ticket) -> tuple[int, ...]:
    """The numbers 0 … count − 1 in this learner's order for `item`."""
    ranks = [ticket.rank(assignment, "option", item, str(i)) for i in range(count)]
    return tuple(sorted(range(count), key=ranks.__getitem__))


def draw_text(recipe: Draw, assignment: str, ticket: Ticket) -> str:
    """A draw as the value of an attribute: key, learner and the ids, one a line."""
    groups = bank_groups(recipe.bank)
    ids = drawn(groups, recipe.count, assignment, ticket)
    return "\n".join((ticket.key, ticket.learner, *in_bank_order(ids, groups)))


def read_draw(text: str) -> tuple[Ticket, tuple[str, ...]]:
    """Ticket and ids of `draw_text`."""
    key, learner, *ids = text.split("\n")
    return Ticket(key, learner), tuple(ids)


def for_learner(task: Task, ticket: Ticket) -> Task:
    """The task with this learner's draw in place of its recipes."""
    if not any(isinstance(value, Draw) for value in task.attributes.values()):
        return task
    attributes = {
        name: draw_text(value, task.assignment, ticket)
        if isinstance(value, Draw)
        else value
        for name, value in task.attributes.items()
    }
    return task.model_copy(update={"attributes": attributes})
