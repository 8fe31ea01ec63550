"""The public keys of a class: terms, rotation, revocation, certificates taken back.

`keys/keys.json` is public: a copy of it stands on the course's site and inside the page
that checks certificates. A key signs from the day it was made until it is retired. A
retired key still proves the certificates of its term. A revoked key proves nothing any
more, because somebody else may hold it. A single certificate is taken back by its
serial. The file itself is not signed: who checks must take it from the course, not
from the learner.
"""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import date
from typing import Any, Literal

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from npugrade.certificate.faults import CertificateError
from npugrade.certificate.record import Certificate


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Revocation(_Row):
    """From which day on a key counts for nothing, and why."""

    on: date
    why: str = Field(min_length=1, max_length=200)


class PublicKey(_Row):
    """An Ed25519 public key (32 B, base64) and the days of its term."""

    id: str = Field(pattern=r"^[0-9a-f]{16}$")
    public: str = Field(pattern=r"^[A-Za-z0-9+/]{43}=$")
    since: date
    until: date | None = None  # the last day on which it signed
    revoked: Revocation | None = None

    @model_validator(mode="after")
    def _id_fits(self) -> PublicKey:
        if self.id != key_id(base64.b64decode(self.public)):
            raise ValueError("id is not the fingerprint of the public key")
        return self

    def signed_on(self, day: date) -> bool:
        """Whether a certificate of `day` lies in the term."""
        return self.since <= day and (self.until is None or day <= self.until)

    def key(self) -> Ed25519PublicKey:
        """The key as the library's object."""
        return Ed25519PublicKey.from_public_bytes(base64.b64decode(self.public))


class Withdrawal(_Row):
    """One certificate that was taken back, by its serial."""

    serial: str = Field(pattern=r"^[0-9a-f]{12}$")
    on: date
    why: str = Field(min_length=1, max_length=200)


class KeyRing(_Row):
    """What a checker needs of a class; the newest key is the last."""

    course: str
    format: Literal[1] = 1
    keys: tuple[PublicKey, ...] = ()
    withdrawn: tuple[Withdrawal, ...] = ()

    @model_validator(mode="after")
    def _each_once(self) -> KeyRing:
        for what, names in (
            ("key", [key.id for key in self.keys]),
            ("serial", [row.serial for row in self.withdrawn]),
        ):
            if len(set(names)) != len(names):
                raise ValueError(f"a {what} stands twice")
        return self

    def find(self, id_: str) -> PublicKey | None:
        """The key of this id, if the ring has it."""
        return next((key for key in self.keys if key.id == id_), None)

    def withdrawal(self, certificate: Certificate) -> Withdrawal | None:
        """Why and when this certificate was taken back, if it was."""
        serial = certificate.serial
        return next((row for row in self.withdrawn if row.serial == serial), None)

    def with_key(self, public: bytes, day: date) -> KeyRing:
        """The ring with a new key; the last one is retired on the same day."""
        kept = tuple(self._retired(key, day) for key in self.keys)
        row = {"id": key_id(public), "public": _text(public), "since": day}
        return self._with(keys=(*kept, PublicKey.model_validate(row)))

    def with_revocation(self, id_: str, day: date, why: str) -> KeyRing:
        """The ring with one key revoked; CertificateError if there is no such key."""
        if self.find(id_) is None:
            known = ", ".join(key.id for key in self.keys) or "–"
            raise CertificateError("no-such-key", key=id_, known=known)
        keys = [
            key.model_copy(update={"revoked": Revocation(on=day, why=why)})
            if key.id == id_
            else key
            for key in self.keys
        ]
        return self._with(keys=tuple(keys))

    def with_withdrawal(self, serial: str, day: date, why: str) -> KeyRing:
        """The ring with one certificate taken back."""
        row = Withdrawal(serial=serial, on=day, why=why)
        others = (kept for kept in self.withdrawn if kept.serial != serial)
        return self._with(withdrawn=(*others, row))

    def to_json(self) -> str:
        """The public file."""
        return json.dumps(self.model_dump(mode="json"), indent=2) + "\n"

    def _with(self, **fields: Any) -> KeyRing:
        kept = {name: getattr(self, name) for name in type(self).model_fields}
        return KeyRing.model_validate(kept | fields)

    @staticmethod
    def _retired(key: PublicKey, day: date) -> PublicKey:
        return key if key.until else key.model_copy(update={"until": day})


def read_ring(text: str, place: object = "keys.json") -> KeyRing:
    """A ring from the text of its file; CertificateError names place and fault."""
    try:
        return KeyRing.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "file"
        facts = {"path": place, "place": where, "why": first["msg"]}
        raise CertificateError("bad-ring", **facts) from None


def key_id(public: bytes) -> str:
    """The name of a key: sixteen hexadecimal digits of SHA-256 over its 32 bytes."""
    return hashlib.sha256(public).hexdigest()[:16]


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()
