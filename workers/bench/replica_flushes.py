"""The flush settings of a replica in a plan: `2/0`, flush_log and sync_binlog of the replica."""

import re
from collections.abc import Iterator

from workers.bench.plan import CrashPlan
from workers.crash.kinds.every_crash_point import ReplicaCrashPoints

FLUSHES = re.compile(r"([012])/(0|[1-9][0-9]{0,3})")
FLUSH_LOG = {"rocksdb": "rocksdb_flush_log_at_trx_commit"}  # of other engines: InnoDB's, which holds the position


def settings_of(crash: CrashPlan, engine: str) -> dict[str, str]:
    """Nothing: the replica has the settings of its primary."""
    if not (known := FLUSHES.fullmatch(crash.replica_flushes)):
        return {}
    return {FLUSH_LOG.get(engine.lower(), "innodb_flush_log_at_trx_commit"): known[1], "sync_binlog": known[2]}


def problems(crash: CrashPlan) -> Iterator[str]:
    if not crash.replica_flushes:
        return
    if not FLUSHES.fullmatch(crash.replica_flushes):
        yield (
            f"Flush settings of the replica: {crash.replica_flushes[:40]!r} is not known. Write flush_log (0, 1 or 2), "
            "a slash and sync_binlog, for example 2/0."
        )
    if ReplicaCrashPoints.key not in crash.kinds:
        yield (
            f"Flush settings of the replica are for the crash {ReplicaCrashPoints.title}. Choose this crash, or leave "
            "them empty."
        )
