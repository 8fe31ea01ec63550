"""Signatures: any changed field is found, keys rotate, keys and serials are undone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest

from npugrade.certificate.faults import CertificateError
from npugrade.certificate.issuing import load_ring, private_key, rotate, sign_for
from npugrade.certificate.keyring import KeyRing, read_ring
from npugrade.certificate.record import SignedCertificate, read_signed
from npugrade.certificate.signing import check, sign

from .samples import COURSE, DAY, new_keys, signed

OTHER = {
    "course": "npu102",
    "examination": "k2-other",
    "learner": "eve",
    "name": "Eve",
    "grade": "distinction",
    "points": "99",
    "of": "90",
    "language": "zh",
    "issued_on": "2026-03-10",
    "id": "k2-a3",
    "title": "Something else",
}


@pytest.fixture
def keys(tmp_path):
    return new_keys(tmp_path / "keys")


def ring_of(keys) -> KeyRing:
    return load_ring(keys, COURSE, DAY)


def changed(content: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """`content` once for each leaf, with that leaf changed to something in its form."""
    items = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in items:
        if isinstance(value, dict | list):
            inner = changed(value, f"{place}/{key}")
            made = [(where, {key: other}) for where, other in inner]
        elif key in OTHER:
            made = [(f"{place}/{key}", {key: OTHER[key]})]
        else:
            made = []  # format: only 1 is in the form
        for where, change in made:
            if isinstance(content, dict):
                yield where, {**content, **change}
            else:
                yield where, [change.get(i, old) for i, old in enumerate(content)]


def test_an_untouched_certificate_is_good(keys):
    answer = check(signed(keys), ring_of(keys))
    assert answer.good
    assert "Ada Lovelace" in answer.text("en") and "有效" in answer.text("zh")


def test_every_changed_field_is_found(keys):
    made = signed(keys)
    content = json.loads(made.to_json())
    fields = dict(changed(content["certificate"]))
    assert len(fields) == 9 + 2 * 4  # of the record, and of each of its two tasks
    for place, other in fields.items():
        text = json.dumps({**content, "certificate": other})
        answer = check(read_signed(text), ring_of(keys))
        assert answer.key in ("tampered", "other-course"), place


def test_a_task_less_or_in_another_order_is_found(keys):
    content = json.loads(signed(keys).to_json())
    for tasks in (content["certificate"]["tasks"][:1], [], None):
        record = dict(content["certificate"])
        record["tasks"] = tasks if tasks is not None else record["tasks"][::-1]
        text = json.dumps({**content, "certificate": record})
        assert check(read_signed(text), ring_of(keys)).key == "tampered"


def test_a_signature_of_another_certificate_or_key_is_found(keys, tmp_path):
    mine, theirs = signed(keys), signed(keys, "Eve")
    stolen = mine.model_copy(update={"signature": theirs.signature})
    assert check(stolen, ring_of(keys)).key == "tampered"
    own = new_keys(tmp_path / "own")
    forged = sign(mine.certificate, private_key(own))
    assert check(forged, ring_of(keys)).key == "unknown-key"
    renamed = forged.model_copy(update={"key": mine.key})
    assert check(renamed, ring_of(keys)).key == "tampered"


def test_after_a_rotation_old_and_new_certificates_hold(keys):
    old, later = signed(keys), DAY + timedelta(days=40)
    ring = rotate(keys, COURSE, later)
    new = signed(keys, day=later)
    assert new.key != old.key
    assert check(old, ring).good and check(new, ring).good
    assert ring_of(keys) == ring
    kept = sorted(path.name for path in keys.glob("private-*.pem"))
    assert kept == [f"private-{old.key}.pem"]


def test_a_retired_key_signs_nothing_after_its_term(keys):
    old_key = private_key(keys)
    ring = rotate(keys, COURSE, DAY)
    late = signed(keys, day=DAY + timedelta(days=1)).certificate
    assert check(sign(late, old_key), ring).key == "outside-term"


def test_a_revoked_key_proves_nothing(keys):
    made = signed(keys)
    ring = ring_of(keys).with_revocation(made.key, date(2026, 5, 1), "stolen laptop")
    answer = check(made, ring)
    assert answer.key == "revoked-key"
    assert "stolen laptop" in answer.text("en")
    with pytest.raises(CertificateError, match=made.key):
        ring.with_revocation("0" * 16, DAY, "why")


def test_a_withdrawn_certificate_is_named_and_the_others_hold(keys):
    made, other = signed(keys), signed(keys, "Grace Hopper")
    serial = made.certificate.serial
    ring = ring_of(keys).with_withdrawal(serial, DAY, "issued by mistake")
    assert check(made, ring).key == "withdrawn"
    assert check(other, ring).good


def test_only_the_newest_key_signs(keys, tmp_path):
    record = signed(keys).certificate
    other = new_keys(tmp_path / "other")
    (keys / "private.pem").write_bytes((other / "private.pem").read_bytes())
    with pytest.raises(CertificateError, match="not the newest"):
        sign_for(keys, record)
    (keys / "private.pem").write_text("nothing")
    with pytest.raises(CertificateError, match="private"):
        sign_for(keys, record)


@pytest.mark.parametrize(
    "change, named",
    [
        (lambda it: it["keys"][0].update(id="0" * 16), "keys.0"),
        (lambda it: it["keys"].append(it["keys"][0]), "twice"),
        (lambda it: it["keys"][0].pop("since"), "keys.0.since"),
        (lambda it: it.update(format=2), "format"),
        (lambda it: it.update(extra=2), "extra"),
    ],
)
def test_a_damaged_ring_is_refused_by_place(keys, change, named):
    content = json.loads(ring_of(keys).to_json())
    change(content)
    with pytest.raises(CertificateError, match=named):
        read_ring(json.dumps(content))


def test_signing_twice_gives_the_same_file(keys):
    first, second = signed(keys), signed(keys)
    assert isinstance(first, SignedCertificate)
    assert first.to_json() == second.to_json()
