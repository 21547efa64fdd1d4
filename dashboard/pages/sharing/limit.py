"""Limits on pages that guests make this process render: one costs up to 0.2 s. Stored pages (`kept`) have no limit.

One guest must not use up the limit of others. So a link has a multiple of the limit of an address, and pages without a
query, which most guests want, are counted separately and per address only.
"""

import time

from django.core.cache import caches

from dashboard.pages.accounts.throttle import network

A_MINUTE = 120  # pages per address: a result with its charts is about ten
OF_A_LINK = 5  # times the limit of an address
clock = time.monotonic


def may_make(link_id: int, address: str, *, has_query: bool) -> bool:
    """`address`: "" if unknown; then only the link counts."""
    kind = "query" if has_query else "plain"
    if address and not _counted(f"{kind}-address-{network(address)}", A_MINUTE):
        return False
    return not (has_query or not address) or _counted(f"{kind}-link-{link_id}", OF_A_LINK * A_MINUTE)


def _counted(key: str, most: int) -> bool:
    """Count a page; whether it is within the limit of this minute."""
    counts, key = caches["guests"], f"{key}-{clock() // 60:.0f}"
    counts.add(key, 0, timeout=120)
    return counts.incr(key) <= most
