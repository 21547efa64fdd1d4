"""Replication by GTID, by flavour; within a flavour the oldest dialect first.

MariaDB: https://mariadb.com/kb/en/gtid/
MySQL: https://dev.mysql.com/doc/refman/8.4/en/replication-gtids-auto-positioning.html
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from workers.errors import PlanError
from workers.sandbox.builds import Build, KnownBuild
from workers.servers.facts import FlavourKey, Version


@dataclass(frozen=True)
class Dialect:
    """Words, questions and settings of servers from `since` on.

    `word`: SLAVE or REPLICA, in statements and status columns. `account`, `point`: files with the SQL that makes the
    account on the source, and that points the follower at it. `written`, `applied`: queries for the GTIDs that a server
    has written or applied; `received`: status column of the received ones. `by_gtid`, `by_file`: how a follower is told
    to find its position; `replayed`: status columns of a position by file. `begin` lets a fresh server begin after some
    GTIDs; `demote` lets a former source go on from its own, "": it does so by itself. `own`: query for the source whose
    GTIDs a follower skips as its own, "": they count as applied. `of_source`: settings that a source needs.
    """

    since: Version
    word: str
    account: str
    point: str
    written: str
    applied: str
    received: str
    begin: str
    by_gtid: str
    by_file: str
    replayed: tuple[str, str] = ("Relay_Master_Log_File", "Exec_Master_Log_Pos")
    demote: str = ""
    own: str = ""
    of_source: Mapping[str, str] = field(default_factory=dict)
    of_follower: Mapping[str, str] = field(default_factory=dict)

    @property
    def account_sql(self) -> str:
        return _text(self.account)

    @property
    def point_sql(self) -> str:
        return _text(self.point)

    def column(self, name: str) -> str:
        """IO_Running -> Slave_IO_Running or Replica_IO_Running."""
        return f"{self.word.capitalize()}_{name}"


def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text()


# Durable, able to become primary, and with threads enough: one thread applies 1300 transactions/s of a load of 9000,
# sixteen with group commit 7000.
MARIADB_FOLLOWER = {
    "log_bin": "ON",
    "log_slave_updates": "ON",
    "sync_binlog": "1",
    "innodb_flush_log_at_trx_commit": "1",
    "slave_parallel_threads": "16",
    "skip_slave_start": "ON",
}

MARIADB = (
    Dialect(
        since=(10, 1, 3),
        word="SLAVE",
        account="account.sql",
        point="point_mariadb.sql",
        written="SELECT @@GLOBAL.gtid_binlog_pos",
        applied="SELECT @@GLOBAL.gtid_slave_pos",
        received="Gtid_IO_Pos",
        begin="SET GLOBAL gtid_slave_pos = %s",
        by_gtid="MASTER_USE_GTID = slave_pos",
        by_file="MASTER_USE_GTID = no, MASTER_LOG_FILE = '{file}', MASTER_LOG_POS = {at}",
        demote="SET GLOBAL gtid_slave_pos = %s",  # MASTER_DEMOTE_TO_SLAVE, but of any version
        of_follower=MARIADB_FOLLOWER,
    ),
)

SOURCE = {"gtid_mode": "ON", "enforce_gtid_consistency": "ON"}
SOURCE_OLD = {**SOURCE, "log_slave_updates": "ON"}
# It is never crashed, so it need not be durable, and one thread keeps up. Parallel threads may wait a minute for the
# rest of a transaction before they stop (SLAVE_WAIT_GROUP_DONE in MySQL's rpl_replica.cc), which a crashed source never
# sends.
FOLLOWER = {**SOURCE, "log_bin": "ON", "sync_binlog": "0", "innodb_flush_log_at_trx_commit": "2"}

_NEW = Dialect(
    since=(8, 0, 26),
    word="REPLICA",
    account="account.sql",
    point="point_mysql.sql",
    written="SELECT @@GLOBAL.gtid_executed",
    applied="SELECT @@GLOBAL.gtid_executed",
    received="Retrieved_Gtid_Set",
    begin="SET GLOBAL gtid_purged = %s",
    by_gtid="SOURCE_AUTO_POSITION = 1",
    by_file="SOURCE_AUTO_POSITION = 0, SOURCE_LOG_FILE = '{file}', SOURCE_LOG_POS = {at}",
    replayed=("Relay_Source_Log_File", "Exec_Source_Log_Pos"),
    own="SELECT @@GLOBAL.server_uuid",
    of_source=SOURCE,
    of_follower={**FOLLOWER, "replica_parallel_workers": "0", "skip_replica_start": "ON"},
)
_OLD = replace(
    _NEW,
    since=(5, 6, 9),
    word="SLAVE",
    account="account_old.sql",
    point="point_mysql_old.sql",
    by_gtid="MASTER_AUTO_POSITION = 1",
    by_file="MASTER_AUTO_POSITION = 0, MASTER_LOG_FILE = '{file}', MASTER_LOG_POS = {at}",
    replayed=("Relay_Master_Log_File", "Exec_Master_Log_Pos"),
    of_source=SOURCE_OLD,
    of_follower={**FOLLOWER, "log_slave_updates": "ON", "skip_slave_start": "ON"},
)

MYSQL = (_OLD, _NEW)

DIALECTS: dict[FlavourKey, tuple[Dialect, ...]] = {"mariadb": MARIADB, "mysql": MYSQL}


def of(build: Build) -> Dialect:
    """The newest dialect that the build knows. PlanError when there is none."""
    if why := _missing(build.flavour, build.version):
        raise PlanError(f"{build.title} cannot have a replica here: {why}.", "Go without, or take a newer server.")
    return next(dialect for dialect in reversed(DIALECTS[build.flavour]) if dialect.since <= build.version)


def missing_of(known: Mapping[str, KnownBuild]) -> dict[str, str]:
    """Build -> why it cannot have a replica, for builds whose version is known before they run."""
    versions = {key: _version(getattr(build, "version", None)) for key, build in known.items()}
    told = {key: _missing(known[key].flavour, version) for key, version in versions.items() if version}
    return {key: why for key, why in told.items() if why}


def _missing(flavour: FlavourKey, version: Version) -> str:
    first = DIALECTS[flavour][0].since
    if version >= first:
        return ""
    return f"a replica finds its place by GTIDs, which it has only from version {'.'.join(map(str, first))} on"


def _version(said: Version | str | None) -> Version | None:
    """The catalogue's "10.5" as the oldest that it can be."""
    if not isinstance(said, str):
        return said
    major, minor, patch = [*map(int, filter(None, said.split("."))), 0, 0][:3]
    return major, minor, patch
