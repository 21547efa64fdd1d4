"""Where a replica keeps its position in the binlog of its source. A crash of the replica may leave position and rows
apart.

gtid    MariaDB: a table of InnoDB, written with the rows. MySQL: the replica's own binlog (gtid_executed).
file    relay-log.info, which nothing writes together with the rows
table   MySQL only: relay_log_info_repository=TABLE, a table of InnoDB, written with the rows
"""

from collections.abc import Mapping
from dataclasses import dataclass

from workers.crash.replica_link import Link
from workers.sandbox.builds import Build
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.limited import Connection
from workers.topology.kinds.kind import ServerVersion
from workers.topology.topology import Topology

ONLY_TABLE_SINCE = (8, 3, 0)  # MySQL removed the choice: https://dev.mysql.com/doc/relnotes/mysql/8.3/en/


@dataclass(frozen=True)
class FileLink(Link):
    """A follower that counts its position in the binlog files of its source, and not in GTIDs."""

    def begin(self) -> None:
        """`start` tells the position."""

    def position(self, source: Connection) -> str:
        file, at = self.written(source).split(":")
        return self.dialect.by_file.format(file=file, at=at)

    def written(self, source: Connection) -> str:
        """Last file and its size: binlog.000001:4711."""
        file, size = ask.rows(source, "SHOW BINARY LOGS")[-1][:2]
        return f"{ask.as_text(file)}:{ask.integer(size)}"

    def applied(self, follower: Connection) -> str:
        status = self.status(follower)
        return ":".join(status[column] for column in self.dialect.replayed)

    def is_behind(self, source: Connection, follower: Connection) -> bool:
        return self.applied(follower) != self.written(source)


def link(topology: Topology, source: Sandbox, follower: Sandbox, password: str, port: int) -> Link:
    return (Link if topology.position == "gtid" else FileLink)(source, follower, password, port)


def settings(topology: Topology, build: Build) -> Mapping[str, str]:
    """Of every node, beside those of replication by GTID."""
    if topology.position == "gtid" or build.flavour == "mariadb":
        return {}
    place = topology.position.upper()
    repository = {} if _only_table(build) else {"master_info_repository": place, "relay_log_info_repository": place}
    return {"gtid_mode": "OFF", "enforce_gtid_consistency": "OFF", **repository}


def problems(topology: Topology, build: ServerVersion) -> list[str]:
    if topology.position == "table" and build.flavour == "mariadb":
        return [f"{build.title} keeps a position without GTIDs in a file only. Write position=file or position=gtid."]
    if topology.position == "file" and _only_table(build):
        return [f"{build.title} keeps its position in a table only. Write position=table or position=gtid."]
    return []


def _only_table(build: ServerVersion) -> bool:
    return build.flavour == "mysql" and build.version >= ONLY_TABLE_SINCE
