"""Limits on pages that guests make this process render: one costs up to 0.2 s. Stored pages (`kept`) have no limit.

One guest must not use up the limit of others. So a link has a multiple of the limit of an address, and pages without a
query, which most guests want, are counted separately and per address only.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from threading import Lock

from dashboard.pages.accounts.throttle import network

AT_ONCE = 60  # pages per address
A_SECOND = 1.0
OF_A_LINK = 5  # times the limit of an address
MOST = 10_000  # stored keys; the least recently used are dropped first


class Buckets:
    """Token buckets: a key starts with AT_ONCE pages and gains A_SECOND per second, or a multiple of both."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._left: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()  # pages, at this moment
        self._changing = Lock()

    def take(self, times: Mapping[Hashable, int]) -> bool:
        """Take a page from all of these keys, or from none. `times`: key -> multiple of its limit."""
        now = self._clock()
        with self._changing:
            left = {key: self._now(key, now, many) for key, many in times.items()}
            may = all(pages >= 1 for pages in left.values())
            for key, pages in left.items():
                self._left[key] = (pages - may, now)
                self._left.move_to_end(key)
            while len(self._left) > MOST:
                self._left.popitem(last=False)
        return may

    def _now(self, key: Hashable, now: float, times: int) -> float:
        pages, then = self._left.get(key, (AT_ONCE * times, now))
        return min(AT_ONCE * times, pages + (now - then) * A_SECOND * times)


made = Buckets()


def may_make(link_id: int, address: str, *, has_query: bool) -> bool:
    """`address`: "" if unknown; then only the link counts."""
    kind = "with a query" if has_query else "without one"
    times: dict[Hashable, int] = {}
    if address:
        times[kind, "address", network(address)] = 1
    if has_query or not address:
        times[kind, "link", link_id] = OF_A_LINK
    return made.take(times)
