"""The settings with which a crash can lose something: the rows of risks.toml."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from workers.servers.present import Present
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
UNWRITTEN_REDO, UNFLUSHED_REDO, FLUSHED_REDO = (0,), (0, 2), (1, 3)
UNFLUSHED_MYROCKS = (0, 2)
NO_DOUBLEWRITE = ("OFF", "DETECT_ONLY")


def _own_files(now: Present) -> bool:
    return now.binlog is True and not now.binlog_in_engine


def _myrocks_in_memory(now: Present) -> bool:
    return now.myrocks_flush_log in UNFLUSHED_MYROCKS and now.myrocks_keeps_back


def _tokudb_at_intervals(now: Present) -> bool:
    return bool(now.tokudb_fsync_log_period)


def _tokudb_unflushed(now: Present) -> bool:
    """With the binlog on, the prepare phase flushes the log whatever tokudb_commit_sync is."""
    return now.tokudb_commit_sync is False and now.binlog is False


def _an_engine_in_memory(now: Present) -> bool:
    tokudb = _tokudb_at_intervals(now) or _tokudb_unflushed(now)
    return now.flush_log in UNWRITTEN_REDO or _myrocks_in_memory(now) or tokudb


CONDITIONS: dict[str, Callable[[Present], bool]] = {
    "redo log stays in memory at commit": lambda now: now.flush_log in UNWRITTEN_REDO,
    "redo log is not flushed at commit": lambda now: now.flush_log in UNFLUSHED_REDO,
    "redo log is flushed at commit": lambda now: now.flush_log in FLUSHED_REDO,
    "redo log's flush at commit is not known": lambda now: now.flush_log not in UNFLUSHED_REDO + FLUSHED_REDO,
    "MyRocks log stays in memory at commit": _myrocks_in_memory,
    "MyRocks log is not flushed at commit": lambda now: now.myrocks_flush_log in UNFLUSHED_MYROCKS,
    "MyRocks log is flushed at commit": lambda now: now.myrocks_flush_log == 1,
    "TokuDB is there": lambda now: now.tokudb_commit_sync is not None,
    "TokuDB log is flushed at intervals": _tokudb_at_intervals,
    "TokuDB log is flushed neither at commit nor at prepare": _tokudb_unflushed,
    "an engine's log stays in memory at commit": _an_engine_in_memory,
    "an engine's log is written but not flushed at commit": lambda now: (
        now.flush_log == 2 or now.myrocks_flush_log in UNFLUSHED_MYROCKS
    ),
    "binlog has files of its own": _own_files,
    "binlog is in the redo log": lambda now: now.binlog is True and now.binlog_in_engine,
    "binlog is not flushed at commit": lambda now: _own_files(now) and now.sync_binlog not in (1, None),
    "binlog is never flushed": lambda now: now.sync_binlog == 0,
    "binlog is flushed at every Nth group": lambda now: now.sync_binlog != 0,
    "binlog or its flush is not known": lambda now: now.binlog is None or (now.binlog and now.sync_binlog is None),
    "engine and binlog commit without a prepare phase": lambda now: now.two_phase_off,
    "flush method is nosync": lambda now: now.flush_method == "NOSYNC",
    "flush method is littlesync": lambda now: now.flush_method == "LITTLESYNC",
    "flush method is O_DIRECT_NO_FSYNC": lambda now: now.flush_method == "O_DIRECT_NO_FSYNC",
    "pages are not written twice": lambda now: now.doublewrite in NO_DOUBLEWRITE,
    "recovery skips steps": lambda now: now.force_recovery > 0,
}


@dataclass(frozen=True)
class Risk:
    """One way to lose something. `says` may hold {every} and {groups}, filled from Present."""

    crashes: tuple[CrashClass, ...]
    whats: tuple[What, ...]
    conditions: tuple[Callable[[Present], bool], ...]
    says: str
    rests_on: str  # a claim, a setting whose manual page says so, or an address
    outcome: Outcome = "may be lost"
    engines: tuple[str, ...] = INNODB
    change: str = ""  # the setting that ends the risk, as name=value

    def applies(self, now: Present) -> bool:
        return all(applies(now) for applies in self.conditions)


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
