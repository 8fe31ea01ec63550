"""From points in the gradebook to certificates; and the keys of the class on disk.

`keys/private.pem` signs, `keys/keys.json` tells the world. Pass, merit and distinction
begin at the parts of the full points in `grades.toml`.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import cast

from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from npugrade.certificate.faults import CertificateError
from npugrade.certificate.keyring import KeyRing, key_id, read_ring
from npugrade.certificate.record import Certificate, SignedCertificate, new_certificate
from npugrade.certificate.signing import sign
from npugrade.classroom.keys import new_key_pair

RING = "keys.json"
PRIVATE, PUBLIC = "private.pem", "public.pem"


@dataclass(frozen=True)
class TaskPoints:
    """Points of one task, and its title in the learner's language."""

    id: str
    title: str
    points: float
    of: float


@dataclass(frozen=True)
class Result:
    """What one learner reached in an examination, as the gradebook has it."""

    learner: str
    name: str
    points: float
    of: float
    tasks: tuple[TaskPoints, ...]


def certificate_of(
    result: Result, course: str, examination: str, day: date, language: str
) -> Certificate:
    """The certificate of a result; CertificateError if it is none."""
    grade = grade_of(result.points, result.of)
    if grade is None:
        raise CertificateError(
            "no-pass",
            student=result.learner,
            examination=examination,
            points=decimal_text(result.points),
            of=decimal_text(result.of),
            needed=_grades()["pass"],
        )
    return new_certificate(
        {
            "course": course,
            "examination": examination,
            "learner": result.learner,
            "name": result.name,
            "grade": grade,
            "points": decimal_text(result.points),
            "of": decimal_text(result.of),
            "tasks": [
                {
                    "id": task.id,
                    "title": task.title,
                    "points": decimal_text(task.points),
                    "of": decimal_text(task.of),
                }
                for task in result.tasks
            ],
            "language": language,
            "issued_on": day.isoformat(),
        }
    )


def grade_of(points: float, of: float) -> str | None:
    """The highest grade whose part of the full points is reached, or None."""
    reached = 100 * Decimal(str(points)) / Decimal(str(of)) if of > 0 else Decimal(0)
    names = sorted(_grades(), key=lambda name: -_grades()[name])
    return next((name for name in names if reached >= _grades()[name]), None)


def decimal_text(points: float) -> str:
    """Points as text with at most two decimals: 82.5, 60, 33.33."""
    cents = Decimal(str(points)).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return f"{cents:f}".rstrip("0").rstrip(".")


def sign_for(keys: Path, certificate: Certificate) -> SignedCertificate:
    """Signed with the class' private key, which must be the newest of the ring."""
    private = private_key(keys)
    id_ = key_id(_raw(private.public_key()))
    ring = load_ring(
        keys, certificate.course, date.fromisoformat(certificate.issued_on)
    )
    if not ring.keys or ring.keys[-1].id != id_:
        path = keys / PRIVATE
        raise CertificateError("key-not-current", path=path, key=id_)
    return sign(certificate, private)


def private_key(keys: Path) -> Ed25519PrivateKey:
    """The signing key; CertificateError if it is missing or of another kind."""
    try:
        key = load_pem_private_key((keys / PRIVATE).read_bytes(), None)
    except (OSError, ValueError, TypeError):
        raise CertificateError("no-private-key", path=keys / PRIVATE) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise CertificateError("no-private-key", path=keys / PRIVATE)
    return key


def load_ring(keys: Path, course: str, day: date) -> KeyRing:
    """The ring on disk, or one made of `public.pem` from `day` on."""
    path = keys / RING
    if path.exists():
        return read_ring(path.read_text("utf-8"), path)
    public = cast(Ed25519PublicKey, load_pem_public_key((keys / PUBLIC).read_bytes()))
    ring = KeyRing(course=course).with_key(_raw(public), day)
    save_ring(keys, ring)
    return ring


def save_ring(keys: Path, ring: KeyRing) -> Path:
    """Write the public file in one step; a half file never stands there."""
    path, new = keys / RING, keys / (RING + ".new")
    new.write_text(ring.to_json(), "utf-8")
    new.chmod(0o644)
    os.replace(new, path)
    return path


def rotate(keys: Path, course: str, day: date) -> KeyRing:
    """A new key pair for the class; the old private key is kept under its id.

    The old key stays in the ring, retired on `day`: its certificates go on to hold.
    """
    ring = load_ring(keys, course, day)
    private, public = new_key_pair()
    loaded = cast(Ed25519PublicKey, load_pem_public_key(public))
    old = ring.keys[-1].id if ring.keys else "first"
    for name, content in ((PRIVATE, private), (PUBLIC, public)):
        path = keys / name
        if path.exists():
            os.replace(path, keys / f"{path.stem}-{old}.pem")
        _write_private(path, content)
    new_ring = ring.with_key(_raw(loaded), day)
    save_ring(keys, new_ring)
    return new_ring


def _write_private(path: Path, content: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)


def _raw(public: Ed25519PublicKey) -> bytes:
    return public.public_bytes(Encoding.Raw, PublicFormat.Raw)


@cache
def _grades() -> dict[str, int]:
    text = (files(__package__) / "grades.toml").read_text("utf-8")
    return tomllib.loads(text)["percent"]
