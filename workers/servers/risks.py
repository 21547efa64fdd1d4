"""The settings with which a crash can lose something: the rows of risks.toml."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from workers.servers.deciding import Deciding, NotKnown
from workers.servers.settings import SETTINGS
from workers.toml.table import TomlTable

CrashClass = Literal["process kill", "power loss"]
What = Literal["engine", "binlog", "agreement"]
Outcome = Literal["kept", "may be lost", "unknown"]

FILE = Path(__file__).with_name("risks.toml")
CRASHES: tuple[CrashClass, ...] = get_args(CrashClass)
WHATS: tuple[What, ...] = get_args(What)
ENGINES = ("InnoDB", "MyRocks", "TokuDB")
INNODB = ("InnoDB", "")  # "": binlog and agreement
KEYS = ("crashes", "loses", "when", "says", "rests_on", "engines", "outcome", "change")
UNFLUSHED_MYROCKS = ("0", "2")
NO_CHECKSUM = ("NONE", "STRICT_NONE")
NO_DOUBLEWRITE = ("OFF", "DETECT_ONLY")
Condition = Callable[[Deciding], bool]


def _either(*conditions: Condition) -> Condition:
    """Raises NotKnown if none holds and one is not known."""

    def holds(now: Deciding) -> bool:
        lacking: NotKnown | None = None
        for condition in conditions:
            try:
                if condition(now):
                    return True
            except NotKnown as one:
                lacking = one
        if lacking:
            raise lacking
        return False

    return holds


def _is(name: str, *values: str) -> Condition:
    return lambda now: now.word(name) in values


def _not(name: str, *values: str) -> Condition:
    return lambda now: now.word(name) not in values


def _own_files(now: Deciding) -> bool:
    return now.on("log_bin") and now.word("binlog_storage_engine") == ""


def _has_myrocks(now: Deciding) -> bool:
    return "rocksdb" in now.engines


def _myrocks_unflushed(now: Deciding) -> bool:
    return _has_myrocks(now) and now.word("rocksdb_flush_log_at_trx_commit") in UNFLUSHED_MYROCKS


def _myrocks_in_memory(now: Deciding) -> bool:
    return _myrocks_unflushed(now) and now.on("rocksdb_manual_wal_flush")


def _has_tokudb(now: Deciding) -> bool:
    return "tokudb" in now.engines


def _tokudb_at_intervals(now: Deciding) -> bool:
    return _has_tokudb(now) and now.number("tokudb_fsync_log_period") > 0


def _tokudb_unflushed(now: Deciding) -> bool:
    """With the binlog on, the prepare phase flushes the log whatever tokudb_commit_sync is."""
    return _has_tokudb(now) and not now.on("tokudb_commit_sync") and not now.on("log_bin")


FLUSH_LOG = "innodb_flush_log_at_trx_commit"
CONDITIONS: dict[str, Condition] = {
    "InnoDB is not there": lambda now: "innodb" not in now.engines,
    "redo log is switched off": _is("innodb_redo_log_enabled", "OFF"),
    "redo log stays in memory at commit": _is(FLUSH_LOG, "0"),
    "redo log is not flushed at commit": _is(FLUSH_LOG, "0", "2"),
    "redo log is flushed at commit": _is(FLUSH_LOG, "1", "3"),
    "sessions set the redo log's flush themselves": _is("innodb_use_global_flush_log_at_trx_commit", "OFF"),
    "redo log has no checksums": _is("innodb_log_checksums", "OFF"),
    "MyRocks is there": _has_myrocks,
    "MyRocks writes no log": _is("rocksdb_write_disable_wal", "ON"),
    "MyRocks log stays in memory at commit": _myrocks_in_memory,
    "MyRocks log is not flushed at commit": _myrocks_unflushed,
    "MyRocks log is flushed at commit": _is("rocksdb_flush_log_at_trx_commit", "1"),
    "recovery of MyRocks leaves out damaged records": _is("rocksdb_wal_recovery_mode", "3"),
    "MyRocks and binlog commit without a prepare phase": _is("rocksdb_enable_2pc", "OFF"),
    "TokuDB is there": _has_tokudb,
    "TokuDB log is flushed at intervals": _tokudb_at_intervals,
    "TokuDB log is flushed neither at commit nor at prepare": _tokudb_unflushed,
    "an engine's log stays in memory at commit": _either(
        _is(FLUSH_LOG, "0"), _myrocks_in_memory, _tokudb_at_intervals, _tokudb_unflushed
    ),
    "an engine's log is written but not flushed at commit": _either(_is(FLUSH_LOG, "2"), _myrocks_unflushed),
    "binlog has files of its own": _own_files,
    "binlog is in the redo log": lambda now: now.on("log_bin") and now.word("binlog_storage_engine") == "INNODB",
    "binlog is not flushed at commit": _not("sync_binlog", "1"),
    "binlog is never flushed": _is("sync_binlog", "0"),
    "binlog is flushed at every Nth group": _not("sync_binlog", "0"),
    "binlog was closed after an error": _is("binlog_open", "OFF"),
    "an error of the binlog switches it off": _is("binlog_error_action", "IGNORE_ERROR"),
    "engine and binlog commit without a prepare phase": _is("innodb_support_xa", "OFF"),
    "flush method is nosync": _is("innodb_flush_method", "NOSYNC"),
    "flush method is littlesync": _is("innodb_flush_method", "LITTLESYNC"),
    "flush method is O_DIRECT_NO_FSYNC": _is("innodb_flush_method", "O_DIRECT_NO_FSYNC"),
    "flush method is ALL_O_DIRECT": _is("innodb_flush_method", "ALL_O_DIRECT"),
    "pages are not written twice": _is("innodb_doublewrite", *NO_DOUBLEWRITE),
    "second writes of pages are not flushed": _is("innodb_doublewrite", "FAST"),
    "pages have no checksums": _either(_is("innodb_checksum_algorithm", *NO_CHECKSUM), _is("innodb_checksums", "OFF")),
    "system calls that flush are left out": _is("debug_no_sync", "ON"),
    "recovery skips steps": _not("innodb_force_recovery", "0"),
}


@dataclass(frozen=True)
class Risk:
    """One way to lose something. `says` may hold {every} and {groups}, filled from Present."""

    crashes: tuple[CrashClass, ...]
    whats: tuple[What, ...]
    conditions: tuple[Condition, ...]
    says: str
    rests_on: str  # a claim, a setting whose manual page says so, or an address
    outcome: Outcome = "may be lost"
    engines: tuple[str, ...] = INNODB
    change: str = ""  # the setting that ends the risk, as name=value, or a statement

    def applies(self, now: Deciding) -> bool | tuple[NotKnown, ...]:
        """Whether all conditions hold; or what is not known, if that decides."""
        lacking: list[NotKnown] = []
        for holds in self.conditions:
            try:
                if not holds(now):
                    return False
            except NotKnown as one:
                lacking.append(one)
        return tuple(lacking) or True


def read(path: Path) -> tuple[dict[str, str], dict[tuple[CrashClass, What], str], tuple[Risk, ...]]:
    """(claims, sentences where no risk applies, risks). Raises PlanError naming file, table and key."""
    file = TomlTable.of_file(path)
    file.only(("claims", "kept", "risks"))
    claims, kept = file.table("claims"), file.table("kept")
    texts = {name: claims.text(name) for name in claims.data}
    sentences = {(crash, what): kept.table(crash).text(what) for crash in CRASHES for what in WHATS}
    return texts, sentences, tuple(_risk(table, texts) for table in file.tables("risks"))


def _risk(table: TomlTable, claims: dict[str, str]) -> Risk:
    table.only(KEYS)
    rests_on = table.text("rests_on")
    if not rests_on.startswith("https://"):
        table.one_of("rests_on", (*claims, *SETTINGS))
    return Risk(
        table.some_of("crashes", CRASHES),
        table.some_of("loses", WHATS),
        tuple(CONDITIONS[name] for name in table.some_of("when", CONDITIONS)),
        table.text("says"),
        claims.get(rests_on, rests_on),
        table.one_of("outcome", get_args(Outcome), "may be lost"),
        table.some_of("engines", ENGINES) if "engines" in table else INNODB,
        table.text("change", ""),
    )


CLAIMS, KEPT, RISKS = read(FILE)
