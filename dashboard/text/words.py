"""Lists of words as people write them."""

from collections.abc import Sequence


def listed(words: Sequence[str]) -> str:
    """ "1", "8" and "32 threads" give `1, 8 and 32 threads`; no words give ""."""
    *first, last = words or ("",)
    return f"{', '.join(first)} and {last}" if first else last
