"""Signing a certificate, and checking one against the keys of a class.

Ed25519 (RFC 8032) by the `cryptography` library. The check asks one question after the
other and stops at the first that fails; each answer has its own sentence.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from npugrade.certificate.faults import sentence
from npugrade.certificate.keyring import KeyRing, PublicKey, key_id
from npugrade.certificate.record import Certificate, SignedCertificate


@dataclass(frozen=True)
class Answer:
    """What a check found: `key` is "good" or the first question that failed."""

    key: str
    facts: dict[str, Any]

    @property
    def good(self) -> bool:
        """Whether the certificate holds."""
        return self.key == "good"

    def text(self, language: str | None = None) -> str:
        """The sentence, in `language` or the one in force."""
        return sentence(self.key, language, **self.facts)


def sign(certificate: Certificate, private: Ed25519PrivateKey) -> SignedCertificate:
    """The certificate with the signature of `private`."""
    raw = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    signature = private.sign(certificate.signed_bytes())
    return SignedCertificate(
        certificate=certificate,
        key=key_id(raw),
        signature=base64.b64encode(signature).decode(),
    )


def check(signed: SignedCertificate, ring: KeyRing) -> Answer:
    """Whether a key of `ring` signed just this, in its term, and nothing was undone.

    The answer's key: good, other-course, unknown-key, tampered, revoked-key,
    outside-term or withdrawn.
    """
    certificate = signed.certificate
    facts = {
        "serial": certificate.serial,
        "name": certificate.name,
        "course": certificate.course,
        "ring": ring.course,
        "day": certificate.issued_on,
        "key": signed.key,
    }
    if certificate.course != ring.course:
        return Answer("other-course", facts)
    public = ring.find(signed.key)
    if public is None:
        return Answer("unknown-key", facts)
    for name, fails in _QUESTIONS:
        found = fails(signed, ring, public)
        if found is not None:
            return Answer(name, facts | found)
    return Answer("good", facts)


# A question: what is wrong, as facts for its sentence; None if nothing is.
Found = dict[str, Any] | None
Question = Callable[[SignedCertificate, KeyRing, PublicKey], Found]


def _tampered(signed: SignedCertificate, _: KeyRing, key: PublicKey) -> Found:
    signature = base64.b64decode(signed.signature)
    try:
        key.key().verify(signature, signed.certificate.signed_bytes())
    except InvalidSignature:
        return {}
    return None


def _revoked(_: SignedCertificate, __: KeyRing, key: PublicKey) -> Found:
    row = key.revoked
    return None if row is None else {"on": row.on, "why": row.why}


def _outside(signed: SignedCertificate, _: KeyRing, key: PublicKey) -> Found:
    if key.signed_on(date.fromisoformat(signed.certificate.issued_on)):
        return None
    return {"since": key.since, "until": key.until or "…"}


def _withdrawn(signed: SignedCertificate, ring: KeyRing, _: PublicKey) -> Found:
    row = ring.withdrawal(signed.certificate)
    return None if row is None else {"on": row.on, "why": row.why}


_QUESTIONS: tuple[tuple[str, Question], ...] = (
    ("tampered", _tampered),
    ("revoked-key", _revoked),
    ("outside-term", _outside),
    ("withdrawn", _withdrawn),
)
