"""How pages call the ways of encrypting a connection."""

TLS: dict[str, str] = {
    "off": "off: nothing is encrypted",
    "preferred": "preferred: encrypted where the server can, load is not",
    "required": "required: always encrypted, whatever its certificate says",
    "verify": "verified: always encrypted, and its certificate must match",
}
