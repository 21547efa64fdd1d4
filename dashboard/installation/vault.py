"""Passwords at rest: Fernet (AES-128-CBC + HMAC) under keys of their own, apart from SECRET_KEY.

The key file (`password_keys` in the home, or DURASCOPE_PASSWORD_KEYS) holds one key a line, the newest
first: the first seals, all open. `manage.py rotatekeys` adds a key, reseals everything, drops the old.
Keys are read at each use, so a rotation needs no restart where they are in the file.

Seal inside the transaction that stores the result: a rotation reseals under the database's write lock, so
what was sealed under an old key is either stored before it looks or sealed again under the new one.
"""

import os

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from dashboard.installation.home import home, secret
from workers.errors import DurascopeError

NAME = "password_keys"
ENVIRONMENT = "DURASCOPE_PASSWORD_KEYS"


class KeyMissing(DurascopeError):
    """A password cannot be opened, or none can be sealed: the key for it is not here."""


def new_key() -> str:
    return Fernet.generate_key().decode()


def keys() -> list[str]:
    """All keys, newest first; the first one is made when there is none yet."""
    return secret(NAME, new_key).split()


def in_environment() -> bool:
    return bool(os.environ.get(ENVIRONMENT))


def store(keys: list[str]) -> None:
    """Replace the key file in one step: a reader sees the old keys or the new, never half a file."""
    path, draft = home() / NAME, home() / f".{NAME}.{os.getpid()}"
    draft.touch(mode=0o600)
    with draft.open("w") as file:
        file.write("\n".join(keys) + "\n")
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def box(keys: list[str]) -> MultiFernet:
    """Seals with the first key, opens with any. Raises KeyMissing when one of them is not a key."""
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
    """The password. Raises KeyMissing when no key fits (b"" opens to "")."""
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
    """Whether there is a password to protect. One that cannot be opened is."""
    return bool(problem_with(sealed) or open_sealed(sealed))


def problem_with(sealed: bytes | memoryview) -> KeyMissing | None:
    """Why this password cannot be opened; None when it can."""
    try:
        open_sealed(sealed)
    except KeyMissing as missing:
        return missing
    return None
