"""The key pair of a class: Ed25519, in PEM files that only their owner can read.

The class signs with it what must be checkable later without its gradebook.
"""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)


def new_key_pair() -> tuple[bytes, bytes]:
    """A fresh private key (PKCS 8) and its public key, both as PEM text."""
    private = Ed25519PrivateKey.generate()
    return (
        private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        private.public_key().public_bytes(
            Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
        ),
    )
