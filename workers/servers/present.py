"""The present durability settings of a server, with their types, and in plain words."""

from collections.abc import Callable
from dataclasses import dataclass

from workers.servers.facts import Facts
from workers.servers.settings import same


@dataclass(frozen=True)
class Present:
    """None, here, is always *this server has no such variable, or its value is not a number*."""

    flush_log: int | None
    flush_every_s: int | None
    sync_binlog: int | None
    binlog: bool | None
    binlog_in_engine: bool
    flush_method: str
    doublewrite: str
    two_phase_off: bool  # innodb_support_xa=OFF, where that still exists
    force_recovery: int
    myrocks_flush_log: int | None
    myrocks_keeps_back: bool  # its log stays in the server's memory until it is flushed
    tokudb_commit_sync: bool | None
    tokudb_fsync_log_period: int | None


def present(facts: Facts) -> Present:
    return Present(
        flush_log=_number(facts, "innodb_flush_log_at_trx_commit"),
        flush_every_s=_number(facts, "innodb_flush_log_at_timeout"),
        sync_binlog=_number(facts, "sync_binlog"),
        binlog=_switch(facts, "log_bin"),
        binlog_in_engine=(facts.variable("binlog_storage_engine") or "").lower() == "innodb",
        flush_method=(facts.variable("innodb_flush_method") or "").upper(),
        doublewrite=(facts.variable("innodb_doublewrite") or "").upper(),
        two_phase_off=_switch(facts, "innodb_support_xa") is False,
        force_recovery=_number(facts, "innodb_force_recovery") or 0,
        myrocks_flush_log=_number(facts, "rocksdb_flush_log_at_trx_commit") if facts.has_engine("rocksdb") else None,
        myrocks_keeps_back=_switch(facts, "rocksdb_manual_wal_flush") is not False,
        tokudb_commit_sync=_switch(facts, "tokudb_commit_sync") if facts.has_engine("tokudb") else None,
        tokudb_fsync_log_period=_number(facts, "tokudb_fsync_log_period") if facts.has_engine("tokudb") else None,
    )


def settings_in_words(facts: Facts) -> list[tuple[str, str, str]]:
    """(name, value, what that value does) of every durability setting that this server has."""
    held = ((name, facts.variable(name), words) for name, words in _WORDS.items())
    return [(name, value, words(value)) for name, value, words in held if value is not None]


def _number(facts: Facts, name: str) -> int | None:
    value = facts.variable(name)
    return int(value) if value is not None and value.strip().isdecimal() else None


def _switch(facts: Facts, name: str) -> bool | None:
    value = facts.variable(name)
    return {"ON": True, "1": True, "OFF": False, "0": False}.get((value or "").strip().upper())


def _flush_log(value: str) -> str:
    return {
        "0": "The redo log is written and flushed about once a second, not at commit.",
        "1": "The redo log is written and flushed at every commit.",
        "2": "The redo log is written to the operating system at every commit, and flushed about once a second.",
        "3": "The redo log is flushed at prepare and again at commit.",
    }.get(value, "The manual names no such value.")


def _myrocks(value: str) -> str:
    return {
        "0": "The MyRocks log is flushed about once a second, not at commit.",
        "1": "The MyRocks log is written and flushed at every commit.",
        "2": "The MyRocks log is flushed about once a second, not at commit.",
    }.get(value, "The manual names no such value.")


def _sync_binlog(value: str) -> str:
    if value == "0":
        return "The server never flushes the binlog: the operating system writes it back when it pleases."
    return "The binlog is flushed at every " + ("group commit." if value == "1" else f"{value}th group commit.")


def _on_off(on: str, off: str) -> Callable[[str], str]:
    return lambda value: off if same("log_bin", value, "OFF") else on


def _method(value: str) -> str:
    return {
        "": "The server's default way of flushing.",
        "FSYNC": "Files go through the page cache and are flushed with fsync.",
        "O_DSYNC": "Each redo write is durable when it returns, without any fsync call.",
        "LITTLESYNC": "Data files are not flushed: meant for tests of the server only.",
        "NOSYNC": "Nothing is ever flushed: meant for tests of the server only.",
        "O_DIRECT": "Data files go around the page cache and are flushed with fsync.",
        "O_DIRECT_NO_FSYNC": "Data files go around the page cache; most writes are not followed by fsync.",
    }.get(value.upper(), "The manual names no such value.")


def _doublewrite(value: str) -> str:
    if value.upper() in ("OFF", "0", "DETECT_ONLY"):
        return "A page half written at a power loss cannot be repaired."
    return "Pages are written twice, so that one half written at a power loss can be repaired."


def _seconds(value: str) -> str:
    return f"The redo log is flushed in the background about every {value} s."


_WORDS: dict[str, Callable[[str], str]] = {
    "innodb_flush_log_at_trx_commit": _flush_log,
    "innodb_flush_log_at_timeout": _seconds,
    "log_bin": _on_off(
        "The binlog is on.", "The binlog is off: there is nothing for replicas or for recovery to a point in time."
    ),
    "sync_binlog": _sync_binlog,
    "binlog_storage_engine": lambda value: (
        "The binlog lives inside InnoDB: sync_binlog is ignored, one flush covers both."
        if value.lower() == "innodb"
        else "The binlog lives in files of its own."
    ),
    "rocksdb_flush_log_at_trx_commit": _myrocks,
    "rocksdb_manual_wal_flush": _on_off(
        "The MyRocks log stays in the server's memory until it is flushed.",
        "The MyRocks log is written to the operating system at every commit.",
    ),
    "tokudb_commit_sync": _on_off(
        "TokuDB's log is flushed at every commit, in sessions that do not say otherwise.",
        "TokuDB's log is not flushed at commit, in sessions that do not say otherwise; with the binlog on, at prepare.",
    ),
    "tokudb_fsync_log_period": lambda value: (
        "Commits of TokuDB flush its log themselves."
        if value == "0"
        else f"No commit flushes TokuDB's log; it is flushed in the background every {value} ms."
    ),
    "innodb_flush_method": _method,
    "innodb_doublewrite": _doublewrite,
    "innodb_support_xa": _on_off(
        "Engine and binlog commit in two phases.", "Engine and binlog commit without agreeing first."
    ),
    "innodb_force_recovery": lambda value: (
        "Off: recovery runs as usual." if value == "0" else "The engine is in repair mode and skips steps of recovery."
    ),
}
