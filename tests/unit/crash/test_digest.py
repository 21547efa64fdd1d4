"""The digest in each row: SipHash-2-4, as its authors give it."""

import numpy as np

from workers.crash import digest
from workers.crash.transactions import is_written

KEY = bytes(range(16))


def test_the_digest_is_siphash_as_the_reference_computes_that():
    """The vector for the message 00 01 .. 07 in vectors.h of the reference implementation."""
    message = np.frombuffer(bytes(range(8)), dtype="<u8")
    assert digest.siphash(KEY, message).tobytes().hex() == "6224939a79f5f593"


def test_the_digest_is_the_same_one_by_one_and_many_at_once():
    keys = np.arange(2 * digest.AT_ONCE + 5, dtype=np.int64)
    found = digest.digests(KEY, keys, keys % 5)
    alone = [int(digest.digests(KEY, keys[at : at + 1], keys[at : at + 1] % 5)[0]) for at in (0, digest.AT_ONCE)]
    assert alone == [int(found[0]), int(found[digest.AT_ONCE])]
    assert len(np.unique(found)) == len(found)


def test_a_new_secret_is_as_long_as_siphash_wants_it():
    assert digest.digests(digest.new_secret(), np.array([1]), np.array([0])).shape == (1,)


def test_key_place_and_secret_all_count():
    def of(secret, key, place):
        return int(digest.digests(secret, np.array([key]), np.array([place]))[0])

    assert len({of(KEY, 1, 0), of(KEY, 1, 1), of(KEY, 2, 0), of(KEY[::-1], 1, 0)}) == 4
    assert digest.new_secret() != digest.new_secret()
    assert digest.digests(KEY, np.array([], dtype=np.int64), np.array([], dtype=np.int64)).size == 0


def test_a_row_belongs_to_its_transaction_only_in_a_place_of_its_shape():
    """Number 1 writes one row, number 2 three."""
    keys, places = np.array([1, 1, 2, 2]), np.array([0, 1, 1, 3])
    found = digest.digests(KEY, keys, places)
    assert is_written(KEY, keys, places, found).tolist() == [True, False, True, False]
