"""Asking a server for its binary log as a replica does: what is registered, negotiated and requested."""

import secrets
import struct
from collections.abc import Iterator
from uuid import uuid4

import pymysql

from workers.errors import MissingPrivilege, ServerError
from workers.servers import ask, gtid
from workers.servers.driver_errors import explain
from workers.servers.dump import packets
from workers.servers.dump.packets import DumpRefused, Event, NoDump
from workers.servers.limited import Broken, Connection

REGISTER, DUMP, DUMP_GTID = 0x15, 0x12, 0x1E
NOT_WAITING = 0x01  # the server says when its log ends, and does not wait for more
WITH_ANNOTATIONS = 0x02  # MariaDB leaves out events of the type ANNOTATE_ROWS otherwise
BEGIN = 4  # the position of a file's first event
HEARTBEAT_NS = 5_000_000_000
DENIED = 1045  # after the login: without the right to replicate
ALIKE = (1236, 13114)  # "fatal error when reading the binary log": the server's number, and the one in its messages
# A replica that names no checksum gets none: the server would take them off. MySQL has two names for each variable.
# Semi-synchronous replication (@rpl_semi_sync_slave) is not asked for: no commit waits for this reader.
SESSION = """\
SET @master_binlog_checksum = 'CRC32', @source_binlog_checksum = 'CRC32', @mariadb_slave_capability = 4, \
@master_heartbeat_period = %s, @source_heartbeat_period = %s, @slave_uuid = %s, @replica_uuid = %s"""


class DumpSession:
    """One connection that acts as a replica with a server id of its own."""

    def __init__(self, connection: Connection, most_event_bytes: int) -> None:
        self._connection, self._most = connection, most_event_bytes
        self._server_id = secrets.randbits(31) | 1 << 31  # no server of a DBA has such a number
        self._is_mariadb = "mariadb" in ask.text(connection, "SELECT VERSION()").lower()
        self._account = ask.account(connection)  # a server hangs up after a dump
        uuid = str(uuid4())
        ask.rows(connection, SESSION, [HEARTBEAT_NS, HEARTBEAT_NS, uuid, uuid])
        self._register()

    def of_file(self, name: str) -> Iterator[list[Event]]:
        """The events of this file and of those after it, until the end of the log. Raises DumpRefused when the server
        cannot read its own log, and ServerError."""
        flags = NOT_WAITING | (WITH_ANNOTATIONS if self._is_mariadb else 0)
        body = struct.pack("<IHI", BEGIN, flags, self._server_id) + name.encode()
        return self._told(DUMP, body)

    def after(self, gtids: str) -> Iterator[list[Event]]:
        """The events of all transactions that are not among these GTIDs, in whatever file. Raises as `of_file`."""
        if self._is_mariadb:
            state = "SET @slave_connect_state = %s, @slave_gtid_strict_mode = 0, @slave_gtid_ignore_duplicates = 0"
            ask.rows(self._connection, state, [gtids])
            return self.of_file("")
        known = mysql_gtids(gtids)
        head = struct.pack("<HIIQI", NOT_WAITING, self._server_id, 0, BEGIN, len(known))
        return self._told(DUMP_GTID, head + known)

    def _register(self) -> None:
        """Named in SHOW REPLICAS while it reads, as any replica."""
        nobody = b"\0" * 3  # host, user and password: empty
        next(filter(None, self._told(REGISTER, struct.pack("<I", self._server_id) + nobody + bytes(10))))

    def _told(self, command: int, body: bytes) -> Iterator[list[Event]]:
        where = ask.where(self._connection)
        try:
            self._connection.command(command, body)
            yield from packets.events(self._connection.arrived, self._most)
        except DumpRefused as refused:
            if refused.number in ALIKE:
                raise
            if refused.number == DENIED:
                says, fix = f"The account may not read the binary log at {where}", "GRANT REPLICATION SLAVE ON *.* TO"
                raise MissingPrivilege(f"{says}: {refused.says}.", f"{fix} {self._account};") from refused
            error = pymysql.OperationalError(refused.number, refused.says)
            raise explain(error, where, lambda: self._account) from refused
        except NoDump as nonsense:
            raise no_log(where, str(nonsense)) from nonsense
        except Broken as ended:
            raise ServerError(
                f"{where} was given up while it sent its binary log: it {ended.why}.",
                "Check whether the server still runs and how large its binary log is. Then try again.",
            ) from ended
        except (pymysql.Error, OSError) as error:
            raise explain(error, where) from error


def no_log(where: str, why: str) -> ServerError:
    return ServerError(
        f"{where} does not send its binary log as a MySQL or MariaDB server does: {why}.",
        "Check what stands between the worker and the server. Nothing was changed.",
    )


def mysql_gtids(text: str) -> bytes:
    """`uuid:1-5:7,uuid:9` as in COM_BINLOG_DUMP_GTID: each source with its intervals, whose ends are exclusive."""
    sources = gtid.parse(text)
    if any(":" in source for source in sources):
        raise ServerError("The server's GTIDs have tags, so its log cannot be read from a GTID on.")
    packed = b"".join(
        bytes.fromhex(uuid.replace("-", ""))
        + struct.pack("<Q", len(intervals))
        + b"".join(struct.pack("<QQ", first, last + 1) for first, last in intervals)
        for uuid, intervals in sources.items()
    )
    return struct.pack("<Q", len(sources)) + packed
