"""The PDF: same record, same bytes; letters that no font shows are named."""

from __future__ import annotations

import pytest
from fontTools.ttLib import TTFont
from fpdf import FPDF

from npugrade.certificate import document, fonts
from npugrade.certificate.document import pdf_of
from npugrade.certificate.faults import CertificateError

from .samples import new_keys, signed


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    return new_keys(tmp_path_factory.mktemp("class") / "keys")


def test_the_same_record_gives_the_same_bytes(keys):
    made = signed(keys)
    assert pdf_of(made) == pdf_of(made)
    assert pdf_of(made).startswith(b"%PDF-")
    assert pdf_of(made) != pdf_of(signed(keys, "Grace Hopper"))


def test_the_longest_name_stays_between_the_margins():
    page = FPDF(orientation="landscape", format="A4")
    document._add_font(page, fonts.face_for("W"))
    name = "W" * 80
    page.set_font("text", size=document._fitting(page, name, 28))
    room_mm = page.w - 2 * document.MARGIN_MM
    assert 0.95 * room_mm < page.get_string_width(name) <= room_mm + 1e-6


def test_letters_without_a_font_are_named(keys, monkeypatch):
    monkeypatch.setattr(fonts, "_chinese", lambda: ())
    assert pdf_of(signed(keys, "Ægir Þórsson Ωmega Жуков"))  # DejaVu has them
    with pytest.raises(CertificateError, match="彤"):
        pdf_of(signed(keys, "晓彤"))


def test_a_given_file_must_be_a_font(keys, tmp_path):
    with pytest.raises(CertificateError, match=r"none\.ttf"):
        pdf_of(signed(keys), tmp_path / "none.ttf")
    text = tmp_path / "text.ttf"
    text.write_text("no font")
    with pytest.raises(CertificateError, match=r"text\.ttf"):
        pdf_of(signed(keys), text)


def test_the_face_found_shows_a_chinese_name():
    if not fonts._chinese():
        pytest.skip("no Chinese font here: apt-get install fonts-noto-cjk")
    face = fonts.face_for("欧阳晓彤")
    if face.path.suffix == ".ttc":
        font = TTFont(face.path, fontNumber=face.number)
        assert {ord(letter) for letter in "欧阳晓彤"} <= set(font.getBestCmap())
        assert font["name"].getBestFamilyName().endswith(" SC")
