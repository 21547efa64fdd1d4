"""How often guests may have pages made that are not kept: a page costs a tenth of a second or two. Counted in this
process; pages that are kept are given to anybody.

Nobody may use up what others need. So a link has several times what one address has, and pages without a query, which
most guests ask for, are counted apart and by address alone.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from threading import Lock

from dashboard.pages.accounts.throttle import network

AT_ONCE = 60  # pages of one address
A_SECOND = 1.0
OF_A_LINK = 5  # times as many
MOST = 10_000  # links and addresses that are remembered; the longest unused are forgotten first


class Buckets:
    """Each key has AT_ONCE pages, and gets A_SECOND more; or some times as many."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._left: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()  # pages, at this moment
        self._changing = Lock()

    def take(self, times: Mapping[Hashable, int]) -> bool:
        """A page for all of these keys, or for none of them. `times`: of each key, how many times as many it has."""
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
    """`address`: "" where nobody knows it; then the link alone counts."""
    kind = "with a query" if has_query else "without one"
    times: dict[Hashable, int] = {}
    if address:
        times[kind, "address", network(address)] = 1
    if has_query or not address:
        times[kind, "link", link_id] = OF_A_LINK
    return made.take(times)
