"""The certificate or key of a server that a person has confirmed, as ssh does it with a host key.

Without it, a machine in the server's place could read the password under an encryption of its own.
"""

import re
from hashlib import sha256
from socket import socket
from ssl import CERT_NONE, PROTOCOL_TLS_CLIENT, SSLContext, SSLSocket
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from workers.errors import AccessDenied
from workers.servers.target import Target

MOST_KEY_BYTES = 8192
RSA_BITS = range(1024, 16385)
NOT_SENT = "The password was not sent."


def fingerprint(der: bytes) -> str:
    """SHA-256 as openssl prints it: `AB:CD:...`; "" of nothing."""
    return sha256(der).digest().hex(":").upper() if der else ""


def key_fingerprint(pem: str) -> str:
    """Of a key as `public_key` returns it; "" of nothing."""
    if not pem:
        return ""
    loaded = serialization.load_pem_public_key(pem.encode())
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return fingerprint(loaded.public_bytes(serialization.Encoding.DER, form))


def public_key(sent: bytes) -> str:
    """The RSA key that a server sent, as PEM; "" if it is none."""
    if len(sent) > MOST_KEY_BYTES:
        return ""
    try:
        key = serialization.load_pem_public_key(sent)
    except ValueError:
        return ""
    if not isinstance(key, RSAPublicKey) or key.key_size not in RSA_BITS:
        return ""
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_bytes(serialization.Encoding.PEM, form).decode()


def needs_pin(target: Target) -> bool:
    """Whether nothing but a pin can prove who answers."""
    return not target.socket and target.tls != "verify"


def proven(target: Target) -> bool:
    """Whether every connection proves who answers before the password is sent."""
    return not needs_pin(target) or (target.tls != "off" and bool(target.certificate_pin))


class PinnedContext(SSLContext):
    """Checks no authority, but the pin, before a byte of the login is sent."""

    _target: Target

    def __new__(cls, target: Target) -> "PinnedContext":
        made = super().__new__(cls, PROTOCOL_TLS_CLIENT)
        made._target = target
        made.check_hostname = False
        made.verify_mode = CERT_NONE
        return made

    def wrap_socket(self, sock: socket, *args: Any, **options: Any) -> SSLSocket:
        wrapped = super().wrap_socket(sock, *args, **options)
        shown = fingerprint(wrapped.getpeercert(binary_form=True) or b"")
        if shown != self._target.certificate_pin:
            wrapped.close()
            raise changed(self._target, "certificate", self._target.certificate_pin, shown)
        return wrapped


def changed(target: Target, what: str, confirmed: str, shown: str) -> AccessDenied:
    return AccessDenied(
        f"{target.where} shows another {what} than the one that was confirmed. Confirmed: SHA-256 {confirmed}. Shown: "
        f"SHA-256 {shown or 'none'}. {NOT_SENT}",
        f"If the server has a new {what}, confirm it on its page, or with manage.py server pin {_quoted(target.name)}. "
        "If it has none, something else answers at this address.",
    )


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"[\w.-]+", name) else f'"{name}"'
