"""Words put together as people write them."""

from collections.abc import Sequence


def listed(words: Sequence[str]) -> str:
    """`1, 8 and 32 threads` of "1", "8" and "32 threads"; "" of no words."""
    *first, last = words or ("",)
    return f"{', '.join(first)} and {last}" if first else last
