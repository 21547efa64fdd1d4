"""How pages call the ways of encrypting a connection."""

from workers.servers.target import TlsMode

TLS: dict[TlsMode, str] = {
    "off": "off: nothing is encrypted",
    "preferred": "preferred: encrypted where the server can, load is not",
    "required": "required: always encrypted, whatever its certificate says",
    "verify": "verified: always encrypted, and its certificate must match",
}


def mode_of(stored: str) -> TlsMode:
    return next(mode for mode in TLS if mode == stored)
