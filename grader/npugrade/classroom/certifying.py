"""`npucamp certify`: from the gradebook of a class to files in a folder.

A student who cannot get a certificate is a complaint, and does not keep the others from
theirs. Each certificate is two files: the page (PDF) and the record (JSON).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from npugrade.certificate.document import pdf_of
from npugrade.certificate.faults import CertificateError
from npugrade.certificate.issuing import certificate_of, grade_of, sign_for
from npugrade.certificate.record import SignedCertificate
from npugrade.classroom.results import result_of, students_with
from npugrade.classroom.settings import GRADEBOOK, ClassSettings, load_settings

KEYS = "keys"


@dataclass(frozen=True)
class Order:
    """What to certify: an examination, for whom (nobody named: all who passed)."""

    examination: str
    students: tuple[str, ...]
    name: str | None  # on the certificate, in place of the gradebook's
    language: str | None
    to: Path
    font: Path | None


@dataclass
class Done:
    """The certificates that were written, and a sentence for each that was not."""

    issued: list[dict[str, Any]] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


def certify_students(root: Path, order: Order, day: date) -> Done:
    """Sign and write; CertificateError only for what concerns all (name, key)."""
    if order.name and len(order.students) != 1:
        raise CertificateError("one-name")
    settings, done = load_settings(root), Done()
    for student in _wanted(root, settings, order):
        try:
            done.issued += _certify(root, settings, order, student, day)
        except CertificateError as error:
            done.complaints.append(str(error))
    return done


def _wanted(root: Path, settings: ClassSettings, order: Order) -> tuple[str, ...]:
    everybody = students_with(root / GRADEBOOK, settings.course, order.examination)
    return order.students or tuple(everybody)


def _certify(
    root: Path, settings: ClassSettings, order: Order, student: str, day: date
) -> Iterator[dict[str, Any]]:
    language = order.language or ("zh" if settings.language == "zh" else "en")
    book, course = root / GRADEBOOK, settings.course
    result = result_of(book, course, order.examination, student, language)
    if not order.students and grade_of(result.points, result.of) is None:
        return
    result = replace(result, name=order.name or result.name)
    if not result.name:
        raise CertificateError("name-missing", student=student)
    record = certificate_of(result, course, order.examination, day, language)
    signed = sign_for(root / KEYS, record)
    path = _write(order.to, signed, order.font)
    yield {"student": student, "path": path, **signed.certificate.model_dump()}


def _write(folder: Path, signed: SignedCertificate, font: Path | None) -> Path:
    page = pdf_of(signed, font)  # first: a missing font leaves no half certificate
    folder.mkdir(parents=True, exist_ok=True)
    learner = re.sub(r"[^\w-]", "_", signed.certificate.learner)
    path = folder / f"{learner}-{signed.certificate.serial}.pdf"
    path.write_bytes(page)
    path.with_suffix(".json").write_text(signed.to_json(), "utf-8")
    return path
