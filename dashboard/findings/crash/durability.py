"""The settings that decide what a crash loses, and whether a trial ran with those that a server has.

They are those on which workers.servers.risks rests. A preflight keeps every one that the server has, so one that is
missing there does not exist on it. What a trial's variant does not name was decided by the sandbox and by its build.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from workers.sandbox import options
from workers.servers.look import version_of

Version: TypeAlias = tuple[int, int, int]
_BINLOG = ("sync_binlog", "log_bin", "binlog_storage_engine")
DECIDING = {  # by engine, its flush at commit first: a server without that one does not have the engine
    "innodb": (
        "innodb_flush_log_at_trx_commit",
        "innodb_flush_log_at_timeout",
        "innodb_flush_method",
        "innodb_doublewrite",
        "innodb_support_xa",
        "innodb_force_recovery",
        *_BINLOG,
    ),
    "rocksdb": ("rocksdb_flush_log_at_trx_commit", "rocksdb_manual_wal_flush", *_BINLOG),
}
_SPELLINGS = {
    **dict.fromkeys(("1", "TRUE", "YES", "DETECT_AND_RECOVER"), "ON"),  # the last is MySQL's doublewrite
    **dict.fromkeys(("0", "FALSE", "NO"), "OFF"),
    **dict.fromkeys(("NULL", "FSYNC"), ""),  # the default way of flushing has a name since MariaDB 10.3 and MySQL 8.0
}


@dataclass(frozen=True)
class Durability:
    """Of a server or of a trial. `settings`: as the server reported them or as the plan set them, in any spelling."""

    flavour: str
    version_text: str
    settings: Mapping[str, str]

    @property
    def engines(self) -> list[str]:
        """Engines whose commits can be compared; none for a server that did not report its settings."""
        known = self.settings.keys() if self.flavour else set()
        return [engine for engine, names in DECIDING.items() if {names[0], "sync_binlog"} <= known]

    @property
    def version(self) -> Version:
        """10.11.6-MariaDB-log is (10, 11, 6)."""
        return version_of(self.version_text)


def of_server(facts: Mapping[str, Any]) -> Durability:
    """`facts` as a preflight keeps them. Settings that no variant can set are only in its "words"."""
    worded = {name: value for name, value, _ in facts.get("words") or ()}
    return _durability(facts.get("flavour"), facts.get("version_text"), {**worded, **(facts.get("settings") or {})})


def of_trial(environment: Mapping[str, Any], settings: Mapping[str, str]) -> Durability:
    """`settings`: the variant's."""
    server = environment.get("server") or {}
    return _durability(server.get("flavour"), server.get("version"), {**(server.get("variables") or {}), **settings})


def _durability(flavour: str | None, version_text: str | None, settings: Mapping[str, Any]) -> Durability:
    known = {name: str(value) for name, value in settings.items() if value is not None}
    return Durability(flavour or "", version_text or "", known)


def agree(engine: str, server: Durability, trial: Durability) -> bool:
    """Whether the trial ran with the settings of the server, on a version of the same series (10.11, 8.0). A setting
    that only the trial names counts as different."""
    if (server.flavour, server.version[:2]) != (trial.flavour, trial.version[:2]):
        return False
    ran, told = {**_defaults(trial), **trial.settings}, server.settings
    return all(
        _spelled(told[name]) == _spelled(ran[name]) if name in told else name not in trial.settings
        for name in DECIDING[engine]
    )


def _defaults(trial: Durability) -> dict[str, str]:
    """Of a sandbox's option file, and of the servers themselves: their manuals, and `mysqld --verbose --help` of 5.5 to
    9.7 and 10.1 to 11.8."""
    version, mysql = trial.version, trial.flavour == "mysql"
    return {
        "log_bin": options.DEFAULTS["log_bin"],
        "sync_binlog": "1" if mysql and version >= (5, 7, 7) else "0",
        "binlog_storage_engine": "",
        "innodb_flush_log_at_trx_commit": "1",
        "innodb_flush_log_at_timeout": "1",
        "innodb_flush_method": "O_DIRECT" if version >= ((8, 4, 0) if mysql else (10, 6, 0)) else "fsync",
        "innodb_doublewrite": "ON",
        "innodb_support_xa": "ON",
        "innodb_force_recovery": "0",
        "rocksdb_flush_log_at_trx_commit": "1",
        "rocksdb_manual_wal_flush": "ON",
    }


def _spelled(value: str) -> str:
    upper = value.strip().upper()
    return _SPELLINGS.get(upper, upper)
