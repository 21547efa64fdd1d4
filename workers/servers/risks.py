"""Every way in which settings let a crash lose something: one row each.

The rows on flush_log and sync_binlog were tried with real crashes (docs/crash-matrix.md). InnoDB: 0,* loses engine
commits when the process is killed; 2,* and *,0 only when the power goes; 1,0 then rolls back commits that the engine
had flushed. MyRocks: 2,* loses as much as 0,*, by a kill too; neither does when rocksdb_manual_wal_flush is OFF.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from workers.servers.present import Present

CrashClass = Literal["process kill", "power loss"]
What = Literal["engine", "binlog", "agreement"]
Outcome = Literal["kept", "may be lost", "unknown"]

X1 = (
    "Claim X1: with the binlog on, a commit is prepared in the engine, written to the binlog, then committed in the "
    "engine; after a crash a prepared transaction that is in the binlog is committed, any other is rolled back."
)
X2 = (
    "Claim X2: without 1/1 the engine may lose its last transactions and the binlog its own, and not the same "
    "ones: replicas diverge, and replication may break."
)


@dataclass(frozen=True)
class Risk:
    """One way to lose something: when it applies, to whom, and what is said then ({} from Present)."""

    crashes: tuple[CrashClass, ...]
    whats: tuple[What, ...]
    applies: Callable[[Present], bool]
    says: str
    rests_on: str  # a claim, or the name of the setting whose manual page says so
    outcome: Outcome = "may be lost"
    engines: tuple[str, ...] = ("InnoDB", "")


KILL: tuple[CrashClass, ...] = ("process kill",)
POWER: tuple[CrashClass, ...] = ("power loss",)
BOTH: tuple[CrashClass, ...] = KILL + POWER
ENGINE: tuple[What, ...] = ("engine",)
BINLOG: tuple[What, ...] = ("binlog",)
AGREEMENT: tuple[What, ...] = ("agreement",)

_FLUSH = "innodb_flush_log_at_trx_commit"
_METHOD = "innodb_flush_method"


def _binlog_unflushed(now: Present) -> bool:
    return now.binlog is True and not now.binlog_in_engine and now.sync_binlog not in (1, None)


def _shares_log(now: Present) -> bool:
    return now.binlog is True and now.binlog_in_engine


def _separate(now: Present) -> bool:
    return now.binlog is True and not now.binlog_in_engine


def _myrocks_in_memory(now: Present) -> bool:
    return now.myrocks_flush_log in (0, 2) and now.myrocks_keeps_back


def _tokudb_in_memory(now: Present) -> bool:
    """What was not flushed lies in the server's buffer. With the binlog on, commit_sync=OFF does not reach prepare."""
    return bool(now.tokudb_fsync_log_period) or (now.tokudb_commit_sync is False and now.binlog is False)


RISKS: tuple[Risk, ...] = (
    Risk(
        KILL,
        ENGINE,
        lambda now: now.flush_log == 0,
        "Acknowledged commits of about the last {every} may be lost: they were only in the server's memory.",
        _FLUSH,
    ),
    Risk(
        POWER,
        ENGINE,
        lambda now: now.flush_log in (0, 2),
        "Acknowledged commits of about the last {every} may be lost: the redo log was not flushed yet.",
        _FLUSH,
    ),
    Risk(
        POWER,
        ENGINE,
        lambda now: _binlog_unflushed(now) and now.flush_log in (1, 3),
        "Acknowledged commits whose binlog event was not flushed may be rolled back at recovery, although the redo "
        "log was flushed.",
        X1,
    ),
    Risk(
        POWER,
        ENGINE,
        lambda now: _binlog_unflushed(now) and now.myrocks_flush_log == 1,
        "Acknowledged commits whose binlog event was not flushed may be rolled back at recovery, although the "
        "write-ahead log was flushed.",
        X1,
        engines=("MyRocks",),
    ),
    Risk(
        KILL,
        ENGINE,
        _myrocks_in_memory,
        "Acknowledged commits of about the last second may be lost: they were only in the server's memory.",
        "rocksdb_manual_wal_flush",
        engines=("MyRocks",),
    ),
    Risk(
        POWER,
        ENGINE,
        lambda now: now.myrocks_flush_log in (0, 2),
        "Acknowledged commits of about the last second may be lost: the write-ahead log was not flushed yet.",
        "rocksdb_flush_log_at_trx_commit",
        engines=("MyRocks",),
    ),
    Risk(
        BOTH,
        ENGINE,
        lambda now: bool(now.tokudb_fsync_log_period),
        "Acknowledged commits since the last flush of TokuDB's log, up to tokudb_fsync_log_period ago, may be lost: "
        "they were only in the server's memory.",
        "tokudb_fsync_log_period",
        engines=("TokuDB",),
    ),
    Risk(
        BOTH,
        ENGINE,
        lambda now: now.tokudb_commit_sync is False and now.binlog is False,
        "Acknowledged commits since the last flush of TokuDB's log may be lost, without a limit of time: they were "
        "only in the server's memory.",
        "tokudb_commit_sync",
        engines=("TokuDB",),
    ),
    Risk(
        POWER,
        ENGINE,
        lambda now: _binlog_unflushed(now) and now.tokudb_commit_sync is not None,
        "Acknowledged commits whose binlog event was not flushed may be rolled back at recovery, although TokuDB's "
        "log was flushed.",
        X1,
        engines=("TokuDB",),
    ),
    Risk(
        POWER,
        BINLOG,
        lambda now: _binlog_unflushed(now) and now.sync_binlog == 0,
        "Everything since the operating system last wrote the binlog back may be lost: often 30 s, without a limit.",
        "sync_binlog",
    ),
    Risk(
        POWER,
        BINLOG,
        lambda now: _binlog_unflushed(now) and now.sync_binlog != 0,
        "Up to the last {groups} group commits may be lost.",
        "sync_binlog",
    ),
    Risk(
        KILL,
        BINLOG,
        lambda now: _shares_log(now) and now.flush_log == 0,
        "The binlog lives in the redo log and may lose about the last {every} with it.",
        "binlog_storage_engine",
    ),
    Risk(
        POWER,
        BINLOG,
        lambda now: _shares_log(now) and now.flush_log in (0, 2),
        "The binlog lives in the redo log and may lose about the last {every} with it.",
        "binlog_storage_engine",
    ),
    Risk(
        BOTH,
        AGREEMENT,
        lambda now: _separate(now) and (now.flush_log == 0 or _myrocks_in_memory(now) or _tokudb_in_memory(now)),
        "The engine may lose commits that the binlog still has and replicas already got.",
        X2,
    ),
    Risk(
        POWER,
        AGREEMENT,
        lambda now: _separate(now) and (now.flush_log == 2 or now.myrocks_flush_log in (0, 2)),
        "The engine may lose commits that the binlog still has and replicas already got.",
        X2,
    ),
    Risk(
        POWER,
        AGREEMENT,
        _binlog_unflushed,
        "The binlog may lack commits that the engine kept or that replicas already got; a torn end of the file "
        "stops replicas.",
        X2,
    ),
    Risk(
        BOTH,
        AGREEMENT,
        lambda now: _separate(now) and now.two_phase_off,
        "Engine and binlog commit without a prepare phase, so a crash between the two parts them.",
        X1,
    ),
    Risk(
        POWER,
        ("engine", "agreement"),
        lambda now: now.flush_method == "NOSYNC",
        "innodb_flush_method=nosync flushes nothing: whatever the other settings say, all recent commits may be "
        "lost, and the data files may be damaged.",
        _METHOD,
    ),
    Risk(
        POWER,
        ENGINE,
        lambda now: now.flush_method == "LITTLESYNC",
        "innodb_flush_method=littlesync does not flush data files: pages that the redo log no longer covers may be "
        "lost.",
        _METHOD,
    ),
    Risk(
        POWER,
        ENGINE,
        lambda now: now.flush_method == "O_DIRECT_NO_FSYNC",
        "O_DIRECT_NO_FSYNC keeps what was written only on file systems that need no fsync for a file's size; the "
        "settings do not show which this is.",
        _METHOD,
        outcome="unknown",
    ),
    Risk(
        POWER,
        ENGINE,
        lambda now: now.doublewrite in ("OFF", "0", "DETECT_ONLY"),
        "A page half written when the power went cannot be repaired, unless the storage writes whole pages at once.",
        "innodb_doublewrite",
    ),
    Risk(
        BOTH,
        ("engine", "agreement"),
        lambda now: now.force_recovery > 0,
        "innodb_force_recovery is set: the engine skips steps of recovery.",
        "https://mariadb.com/kb/en/innodb-recovery-modes/",
        outcome="unknown",
    ),
    Risk(
        BOTH,
        ("engine", "agreement"),
        lambda now: now.flush_log not in (0, 1, 2, 3),
        "What InnoDB does at commit is not known: innodb_flush_log_at_trx_commit could not be read.",
        _FLUSH,
        outcome="unknown",
    ),
    Risk(
        BOTH,
        ("binlog", "agreement"),
        lambda now: now.binlog is None or (now.binlog and now.sync_binlog is None),
        "Whether and how the binlog is flushed is not known: log_bin or sync_binlog could not be read.",
        "sync_binlog",
        outcome="unknown",
    ),
)
