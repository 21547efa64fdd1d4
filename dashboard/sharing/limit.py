"""How often guests may have pages made that are not kept: a page costs a tenth of a second or two. Counted in this
process, by link and by address; pages that are kept are given to anybody."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock

AT_ONCE = 60  # pages
A_SECOND = 1.0
MOST = 10_000  # links and addresses that are remembered; the longest unused are forgotten first


class Buckets:
    """Each key has AT_ONCE pages, and gets A_SECOND more."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._left: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()  # pages, at this moment
        self._changing = Lock()

    def take(self, *keys: Hashable) -> bool:
        """A page for all of these keys, or for none of them."""
        now = self._clock()
        with self._changing:
            left = {key: self._now(key, now) for key in keys}
            may = all(pages >= 1 for pages in left.values())
            for key, pages in left.items():
                self._left[key] = (pages - may, now)
                self._left.move_to_end(key)
            while len(self._left) > MOST:
                self._left.popitem(last=False)
        return may

    def _now(self, key: Hashable, now: float) -> float:
        pages, then = self._left.get(key, (AT_ONCE, now))
        return min(AT_ONCE, pages + (now - then) * A_SECOND)


made = Buckets()


def may_make(link_id: int, address: str) -> bool:
    """`address`: "" where nobody knows it; then the link alone counts."""
    keys = [("link", link_id), *([("address", address)] if address else [])]
    return made.take(*keys)
