"""The certificate as a page: PDF, A4 across, in the learner's language, with a QR code.

The QR code holds the whole signed record, so the paper can be checked without the file.
The same record gives the same bytes: the PDF's date is the day of issue. Lengths are in
millimetres, font sizes in points.
"""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path

import segno
from fpdf import FPDF
from fpdf.enums import Align, XPos, YPos

from npugrade.certificate.fonts import FontFace, face_for
from npugrade.certificate.record import Certificate, SignedCertificate

MARGIN_MM = 22
QR_MM = 58
INK, QUIET, ACCENT = (28, 32, 40), (96, 104, 116), (176, 40, 32)


def pdf_of(signed: SignedCertificate, font: Path | None = None) -> bytes:
    """The page of a certificate; CertificateError if no font shows its letters."""
    certificate = signed.certificate
    page = FPDF(orientation="landscape", format="A4")
    page.set_creation_date(_day(certificate))
    page.set_title(f"{_say(certificate, 'title')} {certificate.serial}")
    page.set_auto_page_break(False)
    _add_font(page, face_for(_letters(signed), font))
    page.add_page()
    _frame(page)
    _head(page, certificate)
    _tasks(page, certificate)
    _foot(page, signed)
    return bytes(page.output())


def _letters(signed: SignedCertificate) -> str:
    """Every letter that the page may show."""
    certificate = signed.certificate
    words = (row[certificate.language] for row in _words().values())
    return "".join([signed.to_json(), *words])


def _add_font(page: FPDF, face: FontFace) -> None:
    page.add_font("text", fname=face.path, collection_font_number=face.number)


def _frame(page: FPDF) -> None:
    page.set_draw_color(*ACCENT)
    page.set_line_width(0.8)
    inset = MARGIN_MM / 2
    page.rect(inset, inset, page.w - 2 * inset, page.h - 2 * inset)


def _head(page: FPDF, certificate: Certificate) -> None:
    page.set_xy(MARGIN_MM, MARGIN_MM)
    facts = certificate.model_dump()
    facts["grade"] = _say(certificate, certificate.grade)
    _line(page, _say(certificate, "title"), 34, ACCENT, 18)
    _line(page, _say(certificate, "course", **facts), 13, QUIET, 14)
    _line(page, _say(certificate, "holder"), 13, INK, 10)
    _line(page, certificate.name, _fitting(page, certificate.name, 28), INK, 17)
    _paragraph(page, _say(certificate, "passed", **facts), 13, INK, page.w - 44)


def _tasks(page: FPDF, certificate: Certificate) -> None:
    page.ln(4)
    for task in certificate.tasks:
        page.set_x(MARGIN_MM)
        page.set_font("text", size=11)
        page.set_text_color(*INK)
        page.cell(w=110, h=7, text=f"{task.id}   {task.title}")
        page.cell(w=40, h=7, text=f"{task.points} / {task.of}", align=Align.R)
        page.ln(7)


def _foot(page: FPDF, signed: SignedCertificate) -> None:
    certificate = signed.certificate
    top = page.h - MARGIN_MM - QR_MM
    left = page.w - MARGIN_MM - QR_MM
    page.image(_code(signed), x=left, y=top, w=QR_MM, h=QR_MM)
    page.set_xy(MARGIN_MM, top + QR_MM - 34)
    serial = _say(certificate, "serial", serial=certificate.serial, key=signed.key)
    _line(page, _say(certificate, "issued", day=certificate.issued_on), 12, INK, 7)
    _line(page, serial, 10, INK, 8)
    width = left - MARGIN_MM - 8
    for key in ("check", "independent"):
        _paragraph(page, _say(certificate, key), 9, QUIET, width)


def _line(
    page: FPDF, text: str, points: float, ink: tuple[int, int, int], high_mm: float
) -> None:
    page.set_x(MARGIN_MM)
    page.set_font("text", size=points)
    page.set_text_color(*ink)
    page.cell(h=high_mm, text=text, new_x=XPos.LMARGIN, new_y=YPos.NEXT)


def _paragraph(
    page: FPDF, text: str, points: float, ink: tuple[int, int, int], wide_mm: float
) -> None:
    page.set_x(MARGIN_MM)
    page.set_font("text", size=points)
    page.set_text_color(*ink)
    high_mm = points * 0.5
    page.multi_cell(w=wide_mm, h=high_mm, text=text, new_x=XPos.LMARGIN, align=Align.L)


def _fitting(page: FPDF, text: str, points: float) -> float:
    """The size at which `text` fits between the margins: `points` or less."""
    page.set_font("text", size=points)
    room_mm = page.w - 2 * MARGIN_MM
    return points * min(1.0, room_mm / page.get_string_width(text))


def _code(signed: SignedCertificate) -> BytesIO:
    image = BytesIO()
    segno.make(signed.to_qr(), error="m", micro=False).save(image, kind="png", scale=6)
    return image


def _day(certificate: Certificate) -> datetime:
    return datetime.fromisoformat(certificate.issued_on).replace(tzinfo=UTC)


def _say(certificate: Certificate, key: str, /, **facts: object) -> str:
    return _words()[key][certificate.language].format(**facts)


@cache
def _words() -> dict[str, dict[str, str]]:
    text = (files(__package__) / "words.toml").read_text("utf-8")
    return tomllib.loads(text)
