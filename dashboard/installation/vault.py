"""Encryption of stored passwords: Fernet (AES-128-CBC + HMAC) with its own keys, separate from SECRET_KEY.

The key file (`password_keys` in the home, or DURASCOPE_PASSWORD_KEYS) has one key a line, newest first. The first key
encrypts, all keys decrypt. `manage.py rotatekeys` adds a key, encrypts everything again and deletes the old keys. Keys
are read at each use, so a rotation of the file needs no restart.

Call `seal` in the transaction that stores the result. A rotation takes the database's write lock. So a password with an
old key is either stored before the rotation reads it, or encrypted with the new key.
"""

import os
from pathlib import Path
from tempfile import NamedTemporaryFile

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from dashboard.installation.home import home, secret
from workers.errors import DurascopeError

NAME = "password_keys"
ENVIRONMENT = "DURASCOPE_PASSWORD_KEYS"


class KeyMissing(DurascopeError):
    """A password cannot be decrypted or encrypted: the key is missing."""


def new_key() -> str:
    return Fernet.generate_key().decode()


def keys() -> list[str]:
    """All keys, newest first. The first key is made at the first use."""
    return secret(NAME, new_key).split()


def in_environment() -> bool:
    return bool(os.environ.get(ENVIRONMENT))


def store(keys: list[str]) -> None:
    """Replace the key file in one step: a reader sees the old keys or the new ones."""
    with NamedTemporaryFile("w", prefix=f".{NAME}.", dir=home(), delete=False) as draft:
        draft.write("\n".join(keys) + "\n")
        draft.flush()
        os.fsync(draft.fileno())
    Path(draft.name).replace(home() / NAME)


def box(keys: list[str]) -> MultiFernet:
    """Encrypts with the first key, decrypts with any. Raises KeyMissing if one of them is not a key."""
    try:
        return MultiFernet([Fernet(key) for key in keys])
    except ValueError as wrong:
        raise KeyMissing(
            "The keys that protect stored passwords cannot be read, so no password was opened or stored.",
            f"Put the right keys back into {ENVIRONMENT} or the file {NAME} of the home folder.",
        ) from wrong


def seal(password: str) -> bytes:
    return box(keys()).encrypt(password.encode())


def open_sealed(sealed: bytes | memoryview) -> str:
    """The password. Raises KeyMissing if no key fits. b"" decrypts to ""."""
    if not sealed:
        return ""
    try:
        return box(keys()).decrypt(bytes(sealed)).decode()
    except InvalidToken as wrong:
        raise KeyMissing(
            "The password was sealed under a key that this installation no longer has.",
            "Edit the server and enter its password again, or put the old key back.",
        ) from wrong


def has_password(sealed: bytes | memoryview) -> bool:
    """Whether a password is stored. One that cannot be decrypted counts."""
    return bool(problem_with(sealed) or open_sealed(sealed))


def problem_with(sealed: bytes | memoryview) -> KeyMissing | None:
    """Why this password cannot be decrypted; None if it can."""
    try:
        open_sealed(sealed)
    except KeyMissing as missing:
        return missing
    return None
