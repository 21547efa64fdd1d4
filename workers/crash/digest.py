"""The digest in each row of the witness: SipHash-2-4 (Aumasson and Bernstein, 2012) of the row's identity.

The secret is drawn for one trial. Only the witness and the judge know it, so nobody else can compute the digest of a
changed row. numpy computes 10^6 digests in about 0.15 s.
"""

import secrets

import numpy as np
import numpy.typing as npt

SECRET_BYTES = 16
PLACE_BITS = 3  # a row's place takes the lowest bits of the message
AT_ONCE = 8192  # numbers: their state fits the processor's cache
START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
LENGTH = np.uint64(8 << 56)  # of the message, in the last block's highest byte
ROUNDS, LAST_ROUNDS = 2, 4
SIXTY_FOUR = np.uint64(64)

Words = npt.NDArray[np.uint64]


def new_secret() -> bytes:
    return secrets.token_bytes(SECRET_BYTES)


def digests(secret: bytes, keys: npt.NDArray[np.int64], places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Digests of rows, one for each pair of transaction and place (below 8). Clients are below 2^20."""
    messages = (keys.astype(np.uint64) << np.uint64(PLACE_BITS)) | places.astype(np.uint64)
    return siphash(secret, messages).view(np.int64)


def siphash(secret: bytes, messages: Words) -> Words:
    """SipHash-2-4 of messages of eight bytes each, read as little-endian numbers."""
    found = np.empty(len(messages), dtype=np.uint64)
    for begin in range(0, len(messages), AT_ONCE):
        found[begin : begin + AT_ONCE] = _siphash(secret, messages[begin : begin + AT_ONCE])
    return found


def _siphash(secret: bytes, messages: Words) -> Words:
    low, high = (int.from_bytes(half, "little") for half in (secret[:8], secret[8:]))
    state = [np.full(len(messages), word ^ half, np.uint64) for word, half in zip(START, (low, high) * 2, strict=True)]
    spare = np.empty_like(messages)
    for block in (messages, LENGTH):
        state[3] ^= block
        _mix(state, spare, ROUNDS)
        state[0] ^= block
    state[2] ^= np.uint64(0xFF)
    _mix(state, spare, LAST_ROUNDS)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _mix(state: list[Words], spare: Words, rounds: int) -> None:
    a, b, c, d = state
    for _ in range(rounds):
        a += b
        _turn(b, 13, spare)
        b ^= a
        _turn(a, 32, spare)
        c += d
        _turn(d, 16, spare)
        d ^= c
        a += d
        _turn(d, 21, spare)
        d ^= a
        c += b
        _turn(b, 17, spare)
        b ^= c
        _turn(c, 32, spare)


def _turn(words: Words, bits: int, spare: Words) -> None:
    """Rotate to the left, in place."""
    left = np.uint64(bits)
    np.right_shift(words, SIXTY_FOUR - left, out=spare)
    np.left_shift(words, left, out=words)
    np.bitwise_or(words, spare, out=words)
