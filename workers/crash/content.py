"""Compares found rows with those of the witness: which transactions are whole, and which differ."""

import numpy as np
import numpy.typing as npt

from workers.crash.evidence import Seen, together
from workers.crash.transactions import Keys, is_written, rows_expected


def seen_in(secret: bytes, keys: Keys, places: Keys, digests: Keys) -> Seen:
    """Of each row: its transaction's key, its place and its digest, in any order.

    A row counts for its transaction when it equals the witness's row. Any other row makes its transaction altered. A
    duplicate row counts once. Rows are joined over the whole binlog, because an engine without transactions logs each
    statement by itself.
    """
    right = is_written(secret, keys, places, digests)
    altered = together([keys[~right]])
    keys, places = keys[right], places[right]
    order = np.lexsort((places, keys))
    keys, places = keys[order], places[order]
    begins = np.flatnonzero(differs(keys))
    present = keys[begins]
    filled = np.add.reduceat((differs(keys) | differs(places)).astype(np.int64), begins)
    rows = np.diff(begins, append=keys.size)
    expected = rows_expected(present)
    return Seen(present[filled == expected], present[filled < expected], present[rows > expected], altered)


def differs(values: Keys) -> npt.NDArray[np.bool_]:
    """Where a run of equal values begins."""
    begins: npt.NDArray[np.bool_] = np.diff(values, prepend=values[:1] - 1) != 0
    return begins
