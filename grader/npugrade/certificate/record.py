"""What a certificate says, and the bytes that are signed.

The record has no floating-point number: points are decimal text ("82.5"), so that every
program writes the same bytes for the same record. These bytes are JSON in UTF-8 with
sorted keys and no spaces, behind a line that names the format: a signature made for
something else can never pass for one of a certificate.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import unicodedata
import zlib
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from npugrade.certificate.faults import CertificateError

PURPOSE = b"npucamp certificate 1\n"
QR_PREFIX = "NPUCAMP1:"
MAX_NBYTES = 16_384  # of a file or a QR text: a real one has about 700
_ID = r"^[a-z0-9]+(-[a-z0-9]+)*$"
_POINTS = r"^(0|[1-9]\d{0,3})(\.\d{1,2})?$"
Name = Annotated[str, Field(min_length=1, max_length=80)]
Points = Annotated[str, Field(pattern=_POINTS)]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class TaskResult(_Strict):
    """Points of one task, both as decimal text; its title in the learner's language."""

    id: str = Field(pattern=_ID, max_length=64)
    title: Name
    points: Points
    of: Points


class Certificate(_Strict):
    """One pass of one learner. `issued_on` is a day (ISO 8601) in the class' zone."""

    format: Literal[1] = 1
    course: str = Field(pattern=_ID, max_length=64)
    examination: str = Field(pattern=_ID, max_length=64)
    learner: str = Field(min_length=1, max_length=80)
    name: Name
    grade: Literal["pass", "merit", "distinction"]
    points: Points
    of: Points
    tasks: tuple[TaskResult, ...] = Field(max_length=20)
    language: Literal["en", "zh"]
    issued_on: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")

    @field_validator("tasks", mode="before")
    @classmethod
    def _from_list(cls, rows: Any) -> Any:
        return tuple(rows) if isinstance(rows, list) else rows

    @field_validator("issued_on")
    @classmethod
    def _is_a_day(cls, day: str) -> str:
        date.fromisoformat(day)
        return day

    @field_validator("learner", "name")
    @classmethod
    def _printable(cls, text: str) -> str:
        """No controls, no marks that turn the reading direction; composed letters."""
        if any(unicodedata.category(letter)[0] == "C" for letter in text):
            raise ValueError("holds characters that cannot be seen")
        if text != unicodedata.normalize("NFC", text).strip():
            raise ValueError("is not in composed form (NFC), or has outer spaces")
        return text

    @property
    def serial(self) -> str:
        """Twelve hexadecimal digits of SHA-256 over the signed bytes."""
        return hashlib.sha256(self.signed_bytes()).hexdigest()[:12]

    def signed_bytes(self) -> bytes:
        """The bytes under the signature."""
        return PURPOSE + compact(self.model_dump(mode="json"))


class SignedCertificate(_Strict):
    """A certificate with the id of the key and the signature (base64)."""

    certificate: Certificate
    key: str = Field(pattern=r"^[0-9a-f]{16}$")
    signature: str = Field(pattern=r"^[A-Za-z0-9+/]{86}==$")

    def to_json(self) -> str:
        """The file `<serial>.json`, for people to read."""
        whole = self.model_dump(mode="json")
        return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"

    def to_qr(self) -> str:
        """The text of the QR code: the same record, compressed."""
        packed = zlib.compress(compact(self.model_dump(mode="json")), 9)
        return QR_PREFIX + base64.urlsafe_b64encode(packed).decode()


def compact(value: Any) -> bytes:
    """JSON in UTF-8, keys sorted, no spaces."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode()


def new_certificate(fields: dict[str, Any]) -> Certificate:
    """A certificate of these fields; CertificateError names the one not in its form."""
    try:
        return Certificate.model_validate(fields)
    except ValidationError as error:
        raise _not_in_form(error) from None


def read_signed(text: str) -> SignedCertificate:
    """A certificate from the text of its file or QR code.

    CertificateError names what is not in its form; whether the signature holds is the
    matter of `signing.check`.
    """
    if len(text) > MAX_NBYTES:
        raise CertificateError("too-long", limit=MAX_NBYTES)
    text = text.strip()
    content = _unpack(text) if text.startswith(QR_PREFIX) else text.encode()
    try:
        value = json.loads(content, object_pairs_hook=_no_name_twice)
        return SignedCertificate.model_validate(value)
    except ValidationError as error:
        raise _not_in_form(error) from None
    except (ValueError, RecursionError) as error:
        raise CertificateError("not-json", why=error) from None


def _not_in_form(error: ValidationError) -> CertificateError:
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"])) or "certificate"
    return CertificateError("not-in-form", place=place, why=first["msg"])


def _unpack(text: str) -> bytes:
    try:
        packed = base64.urlsafe_b64decode(text.removeprefix(QR_PREFIX))
        return zlib.decompressobj().decompress(packed, MAX_NBYTES)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise CertificateError("not-qr", why=error) from None


def _no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Readers differ in which of two equal names counts; so there may be one only."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in an object")
    return found
