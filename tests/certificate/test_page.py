"""The page that checks certificates, in a browser, opened as a file."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from npucamp.build.browser import chromium
from npugrade.certificate.issuing import load_ring, private_key, rotate
from npugrade.certificate.page import verification_page
from npugrade.certificate.record import SignedCertificate
from npugrade.certificate.signing import check, sign

from .samples import COURSE, DAY, new_keys, signed

pytestmark = [pytest.mark.browser, pytest.mark.slow]


class Case:
    """A class after a rotation, with certificates for every answer."""

    def __init__(self, folder):
        keys = new_keys(folder / "keys")
        load_ring(keys, COURSE, DAY)
        self.withdrawn = signed(keys, "Withdrawn </script> & Co")
        self.old, first = signed(keys, "欧阳晓彤"), private_key(keys)
        late = signed(keys, day=DAY + timedelta(days=90)).certificate
        self.late = sign(late, first)
        middle = rotate(keys, COURSE, DAY + timedelta(days=1))
        self.revoked = signed(keys, day=DAY + timedelta(days=2))
        rotate(keys, COURSE, DAY + timedelta(days=3))
        self.new = signed(keys, day=DAY + timedelta(days=4))
        serial = self.withdrawn.certificate.serial
        self.ring = (
            load_ring(keys, COURSE, DAY)
            .with_withdrawal(serial, DAY, "by mistake")
            .with_revocation(middle.keys[-1].id, DAY, "lost")
        )
        self.stranger = signed(new_keys(folder / "other"))

    def texts(self) -> dict[str, str]:
        """What is pasted, by a name for the case."""
        changed = json.loads(self.new.to_json())
        changed["certificate"]["tasks"][1]["points"] = "50"
        return {
            "old": self.old.to_json(),
            "old, from its QR code": self.old.to_qr(),
            "new": self.new.to_json(),
            "changed": json.dumps(changed),
            "late": self.late.to_json(),
            "revoked": self.revoked.to_json(),
            "withdrawn": self.withdrawn.to_qr(),
            "stranger": self.stranger.to_json(),
        }


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    return Case(tmp_path_factory.mktemp("class"))


@pytest.fixture(scope="module")
def window(tmp_path_factory, case):
    folder = tmp_path_factory.mktemp("page")
    page = folder / "verify.html"
    page.write_text(verification_page(case.ring), "utf-8")
    with chromium(folder / "profile", 1000, 1000) as window:
        window.get(page.as_uri())
        yield window


def paste(window, text: str) -> tuple[str, str]:
    """The answer's key and text after a click on the button."""
    window.execute_script(
        "document.getElementById('answer').dataset.key = '';"
        "document.getElementById('text').value = arguments[0];",
        text,
    )
    window.find_element(By.ID, "check").click()
    answer = window.find_element(By.ID, "answer")
    WebDriverWait(window, 20).until(lambda _: answer.get_attribute("data-key"))
    return answer.get_attribute("data-key"), answer.text


def test_page_and_command_give_the_same_answers(window, case):
    from npugrade.certificate.record import read_signed

    expected, shown = {}, {}
    for name, text in case.texts().items():
        expected[name] = check(read_signed(text), case.ring).key
        shown[name] = paste(window, text)[0]
    assert shown == expected
    assert set(expected.values()) == {
        "good",
        "tampered",
        "outside-term",
        "revoked-key",
        "withdrawn",
        "unknown-key",
    }


def test_a_good_one_shows_what_was_signed_in_both_languages(window, case):
    made: SignedCertificate = case.old
    _, text = paste(window, made.to_qr())
    for part in ("GOOD", "有效", "欧阳晓彤", made.certificate.serial, "84.5 / 100"):
        assert part in text


@pytest.mark.parametrize("text", ["", "hello", "NPUCAMP1:abcd", '{"key": "1"}', "null"])
def test_other_texts_are_no_certificate(window, text):
    key, said = paste(window, text)
    assert key == "not-json"
    assert "This is no certificate" in said


def test_a_file_is_read_as_well(window, case, tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(case.new.to_json(), "utf-8")
    answer = window.find_element(By.ID, "answer")
    window.execute_script("arguments[0].dataset.key = ''", answer)
    window.find_element(By.ID, "file").send_keys(str(path))
    WebDriverWait(window, 20).until(lambda _: answer.get_attribute("data-key"))
    assert answer.get_attribute("data-key") == "good"
