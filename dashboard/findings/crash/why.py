"""Why a crash lost acknowledged commits: from the settings of the trial and the losses of each log.

The settings explain a loss by the same rules as workers/servers/risks.toml. A loss that they do not explain points to
the disk or to a defect of the server, and the sentence says so.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from dashboard.findings.crash.recorded import noun_of
from dashboard.records.experiments.kind_names import RECORDED_KINDS
from dashboard.text.numbers import ms
from workers.crash.kinds import CRASH_KINDS
from workers.crash.kinds.power_loss import LyingDisk
from workers.topology.faults import FAULTS

Log = Literal["engine", "binlog"]
LOGS: tuple[Log, ...] = ("engine", "binlog")
FLUSH, ROCKSDB_FLUSH, SYNC = "innodb_flush_log_at_trx_commit", "rocksdb_flush_log_at_trx_commit", "sync_binlog"


@dataclass(frozen=True)
class Lost:
    """Acknowledged commits lost in one trial, and the time in which they were committed; None: not known. `of`: commits
    that were acknowledged. `all_before`: the logs that kept none from before the worst point of a recorded load."""

    engine: int | None = None
    engine_ms: float | None = None
    binlog: int | None = None
    binlog_ms: float | None = None
    replica: int | None = None  # where a replica is crashed too
    of: int | None = None
    all_before: frozenset[Log] = frozenset()

    def last(self, place: Log, point: str) -> str:
        """What was lost of the load. `point`: the noun of a recorded load, "" of another trial."""
        lost, took_ms = (self.engine, self.engine_ms) if place == "engine" else (self.binlog, self.binlog_ms)
        if point:
            part = "the last moments" if took_ms is None else f"the {ms(took_ms)}"
            return f"{'the whole load up to' if place in self.all_before else f'{part} before'} its worst {point}"
        if lost == self.of:
            return "the whole load" if took_ms is None else f"the whole load ({ms(took_ms)})"
        return "the last moments" if took_ms is None else f"the last {ms(took_ms)}"


@dataclass(frozen=True)
class Cause:
    """`says`: one sentence. `prevented_by`: a sentence, "" where no setting prevents it."""

    says: str
    prevented_by: str = ""


def causes(
    kind: str, engine: str, settings: Mapping[str, str], lost: Lost, of_replica: Mapping[str, str] | None = None
) -> tuple[Cause, ...]:
    """One for the engine, the binary log and the replica, if it lost something, the worse loss first. `engine`: innodb
    or rocksdb; `settings`: those of the running server; `of_replica`: those that its replica has instead."""
    if not lost.engine and not lost.binlog and not lost.replica:
        return ()
    if kind == LyingDisk.key:
        fix = "No setting prevents that. Use a disk whose cache keeps its content without power."
        return (Cause("The disk reported flushes that it did not make.", fix),)
    if kind in FAULTS:
        return ()  # workers.topology.cause explains these losses
    power = not CRASH_KINDS[kind].keeps_page_cache if kind in CRASH_KINDS else True  # page cache lost, or not known
    point = noun_of(kind) if kind in RECORDED_KINDS else ""
    found = [(lost.engine, _engine(power, engine, settings, lost.last("engine", point)))] if lost.engine else []
    found += [(lost.binlog, _binlog(power, settings, lost.last("binlog", point)))] if lost.binlog else []
    found += [(lost.replica, _replica(power, engine, {**settings, **(of_replica or {})}))] if lost.replica else []
    return tuple(cause for _, cause in sorted(found, key=lambda one: -one[0]))


def _engine(power: bool, engine: str, settings: Mapping[str, str], last: str) -> Cause:
    """`last`: what was lost of the load."""
    if engine not in ("innodb", "rocksdb"):
        return _unexplained(False, f"{engine}'s log")
    name = ROCKSDB_FLUSH if engine == "rocksdb" else FLUSH
    log = "write-ahead log" if engine == "rocksdb" else "redo log"
    flush = settings.get(name)
    if flush == "0" or (engine == "rocksdb" and flush == "2" and settings.get("rocksdb_manual_wal_flush") != "OFF"):
        rescue = f"{name}=1" if power or engine == "rocksdb" else f"{name}=1 or 2"
        where = "in the server's memory or not flushed yet" if power else "still in the server's memory"
        return Cause(f"{name}={flush}: the {log} of {last} was {where}.", _prevents(rescue))
    if flush == "2" and power:
        return Cause(f"{name}=2: the {log} of {last} was written, but not flushed to the disk.", _prevents(f"{name}=1"))
    if flush in ("1", "3") and power and _is_unflushed(settings):
        why = f"the binary log of {last} was not flushed, so recovery rolled these commits back."
        return Cause(f"{SYNC}={settings[SYNC]}: {why}", _prevents(f"{SYNC}=1"))
    return _unexplained(flush is not None, f"the {log}")


def _binlog(power: bool, settings: Mapping[str, str], last: str) -> Cause:
    if settings.get("binlog_storage_engine", "").lower() == "innodb":
        flush = settings.get(FLUSH)
        if flush == "0" or (flush == "2" and power):
            says = f"{FLUSH}={flush}: the binary log is in the redo log, and that of {last} was not flushed."
            return Cause(says, _prevents(f"{FLUSH}=1"))
        return _unexplained(flush is not None, "the binary log")
    if power and _is_unflushed(settings):
        says = f"{SYNC}={settings[SYNC]}: the binary log of {last} was still in the page cache (memory of the host)."
        return Cause(says, _prevents(f"{SYNC}=1"))
    return _unexplained(SYNC in settings, "the binary log")


def _replica(power: bool, engine: str, settings: Mapping[str, str]) -> Cause:
    """A replica with these settings, whose rows were compared after it followed the primary again."""
    names = (ROCKSDB_FLUSH if engine == "rocksdb" else FLUSH, SYNC)
    relaxed = [name for name in names if settings.get(name) not in ("1", None)]
    if not power or not relaxed:
        return _unexplained(all(name in settings for name in names), "the replica")
    has = ", ".join(f"{name}={settings[name]}" for name in relaxed)
    says = f"{has} on the replica: the crash took commits from it, and it did not fetch them again."
    return Cause(says, _prevents(" with ".join(f"{name}=1" for name in relaxed) + " on the replica"))


def _is_unflushed(settings: Mapping[str, str]) -> bool:
    return settings.get(SYNC) not in ("1", None)


def _prevents(setting: str) -> str:
    return f"{setting} prevents this."


def _unexplained(is_known: bool, log: str) -> Cause:
    if not is_known:
        return Cause(f"The settings of {log} are not known. They cannot explain the loss.")
    return Cause(f"The settings of {log} do not explain this loss. Look at the disk and at the server's own log.")
