"""How a server replicates, as it says itself: who it is, whom it follows, who follows it, and its cluster."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from workers.errors import ServerError
from workers.servers import ask
from workers.servers.facts import Facts
from workers.servers.limited import Connection
from workers.servers.printable import MOST_CHARS, bounded

T = TypeVar("T")
MOST_PEERS = 1000
RENAMED = {"master": "source", "slave": "replica"}
VARIABLES = (
    "server_uuid", "hostname", "report_host", "relay_log_info_repository", "relay_log_recovery", "sync_relay_log",
    "sync_binlog", "innodb_flush_log_at_trx_commit", "log_bin", "binlog_open", "rpl_semi_sync_source_enabled",
    "rpl_semi_sync_source_wait_point", "rpl_semi_sync_source_timeout", "rpl_semi_sync_source_wait_for_replica_count",
    "rpl_semi_sync_replica_enabled",
    "group_replication_consistency", "replica_parallel_threads", "log_replica_updates", "gtid_strict_mode",
)  # fmt: skip
STATUS = (
    "rpl_semi_sync_source_status", "rpl_semi_sync_source_clients", "rpl_semi_sync_source_no_tx",
    "rpl_semi_sync_replica_status",
    "wsrep_cluster_state_uuid", "wsrep_cluster_status", "wsrep_cluster_size", "wsrep_local_state_comment",
    "wsrep_incoming_addresses",
)  # fmt: skip
DUMPS = "SELECT host FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'"  # all with PROCESS only
MEMBERS = "SELECT * FROM performance_schema.replication_group_members"  # the role is there since 8.0.2


@dataclass(frozen=True)
class Peer:
    """Another server, as this one names it. `uuid`: "" where it has none or is not known. `state`: of a source: of the
    threads; of a group's member: its own. `role`: of a group's member; "": not known."""

    host: str
    port: int
    server_id: int = 0
    uuid: str = ""
    state: str = ""
    error: str = ""
    by_gtid: bool = False
    role: str = ""


@dataclass(frozen=True)
class Replication:
    """None: could not be read; `unread` says why. `values`: VARIABLES and STATUS that the server has, with the newer
    words source and replica. `dump_hosts`: from where replicas are connected, as far as the account may see it; asked
    only if one of them does not report its address, or the account may not list them."""

    server_id: int
    port: int
    sources: tuple[Peer, ...] | None
    replicas: tuple[Peer, ...] | None
    members: tuple[Peer, ...] | None
    values: Mapping[str, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    dump_hosts: tuple[str, ...] = ()


def read(connection: Connection, facts: Facts) -> Replication:
    """A statement that the account may not run leaves its part unknown. Never raises ServerError."""
    unread: list[str] = []

    def tried(what: str, ask_server: Callable[[], T]) -> T | None:
        try:
            return ask_server()
        except ServerError as refused:
            unread.append(f"{what}: {refused.message} {refused.fix}".rstrip())
            return None

    sources, replicas = _statements(facts)
    is_member = facts.variable("group_replication_group_name")
    status = tried("SHOW GLOBAL STATUS", lambda: ask.names_to_values(connection, "SHOW GLOBAL STATUS")) or {}
    followers = tried(replicas, lambda: tuple(_replica(row) for row in _rows(connection, replicas)))
    nameless = followers is None or any(not peer.host for peer in followers)
    known = {renamed(name): value for name, value in (*facts.variables.items(), *status.items())}
    return Replication(
        server_id=_number(facts.variable("server_id")),
        port=_number(facts.variable("port")),
        sources=tried(sources, lambda: tuple(_source(row) for row in source_rows(connection, facts))),
        replicas=followers,
        members=tried(
            "performance_schema.replication_group_members",
            lambda: tuple(_member(row) for row in _rows(connection, MEMBERS)),
        )
        if is_member
        else (),
        values={name: bounded(known[name]) for name in (*VARIABLES, *STATUS) if name in known},
        unread=tuple(unread),
        dump_hosts=(tried("the process list", lambda: _dump_hosts(connection)) or ()) if nameless else (),
    )


def source_rows(connection: Connection, facts: Facts) -> list[dict[str, str]]:
    """What a server says of each of its sources: columns in lower case and in the newer words. Raises ServerError."""
    return _rows(connection, _statements(facts)[0])


def _statements(facts: Facts) -> tuple[str, str]:
    """For the sources and for the replicas."""
    if facts.flavour == "mysql" and facts.version >= (8, 0, 22):
        return "SHOW REPLICA STATUS", "SHOW REPLICAS"
    has_many = facts.flavour == "mariadb" and facts.version >= (10, 0, 0)
    return "SHOW ALL SLAVES STATUS" if has_many else "SHOW SLAVE STATUS", "SHOW SLAVE HOSTS"


def _rows(connection: Connection, sql: str) -> list[dict[str, str]]:
    """With names in lower case and in the newer words."""
    return [
        {renamed(name[:MOST_CHARS]): bounded(ask.as_text(value)) for name, value in row.items()}
        for row in ask.named_rows(connection, sql)[:MOST_PEERS]
    ]


def renamed(name: str) -> str:
    name = name.lower()
    for old, new in RENAMED.items():
        name = name.replace(old, new)
    return name


def _source(row: Mapping[str, str]) -> Peer:
    threads = [row.get(f"replica_{thread}_running", "") for thread in ("io", "sql")]
    return Peer(
        host=row.get("source_host", ""),
        port=_number(row.get("source_port")),
        server_id=_number(row.get("source_server_id")),
        uuid=row.get("source_uuid", ""),
        state="follows" if threads == ["Yes", "Yes"] else "does not follow",
        error=row.get("last_io_error") or row.get("last_sql_error") or "",
        by_gtid=row.get("auto_position") == "1" or row.get("using_gtid", "No") not in ("", "No"),
    )


def _replica(row: Mapping[str, str]) -> Peer:
    number, port = _number(row.get("server_id")), _number(row.get("port"))
    return Peer(row.get("host", ""), port, number, row.get("replica_uuid", ""))


def _dump_hosts(connection: Connection) -> tuple[str, ...]:
    """Without the ports of their connections."""
    hosts = (row.get("host", "") for row in _rows(connection, DUMPS))
    return tuple(sorted({host.rpartition(":")[0] or host for host in hosts}))


def _member(row: Mapping[str, str]) -> Peer:
    return Peer(
        row.get("member_host", ""),
        _number(row.get("member_port")),
        uuid=row.get("member_id", ""),
        state=row.get("member_state", ""),
        role=row.get("member_role", "").lower(),
    )


def _number(text: str | None) -> int:
    """0: none."""
    return ask.whole(text) or 0
