"""Figures from performance_schema's file summaries.

COUNT_MISC counts open, close, seek and size changes beside syncs. For the binlog it is exact while the server stays in
one binlog file (compared with the sync counter on MariaDB 10.11, with a trace on MySQL); after a rotation it is left
out. For redo log and data files it is never exact, so only their bytes are figures.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from workers.errors import ServerError
from workers.metrics.binlog_size import end_of_log
from workers.metrics.source import Counts, Figure, FsyncLatency, SourceSession, Subject, Window
from workers.servers import ask
from workers.servers.facts import Facts

SQL = Path(__file__).with_suffix(".sql").read_text()
ORIGIN = "file_waits:file_summary_by_event_name"
BINLOG = "sql/binlog"
BYTES: dict[str, tuple[tuple[str, ...], str]] = {
    "redo_bytes": (("innodb/innodb_log_file",), "as written to the file, padding included"),
    "binlog_bytes": ((BINLOG,), ""),
    "data_bytes": (("innodb/innodb_data_file", "innodb/innodb_dblwr_file"), "with the doublewrite"),
}
PS_PER_MS = 1e9
SYNCS_SINCE = (5, 6, 0)
OFF = (
    "performance_schema is off. Set performance_schema=ON: for a sandbox in the settings of the experiment, for your "
    "own server in its option file, and restart it."
)
TWICE = (10, 2, 0)  # before it, MariaDB counts the bytes of InnoDB's files twice (measured on 10.1.8 and 10.1.23)


def performance_schema_off(facts: Facts) -> str:
    """What to do about it; "" when it is on."""
    return "" if facts.variable("performance_schema") in ("ON", "1") else OFF


class FileWaits:
    """Bytes by kind of file, and the binlog's syncs with their latency."""

    key = "file_waits"
    title = "File waits of performance_schema"
    cost = "one small SELECT per second; performance_schema itself costs some CPU"

    def missing(self, subject: Subject) -> str:
        if subject.facts.version < SYNCS_SINCE:
            return "The performance_schema of version 5.5 does not count file syncs; that of 5.6 does."
        if off := performance_schema_off(subject.facts):
            return off
        try:
            return _switched_off(subject)
        except ServerError as refused:
            return str(refused)

    def open(self, subject: Subject) -> SourceSession:
        return Window(partial(_read, subject), partial(_figures, subject.facts), partial(_latencies, subject.facts))


def _switched_off(subject: Subject) -> str:
    """Which switch of performance_schema is off, with the statement that turns it on; "" when none is off."""
    consumer = "SELECT enabled FROM performance_schema.setup_consumers WHERE name = 'global_instrumentation'"
    if ask.value(subject.connection, consumer) != "YES":
        return (
            "The consumer global_instrumentation is off. Turn it on: "
            "UPDATE performance_schema.setup_consumers SET enabled = 'YES' WHERE name = 'global_instrumentation';"
        )
    instrument = (
        "SELECT enabled, timed FROM performance_schema.setup_instruments WHERE name = 'wait/io/file/sql/binlog'"
    )
    if ask.rows(subject.connection, instrument) != [("YES", "YES")]:
        return (
            "The instruments of files are off. Turn them on: UPDATE performance_schema.setup_instruments "
            "SET enabled = 'YES', timed = 'YES' WHERE name LIKE 'wait/io/file/%';"
        )
    ask.rows(subject.connection, SQL)  # raises when the account lacks the privilege
    return ""


def _read(subject: Subject) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for event, misc, total_ps, max_ps, written in ask.rows(subject.connection, SQL):
        name = str(event).removeprefix("wait/io/file/")
        counts |= {
            f"{name} misc": ask.integer(misc),
            f"{name} misc ps": ask.integer(total_ps),
            f"{name} misc max ps": ask.integer(max_ps),
            f"{name} bytes": ask.integer(written),
        }
    counts["binlog number"] = _binlog_number(subject)
    return counts


def _binlog_number(subject: Subject) -> int:
    """The number at the end of the binlog file's name; -1 when the binlog is off or cannot be seen."""
    try:
        number = ask.whole(end_of_log(subject.connection, subject.facts)[0].rsplit(".", 1)[-1])
    except ServerError:
        return -1
    return -1 if number is None else number


def _figures(facts: Facts, before: Counts, after: Counts) -> tuple[Figure, ...]:
    return (*_bytes(facts, before, after), *_syncs(facts, before, after))


def _bytes(facts: Facts, before: Counts, after: Counts) -> tuple[Figure, ...]:
    made = []
    twice = facts.flavour == "mariadb" and facts.version < TWICE
    for figure, (files, note) in BYTES.items():
        if twice and files[0] != BINLOG:
            continue
        counted = [f"{name} bytes" for name in files if after.get(f"{name} bytes") is not None]
        if counted and counted[0].startswith(files[0]):
            written = sum(after[name] - before[name] for name in counted)
            made.append(Figure(figure, written, f"{ORIGIN}:bytes", note))
    return tuple(made)


def _syncs(facts: Facts, before: Counts, after: Counts) -> tuple[Figure, ...]:
    if not _one_binlog(before, after):
        return ()
    calls = after[f"{BINLOG} misc"] - before[f"{BINLOG} misc"]
    syncs = Figure("binlog_fsyncs", calls, f"{ORIGIN}:misc", "exact within one binlog file")
    if facts.flavour == "mysql" and facts.variable("sync_binlog") == "1":
        note = "not counted by MySQL: with sync_binlog=1 every group is one binlog sync"
        return (syncs, Figure("binlog_groups", calls, f"{ORIGIN}:misc", note))
    return (syncs,)


def _latencies(facts: Facts, before: Counts, after: Counts) -> tuple[FsyncLatency, ...]:
    """Only when the window's maximum is known: the server's maximum grew in the window."""
    if not _one_binlog(before, after) or not after[f"{BINLOG} misc max ps"] > before[f"{BINLOG} misc max ps"]:
        return ()
    spent = {name: after[name] - before[name] for name in (f"{BINLOG} misc", f"{BINLOG} misc ps")}
    return (
        FsyncLatency(
            files="binlog",
            source=f"{ORIGIN}:misc",
            calls=spent[f"{BINLOG} misc"],
            total_ms=spent[f"{BINLOG} misc ps"] / PS_PER_MS,
            max_ms=after[f"{BINLOG} misc max ps"] / PS_PER_MS,
        ),
    )


def _one_binlog(before: Counts, after: Counts) -> bool:
    return f"{BINLOG} misc" in before and before["binlog number"] == after["binlog number"] != -1
