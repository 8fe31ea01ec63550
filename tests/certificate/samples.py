"""A class' key folder and a signed certificate, for these tests."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from npugrade.certificate.issuing import (
    Result,
    TaskPoints,
    certificate_of,
    sign_for,
)
from npugrade.certificate.record import SignedCertificate
from npugrade.classroom.keys import new_key_pair

COURSE = "npu101"
EXAMINATION = "k2-mock-exam"
DAY = date(2026, 3, 9)


def new_keys(folder: Path) -> Path:
    """The key folder of a class, as `npucamp class new` makes it."""
    folder.mkdir()
    private, public = new_key_pair()
    (folder / "private.pem").write_bytes(private)
    (folder / "public.pem").write_bytes(public)
    return folder


def result(name: str = "Ada Lovelace", points: float = 84.5) -> Result:
    """A result with two tasks."""
    tasks = (
        TaskPoints("k2-a5", "Selu and Celu", points / 2, 50.0),
        TaskPoints("k2-b4", "Sum of rows", points / 2, 50.0),
    )
    return Result("ada", name, points, 100.0, tasks)


def signed(
    keys: Path, name: str = "Ada Lovelace", day: date = DAY
) -> SignedCertificate:
    """A certificate that the class of `keys` signed."""
    language = "zh" if any("一" <= letter <= "鿿" for letter in name) else "en"
    record = certificate_of(result(name), COURSE, EXAMINATION, day, language)
    return sign_for(keys, record)
