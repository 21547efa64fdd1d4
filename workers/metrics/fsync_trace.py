"""Every fsync of a sandbox, counted by file in the server's process."""

import re
import time
from collections import defaultdict
from pathlib import Path, PurePath

from workers.metrics.fsync_table import Count, Counts, FsyncTable
from workers.metrics.source import Figure, FileClass, FsyncLatency, Reading, SourceSession, Subject, counted_anew
from workers.servers.facts import Facts

ORIGIN = "trace:fsync"
# Not sync_file_range: it neither waits for the device nor flushes it.
FLUSHES = frozenset({"fsync", "fdatasync", "msync"})
FIGURE_OF: dict[FileClass, str] = {"redo": "redo_fsyncs", "binlog": "binlog_fsyncs", "data": "data_fsyncs"}

# By file name. The server tells the name of its binlog.
CLASSES: dict[FileClass, re.Pattern[str]] = {
    "redo": re.compile(
        r"ib_logfile\d+"  # InnoDB
        r"|#ib_redo\d+(_tmp)?"  # InnoDB of MySQL 8.0.30 and later
        r"|\d+\.log"  # RocksDB
        r"|log\d+\.tokulog\d+"  # TokuDB
    ),
    "data": re.compile(
        r"ibdata\d+|.*\.ibd|undo_?\d+|.*\.ibu"  # InnoDB tablespaces
        r"|.*\.dblwr|ib_doublewrite"  # and doublewrite files
        r"|.*\.sst"  # RocksDB
        r"|.*\.tokudb|tokudb\.(environment|directory|rollback)"  # TokuDB
    ),
}
OLD_BINLOG = "binlog"  # of servers that do not tell (before MySQL 5.6, MariaDB 10.1.6)
BINLOG_SUFFIX = re.compile(r"\.(\d+|index|state)")


def classify(path: str, facts: Facts) -> FileClass:
    name = PurePath(path).name
    told = facts.variable("log_bin_basename")
    binlog = OLD_BINLOG if told is None else PurePath(told).name
    if binlog and name.startswith(binlog) and BINLOG_SUFFIX.fullmatch(name[len(binlog) :]):
        return "binlog"
    return next((files for files, pattern in CLASSES.items() if pattern.fullmatch(name)), "other")


class FsyncTrace:
    """Figures and latencies of the fsync calls of a sandbox that was started with the trace."""

    key = "trace"
    title = "Every fsync call, by file"
    cost = "about 1 microsecond per fsync call"

    def missing(self, subject: Subject) -> str:
        if subject.trace_file is None:
            return subject.trace_missing
        return "" if subject.trace_file.exists() else "The table of the trace is gone: the sandbox was removed."

    def open(self, subject: Subject) -> SourceSession:
        if subject.trace_file is None:
            raise ValueError("open() needs a subject of which nothing is missing")
        return FsyncTraceSession(subject.trace_file, subject.facts)


class FsyncTraceSession:
    """One window. A server that was started again inside it has no figures: its earlier calls are unknown."""

    def __init__(self, file: Path, facts: Facts) -> None:
        self._file, self._facts = file, facts
        self._rates: dict[str, list[float]] = {name: [] for name in (*FIGURE_OF.values(), "all_fsyncs")}

    def begin(self) -> None:
        self._table = FsyncTable(self._file)
        self._table.reset_maxima()
        self._before = self._table.counts()
        self._last_tick_s, self._last_totals = time.monotonic(), self._totals()

    def tick(self) -> None:
        now_s, totals = time.monotonic(), self._totals()
        for name, rates in self._rates.items():
            rates.append((totals[name] - self._last_totals[name]) / max(now_s - self._last_tick_s, 1e-9))
        self._last_tick_s, self._last_totals = now_s, totals

    def end(self) -> Reading:
        counts, whole = self._since_begin(), self._table.current
        if not whole:
            raise counted_anew()
        by_class = self._by_class(counts)
        per_second = {name: tuple(rates) for name, rates in self._rates.items() if rates}
        return Reading(_figures(by_class), tuple(_latency(*each) for each in by_class.items()), per_second)

    def _since_begin(self) -> Counts:
        return {key: count.minus(self._before.get(key)) for key, count in self._table.counts().items()}

    def _totals(self) -> dict[str, float]:
        return {figure.name: figure.value for figure in _figures(self._by_class(self._since_begin()))}

    def _by_class(self, counts: Counts) -> dict[FileClass, list[Count]]:
        by_class: dict[FileClass, list[Count]] = defaultdict(list)
        for (path, call), count in counts.items():
            if call in FLUSHES and count.calls:
                by_class[classify(path, self._facts)].append(count)
        return by_class


def _figures(by_class: dict[FileClass, list[Count]]) -> tuple[Figure, ...]:
    everything = [count for counts in by_class.values() for count in counts]
    split = (_figure(name, by_class.get(files, [])) for files, name in FIGURE_OF.items())
    return (*split, _figure("all_fsyncs", everything))


def _figure(name: str, counts: list[Count]) -> Figure:
    failed = sum(count.errors for count in counts)
    note = f"{failed} of the calls failed" if failed else ""
    return Figure(name, sum(count.calls for count in counts), ORIGIN, note)


def _latency(files: FileClass, counts: list[Count]) -> FsyncLatency:
    merged = [sum(column) for column in zip(*(count.buckets for count in counts), strict=True)]
    return FsyncLatency(
        files=files,
        source=ORIGIN,
        calls=sum(count.calls for count in counts),
        total_ms=sum(count.total_ns for count in counts) / 1e6,
        max_ms=max(count.max_ns for count in counts) / 1e6,
        buckets={2**power: calls for power, calls in enumerate(merged) if calls},
    )
