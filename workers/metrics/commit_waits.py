"""The time that sessions wait for the leader of their commit group, from performance_schema.

In group commit the first session of a group writes and flushes for all. The others wait on a condition until it has
finished (MySQL since 5.6: MYSQL_BIN_LOG::COND_done, in MYSQL_BIN_LOG::change_stage; MariaDB: THD::COND_wakeup_ready, in
MYSQL_BIN_LOG::queue_for_group_commit). In MySQL 5.7.6 and later the leader flushes the redo log for its group too. In
MariaDB and MySQL 5.6 each session does so before it queues. The instrument is off by default. MySQL 5.6 obeys it only
when it was on at the start, so a count of 0 waits yields no figure.
"""

from functools import partial
from pathlib import Path

from workers.errors import ServerError
from workers.metrics.file_waits import performance_schema_off
from workers.metrics.source import Counts, Figure, SourceSession, Subject, Window
from workers.servers import ask
from workers.servers.facts import FlavourKey

SQL = Path(__file__).with_suffix(".sql").read_text()
ORIGIN = "commit_waits"
PS_PER_MS = 1e9
INSTRUMENTS: dict[FlavourKey, str] = {
    "mysql": "wait/synch/cond/sql/MYSQL_BIN_LOG::COND_done",
    "mariadb": "wait/synch/cond/sql/THD::COND_wakeup_ready",
}
LED: dict[str, tuple[str, ...]] = {  # by the end of a figure's source: the logs that the leader flushes
    "THD::COND_wakeup_ready": ("binlog",),
    "MYSQL_BIN_LOG::COND_done": ("redo", "binlog"),
}
SWITCHED = "SELECT enabled, timed FROM performance_schema.setup_instruments WHERE name = %s"


class CommitWaits:
    key = "commit_waits"
    title = "Waits for the leader of a commit group"
    cost = "one small SELECT per second; the instrument costs a microsecond per wait"

    def missing(self, subject: Subject) -> str:
        if off := performance_schema_off(subject.facts):
            return off
        instrument = INSTRUMENTS[subject.facts.flavour]
        try:
            switches = ask.rows(subject.connection, SWITCHED, (instrument,))
        except ServerError as refused:
            return str(refused)
        if not switches:
            return f"This server has no instrument {instrument}."
        if switches != [("YES", "YES")]:
            return (
                f"The instrument {instrument} is off. Turn it on in the option file: "
                f"performance-schema-instrument='{instrument}=ON'; restart."
            )
        return ""

    def open(self, subject: Subject) -> SourceSession:
        return Window(partial(_read, subject), partial(_figures, INSTRUMENTS[subject.facts.flavour]))


def _read(subject: Subject) -> Counts:
    found = ask.rows(subject.connection, SQL, (INSTRUMENTS[subject.facts.flavour],))
    waits, ps = found[0] if found else (0, 0)
    return {"waits": ask.integer(waits), "ps": ask.integer(ps)}


def _figures(instrument: str, before: Counts, after: Counts) -> tuple[Figure, ...]:
    if after["waits"] == before["waits"]:
        return ()
    waited_ms = (after["ps"] - before["ps"]) / PS_PER_MS
    return (Figure("group_wait_ms", waited_ms, f"{ORIGIN}:{instrument.rpartition('/')[2]}"),)
