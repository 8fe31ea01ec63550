"""One HTML file that checks certificates in a browser, without a network or a server.

The keys of the class stand inside the file. The signature is checked by the browser's
own Ed25519 (Web Crypto); a browser without it says so. The questions and their order
are those of `signing.check`, their sentences the same catalogue.
"""

from __future__ import annotations

import json
from importlib.resources import files

from npugrade.certificate.faults import catalogue
from npugrade.certificate.keyring import KeyRing
from npugrade.certificate.record import PURPOSE, QR_PREFIX

SHOWN = (
    "good",
    "other-course",
    "unknown-key",
    "tampered",
    "revoked-key",
    "outside-term",
    "withdrawn",
    "not-json",
)


def verification_page(ring: KeyRing) -> str:
    """The page for a class, as text of an HTML file."""
    data = {
        "ring": ring.model_dump(mode="json"),
        "purpose": PURPOSE.decode(),
        "prefix": QR_PREFIX,
        "sentences": {key: catalogue()[key] for key in SHOWN},
    }
    template = (files(__package__) / "page.html").read_text("utf-8")
    return template.replace("__DATA__", _inside_script(data))


def _inside_script(data: object) -> str:
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(data, ensure_ascii=False, sort_keys=True)
    return text.replace("<", "\\u003c")
