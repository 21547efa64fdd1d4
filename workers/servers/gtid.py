"""GTIDs of both vendors, and GTIDs that a server uses twice.

MariaDB's position "0-1-100,1-2-5" names the last transaction of each domain (server 1 wrote number 100 in domain 0)
and includes all before it. MySQL's set "uuid:1-5:7,uuid:tag:1-3" names every one. Both are kept as intervals of numbers
by source: a domain, or a uuid (with its tag).
"""

import re
from collections.abc import Mapping

from workers.errors import DurascopeError

Intervals = tuple[tuple[int, int], ...]  # first and last number, inclusive; ascending, not adjacent
Gtids = Mapping[str, Intervals]

MARIADB = re.compile(r"(\d{1,10})-(\d{1,10})-(\d{1,20})")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
INTERVAL = re.compile(r"(\d{1,20})(?:-(\d{1,20}))?")
TAG = re.compile(r"[a-z_][a-z0-9_]{0,31}")


class NotGtids(DurascopeError):
    """The text is neither a MariaDB position nor a MySQL set."""


def parse(text: str) -> Gtids:
    """Reads `@@gtid_binlog_pos`, `@@gtid_executed` or a single GTID. Raises NotGtids."""
    found: dict[str, list[tuple[int, int]]] = {}
    for item in filter(None, (item.strip().lower() for item in text.split(","))):
        for source, first, last in _mariadb(item) or _mysql(item):
            found.setdefault(source, []).append((first, last))
    return {source: _joined(intervals) for source, intervals in found.items()}


def minus(these: Gtids, those: Gtids) -> Gtids:
    left = {source: _without(intervals, those.get(source, ())) for source, intervals in these.items()}
    return {source: intervals for source, intervals in left.items() if intervals}


def count(gtids: Gtids) -> int:
    return sum(last - first + 1 for intervals in gtids.values() for first, last in intervals)


def in_words(gtids: Gtids) -> str:
    """`domain 0: 8-9` of MariaDB, `uuid:8-9` of MySQL; "": none."""
    return ", ".join(
        f"{f'domain {source}: ' if source.isdecimal() else f'{source}:'}{first}{f'-{last}' if last > first else ''}"
        for source, intervals in gtids.items()
        for first, last in intervals
    )


def reissued(before: Mapping[str, int], after: Mapping[str, int]) -> tuple[str, ...]:
    """GTIDs that name another transaction after the crash than before. Both map GTID -> key."""
    return tuple(gtid for gtid, key in after.items() if before.get(gtid, key) != key)


def _mariadb(item: str) -> list[tuple[str, int, int]]:
    named = MARIADB.fullmatch(item)
    return [(str(int(named[1])), 1, int(named[3]))] if named and int(named[3]) else []


def _mysql(item: str) -> list[tuple[str, int, int]]:
    """Intervals of one uuid; a tag before some of them makes a source of its own."""
    uuid, *parts = (part.strip() for part in item.split(":"))
    if not UUID.fullmatch(uuid) or not parts:
        raise NotGtids(f"{item!r} is no GTID.")
    source, found = uuid, []
    for part in parts:
        if interval := INTERVAL.fullmatch(part):
            first = int(interval[1])
            found.append((source, first, int(interval[2] or first)))
        elif TAG.fullmatch(part):
            source = f"{uuid}:{part}"
        else:
            raise NotGtids(f"{part!r} in {item!r} is no interval.")
    if any(not 0 < first <= last for _, first, last in found):
        raise NotGtids(f"{item!r} holds an invalid interval.")
    return found


def _joined(intervals: list[tuple[int, int]]) -> Intervals:
    joined: list[tuple[int, int]] = []
    for first, last in sorted(intervals):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return tuple(joined)


def _without(intervals: Intervals, taken: Intervals) -> Intervals:
    left = list(intervals)
    for lower, upper in taken:
        cut = [((first, min(last, lower - 1)), (max(first, upper + 1), last)) for first, last in left]
        left = [piece for pieces in cut for piece in pieces if piece[0] <= piece[1]]
    return tuple(left)
