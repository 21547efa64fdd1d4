"""The keys of stored passwords in a backup are encrypted by a passphrase: scrypt makes a Fernet key of it. The sealed
text also holds the digest of the whole backup, so a backup that somebody changed is noticed."""

import base64
import getpass
import hashlib
import json
import os
import stat
import sys
from argparse import ArgumentParser
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken

from dashboard.backup.refused import BackupRefused, not_a_backup
from dashboard.installation.owner import as_caller

LEAST_CHARACTERS = 12
SALT_BYTES = 16
MOST_BYTES = 4096  # of a passphrase's file
# 64 MiB and about 0.2 s for each attempt (RFC 7914). Never read from a backup: a hostile one would ask for more.
N, R, P, MEMORY = 1 << 16, 8, 1, 128 << 20


def seal(keys: list[str], digest: str, passphrase: str) -> bytes:
    """`digest`: of the backup."""
    salt = os.urandom(SALT_BYTES)
    return salt + _box(passphrase, salt).encrypt(json.dumps({"keys": keys, "digest": digest}).encode())


def unseal(sealed: bytes, digest: str, passphrase: str) -> list[str]:
    """The keys. Raises BackupRefused, also if the backup has another digest now."""
    try:
        opened = json.loads(_box(passphrase, sealed[:SALT_BYTES]).decrypt(sealed[SALT_BYTES:]))
        keys, sealed_digest = [str(key) for key in opened["keys"]], opened["digest"]
    except InvalidToken:
        raise BackupRefused(
            "The passphrase does not open the keys in this backup. Nothing was restored.",
            "Give the right passphrase. Without it: --without-keys, then enter the passwords of your servers again.",
        ) from None
    except (ValueError, TypeError, KeyError):
        raise not_a_backup("its keys cannot be read") from None
    if sealed_digest != digest:
        raise BackupRefused("Somebody changed this backup after it was made. Nothing was restored.", "Take another.")
    return keys


def _box(passphrase: str, salt: bytes) -> Fernet:
    key = hashlib.scrypt(passphrase.encode(), salt=salt, n=N, r=R, p=P, maxmem=MEMORY, dklen=32)
    return Fernet(base64.urlsafe_b64encode(key))


def add_options(parser: ArgumentParser, without: str) -> None:
    """Of `backup` and `restore`. A passphrase is never an argument: others could see it."""
    either = parser.add_mutually_exclusive_group()
    either.add_argument(
        "--passphrase-file",
        type=Path,
        metavar="FILE",
        help="a file that only you can read, with the passphrase of the keys (default: asked for)",
    )
    either.add_argument("--without-keys", action="store_true", help=without)


def read(file: Path | None, *, twice: bool) -> str:
    """From a file that only its owner can read, or from the terminal. Raises BackupRefused."""
    given = _of_file(file) if file else _asked(twice)
    if len(given) < LEAST_CHARACTERS:
        raise BackupRefused(f"The passphrase has less than {LEAST_CHARACTERS} characters.", "Choose a longer one.")
    return given


def _of_file(file: Path) -> str:
    try:
        with as_caller():
            opened = file.open("rb")
        with opened:
            if os.fstat(opened.fileno()).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise BackupRefused(f"Others can read {file}.", f"chmod 600 {file}")
            return opened.read(MOST_BYTES).decode().strip("\r\n")
    except (OSError, UnicodeDecodeError) as wrong:
        raise BackupRefused(f"The passphrase in {file} cannot be read.", "Check its name and its rights.") from wrong


def _asked(twice: bool) -> str:
    if not sys.stdin.isatty():
        raise BackupRefused(
            "The keys of stored passwords need a passphrase, and there is no terminal to ask for it.",
            "Add --passphrase-file FILE, or --without-keys to leave the keys out.",
        )
    given = getpass.getpass("Passphrase of the backup: ")
    if twice and getpass.getpass("Again: ") != given:
        raise BackupRefused("The two passphrases differ.", "Start again.")
    return given
