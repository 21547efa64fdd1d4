"""~/.mylogin.cnf, by its published format: 4 unused bytes, 20 bytes of a key, then lines. Each line is its length (4
bytes, little endian) and its text under AES-128-ECB with PKCS #7 padding. The key is the 20 bytes folded into 16 by
exclusive or. It hides passwords from a glance and from nobody else."""

import struct
from functools import reduce

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES128
from cryptography.hazmat.primitives.ciphers.modes import ECB
from cryptography.hazmat.primitives.padding import PKCS7

from workers.errors import PlanError

UNUSED, KEY, BLOCK = 4, 20, 16


def is_one(content: bytes) -> bool:
    return content[:UNUSED] == bytes(UNUSED) and len(content) > UNUSED + KEY


def decrypted(content: bytes) -> str:
    """As an option file. Raises PlanError."""
    cipher = Cipher(AES128(folded(content[UNUSED : UNUSED + KEY])), ECB())  # noqa: S305 - the format of others
    at, lines = UNUSED + KEY, []
    try:
        while at < len(content):
            (length,) = struct.unpack_from("<I", content, at)
            line = content[at + 4 : at + 4 + length]
            if length % BLOCK or len(line) < length:
                raise ValueError
            padding, decryptor = PKCS7(BLOCK * 8).unpadder(), cipher.decryptor()
            plain = decryptor.update(line) + decryptor.finalize()
            lines.append((padding.update(plain) + padding.finalize()).decode())
            at += 4 + length
    except (ValueError, struct.error) as wrong:
        raise PlanError("The file begins like .mylogin.cnf and cannot be decrypted.", "Copy it again.") from wrong
    return "".join(lines)


def folded(key: bytes) -> bytes:
    return bytes(reduce(lambda one, other: one ^ other, key[place::BLOCK]) for place in range(BLOCK))
