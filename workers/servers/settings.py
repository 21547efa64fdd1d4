"""The catalogue of variables that a variant may set: what each means, may hold, and needs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from workers.errors import PlanError
from workers.servers.facts import FlavourKey

Kind = Literal["integer", "bytes", "choice", "switch"]
Version = tuple[int, int, int]

ALWAYS: Version = (0, 0, 0)
_MARIADB = "https://mariadb.com/kb/en/"
_MYSQL = "https://dev.mysql.com/doc/refman/8.4/en/"


@dataclass(frozen=True)
class Rule:
    """What one flavour makes of a variable.

    `dynamic_since`: the first version that changes it without a restart, None: no version does.
    `choices` for choices and switches, in the server's spelling; `least` and `most` for numbers.
    """

    manual: str
    dynamic_since: Version | None = ALWAYS
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 0
    default: str = ""

    @property
    def allows(self) -> str:
        return ", ".join(self.choices) or f"{self.least} to {self.most}"


@dataclass(frozen=True)
class Setting:
    """`rounded`: the server may round the number it is given to a size that suits it."""

    name: str
    title: str
    explains: str
    kind: Kind
    rules: Mapping[FlavourKey, Rule]
    rounded: bool = False

    def dynamic_on(self, flavour: FlavourKey, version: Version | None = None) -> bool:
        """Whether it changes without a restart; without a version: on the newest one."""
        rule = self.rules.get(flavour)
        if rule is None or rule.dynamic_since is None:
            return False
        return version is None or version >= rule.dynamic_since


def _mariadb(page: str, name: str, **rule: object) -> Rule:
    return Rule(manual=f"{_MARIADB}{page}/#{name}", **rule)  # type: ignore[arg-type]


def _mysql(page: str, name: str, **rule: object) -> Rule:
    return Rule(manual=f"{_MYSQL}{page}.html#sysvar_{name}", **rule)  # type: ignore[arg-type]


_ON_OFF = ("ON", "OFF")
_FLUSH_METHODS = ("fsync", "O_DSYNC", "littlesync", "nosync", "O_DIRECT", "O_DIRECT_NO_FSYNC")
_MB = 2**20
_GB = 2**30
_INNODB = ("innodb-system-variables", "innodb-parameters")
_PERFORMANCE_SCHEMA = ("performance-schema-system-variables", "performance-schema-system-variables")
_BINLOG = ("replication-and-binary-log-system-variables", "replication-options-binary-log")
_MYROCKS = "myrocks-system-variables"
_TOKUDB = "tokudb-system-variables"
_GTID = "replication-options-gtids"


def _both(pages: tuple[str, str], name: str, **rule: object) -> dict[FlavourKey, Rule]:
    return {"mariadb": _mariadb(pages[0], name, **rule), "mysql": _mysql(pages[1], name, **rule)}


_ALL = (
    Setting(
        "innodb_flush_log_at_trx_commit",
        "InnoDB redo log at commit",
        "1 writes and flushes the redo log at every commit, 2 writes it and flushes about once a second, "
        "0 does both about once a second; 3 (MariaDB) flushes at prepare and at commit.",
        "integer",
        {
            "mariadb": _mariadb(_INNODB[0], "innodb_flush_log_at_trx_commit", most=3, default="1"),
            "mysql": _mysql(_INNODB[1], "innodb_flush_log_at_trx_commit", most=2, default="1"),
        },
    ),
    Setting(
        "innodb_flush_log_at_timeout",
        "Seconds between background redo flushes",
        "How often the redo log is flushed in the background when it is not flushed at each commit.",
        "integer",
        {
            "mariadb": _mariadb(_INNODB[0], "innodb_flush_log_at_timeout", most=2700, default="1"),
            "mysql": _mysql(_INNODB[1], "innodb_flush_log_at_timeout", least=1, most=2700, default="1"),
        },
    ),
    Setting(
        "sync_binlog",
        "Binlog flush at commit",
        "1 flushes the binary log at every group commit, N at every Nth, 0 leaves it to the operating system.",
        "integer",
        {
            "mariadb": _mariadb(_BINLOG[0], "sync_binlog", most=4294967295, default="0"),
            "mysql": _mysql(_BINLOG[1], "sync_binlog", most=4294967295, default="1"),
        },
    ),
    Setting(
        "log_bin",
        "Binary log",
        "Whether changes are written to the binary log, which replicas and point-in-time recovery read.",
        "switch",
        _both(_BINLOG, "log_bin", dynamic_since=None, choices=_ON_OFF),
    ),
    Setting(
        "binlog_format",
        "Binlog format",
        "What an event holds: the changed rows, the statement, or whichever the server thinks fit.",
        "choice",
        _both(_BINLOG, "binlog_format", choices=("ROW", "STATEMENT", "MIXED")),
    ),
    Setting(
        "binlog_row_image",
        "Binlog row image",
        "Which columns of a changed row are written: all, only those needed, or all but unchanged blobs.",
        "choice",
        {
            "mariadb": _mariadb(
                _BINLOG[0], "binlog_row_image", choices=("FULL", "MINIMAL", "NOBLOB", "FULL_NODUP"), default="FULL"
            ),
            "mysql": _mysql(_BINLOG[1], "binlog_row_image", choices=("full", "minimal", "noblob"), default="full"),
        },
    ),
    Setting(
        "binlog_checksum",
        "Binlog checksum",
        "Whether each event carries a checksum, with which a torn or damaged binlog is recognised.",
        "choice",
        _both(_BINLOG, "binlog_checksum", choices=("CRC32", "NONE"), default="CRC32"),
    ),
    Setting(
        "binlog_commit_wait_count",
        "Group commit: transactions to wait for",
        "A commit waits until this many transactions are ready to share one binlog flush.",
        "integer",
        {"mariadb": _mariadb(_BINLOG[0], "binlog_commit_wait_count", most=1048576, default="0")},
    ),
    Setting(
        "binlog_commit_wait_usec",
        "Group commit: longest wait, microseconds",
        "The longest that a commit waits for others to share its binlog flush.",
        "integer",
        {"mariadb": _mariadb(_BINLOG[0], "binlog_commit_wait_usec", most=60_000_000, default="100000")},
    ),
    Setting(
        "binlog_group_commit_sync_delay",
        "Group commit: delay, microseconds",
        "How long the binlog flush is put off so that more transactions share it.",
        "integer",
        {"mysql": _mysql(_BINLOG[1], "binlog_group_commit_sync_delay", most=1_000_000, default="0")},
    ),
    Setting(
        "binlog_group_commit_sync_no_delay_count",
        "Group commit: transactions that end the delay",
        "The delay ends early when this many transactions wait.",
        "integer",
        {"mysql": _mysql(_BINLOG[1], "binlog_group_commit_sync_no_delay_count", most=100_000, default="0")},
    ),
    Setting(
        "binlog_storage_engine",
        "Where the binlog lives",
        "Kept in files of its own, or (MariaDB 12.3) inside InnoDB, where one flush covers data and binlog.",
        "choice",
        {"mariadb": _mariadb(_BINLOG[0], "binlog_storage_engine", dynamic_since=None, choices=("", "innodb"))},
    ),
    Setting(
        "gtid_mode",
        "GTIDs (MySQL)",
        "Whether transactions are named in the binlog; replicas that find their place by name need it. It goes with "
        "enforce_gtid_consistency=ON, and since MySQL 5.7 it can only be changed step by step while the server runs.",
        "choice",
        {"mysql": _mysql(_GTID, "gtid_mode", dynamic_since=None, choices=_ON_OFF)},
    ),
    Setting(
        "enforce_gtid_consistency",
        "Refuse what cannot have a GTID (MySQL)",
        "Statements that could not be named by one GTID fail; gtid_mode=ON needs it.",
        "choice",
        {"mysql": _mysql(_GTID, "enforce_gtid_consistency", dynamic_since=None, choices=_ON_OFF)},
    ),
    Setting(
        "rocksdb_flush_log_at_trx_commit",
        "MyRocks write-ahead log at commit",
        "1 writes and flushes the write-ahead log at every commit, 0 and 2 flush it about once a second. When they "
        "write it to the operating system is said by rocksdb_manual_wal_flush.",
        "integer",
        {"mariadb": _mariadb("myrocks-system-variables", "rocksdb_flush_log_at_trx_commit", most=2, default="1")},
    ),
    Setting(
        "rocksdb_manual_wal_flush",
        "MyRocks write-ahead log kept back",
        "ON keeps the write-ahead log in the server's memory until it is flushed, so that a kill loses what was not; "
        "OFF writes it to the operating system at every commit.",
        "switch",
        {
            "mariadb": _mariadb(
                "myrocks-system-variables",
                "rocksdb_manual_wal_flush",
                dynamic_since=None,
                choices=_ON_OFF,
                default="ON",
            )
        },
    ),
    Setting(
        "rocksdb_block_cache_size",
        "MyRocks block cache",
        "Memory for blocks that were read; what was written last has memory of its own beside it.",
        "bytes",
        {"mariadb": _mariadb(_MYROCKS, "rocksdb_block_cache_size", least=_MB, most=16384 * _GB, default="536870912")},
    ),
    Setting(
        "rocksdb_use_direct_reads",
        "MyRocks reads around the page cache",
        "OFF lets the operating system keep blocks in memory beside the block cache, ON reads them from the device.",
        "switch",
        {"mariadb": _mariadb(_MYROCKS, "rocksdb_use_direct_reads", dynamic_since=None, choices=_ON_OFF, default="OFF")},
    ),
    Setting(
        "tokudb_commit_sync",
        "TokuDB log at commit",
        "ON flushes TokuDB's log at every commit, OFF leaves that to the next flush. Each session may set its own; "
        "Durascope sets what new ones begin with. With the binlog on, the log is flushed at prepare in any case.",
        "switch",
        {"mariadb": _mariadb(_TOKUDB, "tokudb_commit_sync", choices=_ON_OFF, default="ON")},
    ),
    Setting(
        "tokudb_fsync_log_period",
        "Milliseconds between flushes of TokuDB's log",
        "0 flushes TokuDB's log at every commit that asks for it; above 0 no commit flushes it, and it is flushed in "
        "the background so often.",
        "integer",
        {"mariadb": _mariadb(_TOKUDB, "tokudb_fsync_log_period", most=4294967295, default="0")},
    ),
    Setting(
        "tokudb_cache_size",
        "TokuDB cache",
        "Memory for TokuDB's tables; left alone, it is half of the machine's.",
        "bytes",
        {"mariadb": _mariadb(_TOKUDB, "tokudb_cache_size", dynamic_since=None, least=16 * _MB, most=16384 * _GB)},
        rounded=True,
    ),
    Setting(
        "tokudb_directio",
        "TokuDB reads and writes around the page cache",
        "OFF lets the operating system keep tables in memory beside the cache, ON goes to the device for them.",
        "switch",
        {"mariadb": _mariadb(_TOKUDB, "tokudb_directio", dynamic_since=None, choices=_ON_OFF, default="OFF")},
    ),
    Setting(
        "innodb_flush_method",
        "How InnoDB writes and flushes its files",
        "Through the page cache or around it; O_DSYNC makes each redo write durable without any fsync call.",
        "choice",
        _both(_INNODB, "innodb_flush_method", dynamic_since=None, choices=_FLUSH_METHODS),
    ),
    Setting(
        "innodb_doublewrite",
        "InnoDB doublewrite buffer",
        "Writes each page twice, so that one torn by a power loss can be repaired.",
        "choice",
        {
            "mariadb": _mariadb(_INNODB[0], "innodb_doublewrite", dynamic_since=None, choices=(*_ON_OFF, "fast")),
            "mysql": _mysql(
                _INNODB[1],
                "innodb_doublewrite",
                dynamic_since=None,
                choices=(*_ON_OFF, "DETECT_AND_RECOVER", "DETECT_ONLY"),
            ),
        },
    ),
    Setting(
        "innodb_buffer_pool_size",
        "InnoDB buffer pool",
        "Memory for data pages; the server rounds it to its chunk size.",
        "bytes",
        {
            "mariadb": _mariadb(
                _INNODB[0], "innodb_buffer_pool_size", dynamic_since=(10, 2, 2), least=5 * _MB, most=16384 * _GB
            ),
            "mysql": _mysql(
                _INNODB[1], "innodb_buffer_pool_size", dynamic_since=(5, 7, 5), least=5 * _MB, most=16384 * _GB
            ),
        },
        rounded=True,
    ),
    Setting(
        "innodb_log_file_size",
        "InnoDB redo log file size",
        "The size of one redo log file: a small one makes InnoDB write pages back more often.",
        "bytes",
        {
            "mariadb": _mariadb(
                _INNODB[0], "innodb_log_file_size", dynamic_since=(10, 9, 0), least=4 * _MB, most=512 * _GB
            ),
            "mysql": _mysql(_INNODB[1], "innodb_log_file_size", dynamic_since=None, least=4 * _MB, most=512 * _GB),
        },
        rounded=True,
    ),
    Setting(
        "innodb_redo_log_capacity",
        "InnoDB redo log capacity",
        "The size of the whole redo log (MySQL 8.0.30 and later).",
        "bytes",
        {
            "mysql": _mysql(
                _INNODB[1], "innodb_redo_log_capacity", dynamic_since=(8, 0, 30), least=8 * _MB, most=512 * _GB
            )
        },
        rounded=True,
    ),
    Setting(
        "performance_schema",
        "Performance Schema",
        "The server's own instruments: file waits are read from it; it costs some memory and time.",
        "switch",
        _both(_PERFORMANCE_SCHEMA, "performance_schema", dynamic_since=None, choices=_ON_OFF),
    ),
)

SETTINGS: dict[str, Setting] = {setting.name: setting for setting in _ALL}

_SWITCH = {"1": "ON", "TRUE": "ON", "YES": "ON", "0": "OFF", "FALSE": "OFF", "NO": "OFF"}
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def find(name: str) -> Setting:
    """Raises PlanError for a variable that is not in the catalogue."""
    if name not in SETTINGS:
        raise PlanError(f"{name} is not a setting that Durascope changes.", f"Known: {', '.join(SETTINGS)}.")
    return SETTINGS[name]


def check(name: str, value: str, flavour: FlavourKey) -> str:
    """The value in the server's spelling: `on` -> ON, `128M` -> 134217728. Raises PlanError saying what is allowed."""
    setting = find(name)
    rule = setting.rules.get(flavour)
    if rule is None:
        others = ", ".join(setting.rules)
        raise PlanError(f"{name} does not exist on {flavour}.", f"It exists on: {others}.")
    normal = _choice(value, rule) if rule.choices else _number(value, rule, setting.kind)
    if normal is None:
        raise PlanError(f"{name} cannot be {value!r} on {flavour}.", f"Allowed: {rule.allows}.")
    return normal


def same(name: str, one: str, other: str) -> bool:
    """Whether two spellings of a value mean the same to the server."""
    kind = find(name).kind
    return _folded(one, kind) == _folded(other, kind)


def _folded(value: str, kind: Kind) -> str:
    upper = value.strip().upper()
    return _SWITCH.get(upper, upper) if kind in ("switch", "choice") else upper


def _choice(value: str, rule: Rule) -> str | None:
    asked = value.strip().upper()
    known = {choice.upper(): choice for choice in rule.choices}
    return known.get(asked, known.get(_SWITCH.get(asked, asked)))


def _number(value: str, rule: Rule, kind: Kind) -> str | None:
    match = re.fullmatch(r"([0-9]{1,20})([KMGT]?)", value.strip().upper())
    if match is None or (match[2] and kind != "bytes"):
        return None
    number = int(match[1]) * _UNITS[match[2]]
    return str(number) if rule.least <= number <= rule.most else None
