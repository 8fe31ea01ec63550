"""The record: the same text back from file and QR code, and nothing else accepted."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npugrade.certificate.faults import CertificateError
from npugrade.certificate.issuing import certificate_of, decimal_text, grade_of
from npugrade.certificate.record import QR_PREFIX, read_signed

from .samples import COURSE, DAY, EXAMINATION, new_keys, result, signed

_LETTERS = st.characters(exclude_categories=("C", "Z"))
NAMES = st.text(_LETTERS, min_size=1, max_size=40).map(
    lambda text: unicodedata.normalize("NFC", text)[:80]
)


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    return new_keys(tmp_path_factory.mktemp("class") / "keys")


@given(name=NAMES)
def test_file_and_qr_code_give_the_record_back(keys, name):
    made = signed(keys, name)
    assert read_signed(made.to_json()) == made
    assert read_signed(made.to_qr()) == made


def test_the_qr_code_fits_a_code_that_telephones_read(keys):
    import segno

    code = segno.make(signed(keys, "名" * 80).to_qr(), error="m", micro=False)
    assert code.version <= 25  # 117 modules a side; 58 mm print them at 0.5 mm


@pytest.mark.parametrize(
    "change, named",
    [
        (lambda it: it["certificate"].update(points="84.555"), "points"),
        (lambda it: it["certificate"].update(points=84.5), "points"),
        (lambda it: it["certificate"].update(grade="excellent"), "grade"),
        (lambda it: it["certificate"].update(issued_on="2026-02-30"), "issued_on"),
        (lambda it: it["certificate"].update(name="Ada\u202elove"), "name"),
        (lambda it: it["certificate"].update(more=1), "more"),
        (lambda it: it.pop("signature"), "signature"),
        (lambda it: it.update(key="0"), "key"),
    ],
)
def test_what_is_not_in_the_form_is_refused_by_name(keys, change, named):
    content = json.loads(signed(keys).to_json())
    change(content)
    with pytest.raises(CertificateError, match=named):
        read_signed(json.dumps(content))


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"key": 1, "key": 2}', "[" * 9000, "x" * 20_000]
    + [QR_PREFIX, QR_PREFIX + "abcd", QR_PREFIX + "%%"],
)
def test_other_texts_are_refused_with_a_sentence(text):
    with pytest.raises(CertificateError):
        read_signed(text)


def test_a_name_that_stands_twice_is_refused(keys):
    text = signed(keys).to_json().replace('"grade"', '"grade": "pass", "grade"')
    with pytest.raises(CertificateError, match="twice"):
        read_signed(text)


@pytest.mark.parametrize(
    "points, grade",
    [(59.99, None), (60, "pass"), (74.9, "pass"), (75, "merit"), (90, "distinction")],
)
def test_grades_begin_at_their_part_of_the_points(points, grade):
    assert grade_of(points, 100.0) == grade
    assert grade_of(points / 10, 10.0) == grade


def test_too_few_points_are_no_certificate():
    with pytest.raises(CertificateError, match="59 of 100"):
        certificate_of(result(points=59.0), COURSE, EXAMINATION, DAY, "en")


@pytest.mark.parametrize(
    "points, text", [(82.5, "82.5"), (60, "60"), (100 / 3, "33.33"), (0, "0")]
)
def test_points_are_decimal_text(points, text):
    assert decimal_text(float(points)) == text
