"""Values by their key."""

from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


def grouped(pairs: Iterable[tuple[K, T]]) -> defaultdict[K, list[T]]:
    """Each key with its values; keys and values in their first order."""
    found: defaultdict[K, list[T]] = defaultdict(list)
    for key, value in pairs:
        found[key].append(value)
    return found
