"""Group Replication, MySQL's cluster, with one primary: a majority receives a commit before the client is answered.

https://dev.mysql.com/doc/refman/8.4/en/group-replication.html
"""

import contextlib
import secrets
import uuid
from collections.abc import Mapping, Sequence

from workers.errors import ServerEnded, ServerError
from workers.sandbox import port
from workers.sandbox.additions import Additions
from workers.sandbox.builds import Build
from workers.sandbox.options import KEEP_BINLOG
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.gtid import count, parse
from workers.servers.limited import Connection
from workers.servers.settings import switch
from workers.topology.ground import Ground
from workers.topology.kinds.cluster.cluster import Cluster
from workers.topology.kinds.cluster.membership import Position, wait
from workers.topology.kinds.kind import ServerVersion, without_plugins
from workers.topology.nodes import Node, NodePlan, on_each
from workers.topology.topology import Topology

SINCE = (8, 0, 27)  # the words SOURCE and REPLICA, and the consistency levels
RENAMED = (8, 4, 0)  # RESET MASTER
PLUGIN = "group_replication.so"
LOCAL_ADDRESS = "loose_group_replication_local_address"
ACCOUNT = "durascope_repl"
LOGGED = ("log_bin", "log_slave_updates", "log_replica_updates")
ONLINE_S, APPLIED_S = 90.0, 120.0
# START GROUP_REPLICATION and forcing members wait for others; an applier waits 60 s for the rest of a transaction.
ANSWER_S = 120.0
MOST_EXPEL_S = 3600

# Without instruments its tables still show the members, and nothing is timed.
LINES = (f"plugin_load_add={PLUGIN}", "loose_performance_schema_instrument='%=OFF'")
EVERYWHERE = {
    "log_bin": "ON",
    "gtid_mode": "ON",
    "enforce_gtid_consistency": "ON",
    **KEEP_BINLOG,
    "performance_schema": "ON",
    "loose_group_replication_start_on_boot": "OFF",
    "loose_group_replication_ip_allowlist": "127.0.0.1/8,10.231.0.0/24",
    "loose_group_replication_recovery_get_public_key": "ON",
    "loose_group_replication_recovery_use_ssl": "OFF",
    "loose_group_replication_ssl_mode": "DISABLED",
    "loose_group_replication_message_cache_size": "134217728",  # the least; by default 1 GiB a member
}
RECOVERY = (
    f"CHANGE REPLICATION SOURCE TO SOURCE_USER = '{ACCOUNT}', SOURCE_PASSWORD = %s "
    "FOR CHANNEL 'group_replication_recovery'"
)
MEMBERS = "SELECT COUNT(*) FROM performance_schema.replication_group_members WHERE member_state = 'ONLINE'"
OWN_STATE = "SELECT member_state FROM performance_schema.replication_group_members WHERE member_id = @@server_uuid"
APPLIER = "FOR CHANNEL 'group_replication_applier'"
APPLYING = (
    "SELECT COUNT(*) FROM performance_schema.replication_applier_status "
    "WHERE channel_name = 'group_replication_applier' AND service_state = 'ON'"
)
ALL_READ = "SELECT COUNT(*) FROM information_schema.processlist WHERE state LIKE '%has read all relay log%'"


class GroupReplication(Cluster):
    key = "group-replication"
    title = "Group Replication"
    says = "A commit is answered when a majority has received it in memory. Each node flushes as its settings say."
    knows = frozenset({"writers", "consistency", "expel_timeout_s", "single_leader"})
    causal_read = "SET SESSION group_replication_consistency = 'BEFORE'"
    executed = "SELECT @@GLOBAL.gtid_executed"

    def node_mib(self, build: ServerVersion) -> int:
        return 600

    def waits(self, topology: Topology) -> tuple[float, float]:
        """See workers.analysis.round_trip."""
        trips = 1.0 if topology.single_leader else 2.0
        return trips, trips

    def problems(self, topology: Topology, build: ServerVersion) -> list[str]:
        if build.flavour != "mysql" or build.version < SINCE:
            return [f"{build.title} has no Group Replication that can be tried here: it needs MySQL 8.0.27 or later."]
        expel_s = topology.expel_timeout_s
        each = topology.settings_of_each
        off = [name for name in LOGGED if any(switch(own.get(name, "ON")) == "OFF" for own in each)]
        found = {
            f"An expel timeout of {expel_s} s is not possible: 0 to {MOST_EXPEL_S} are.": (
                not 0 <= expel_s <= MOST_EXPEL_S
            ),
            "Clients can commit on the first node only: the group has one primary.": topology.writers != "first",
            f"Each member of a group logs all commits in a binary log: leave {' and '.join(off)} out.": bool(off),
        }
        return super().problems(topology, build) + [why for why, is_so in found.items() if is_so]

    def needs(self, topology: Topology) -> Mapping[str, str]:
        return {"gtid_mode": "ON", "enforce_gtid_consistency": "ON", "binlog_format": "ROW"}

    def lacks(self, build: Build) -> str:
        return without_plugins(build, (PLUGIN,))

    def plans(self, ground: Ground) -> tuple[NodePlan, ...]:
        places = [f"{address}:{port.free_port()}" for address in ground.addresses]
        group = _of_group(ground.topology, places)
        members = [{"report_host": one, LOCAL_ADDRESS: at} for one, at in zip(ground.addresses, places, strict=True)]
        return tuple(
            ground.node(number, {**EVERYWHERE, **ground.settings_of(number), **group, **member}, Additions(LINES))
            for number, member in enumerate(members, start=1)
        )

    def assemble(self, nodes: Sequence[Node]) -> None:
        """Histories begin anew, so that a member lacks nothing that its image brought."""
        password = secrets.token_hex(16)
        on_each(nodes, lambda node: _prepare(node, password))
        _start(nodes[0], bootstrap=True)
        on_each(nodes[1:], lambda node: self.join(node, ""))

    def members(self, connection: Connection) -> int:
        return ask.integer(ask.value(connection, MEMBERS))

    def revive(self, node: Node) -> Position:
        """It applies what its relay log holds."""
        node.restart({})
        with connect(node.sandbox.target, answer_s=ANSWER_S) as connection:
            with contextlib.suppress(ServerError):  # a member that received nothing has no relay log
                _apply_relay_log(node, connection)
            executed = ask.text(connection, "SELECT @@GLOBAL.gtid_executed")
        return Position(count(parse(executed)), executed)

    def bootstrap(self, node: Node, position: Position) -> None:
        _start(node, bootstrap=True)

    def force(self, nodes: Sequence[Node]) -> None:
        places = ",".join(node.settings[LOCAL_ADDRESS] for node in nodes)
        with connect(nodes[0].sandbox.target, answer_s=ANSWER_S) as connection:
            ask.rows(connection, "SET GLOBAL group_replication_force_members = %s", [places])
            ask.rows(connection, "SET GLOBAL group_replication_force_members = ''")

    def join(self, node: Node, position: str) -> None:
        _start(node, bootstrap=False)


def _of_group(topology: Topology, places: list[str]) -> Mapping[str, str]:
    return {
        "loose_group_replication_group_name": str(uuid.uuid4()),
        "loose_group_replication_group_seeds": ",".join(places),
        "loose_group_replication_consistency": topology.consistency,
        "loose_group_replication_member_expel_timeout": str(topology.expel_timeout_s),
        "loose_group_replication_paxos_single_leader": "ON" if topology.single_leader else "OFF",
    }


def _prepare(node: Node, password: str) -> None:
    build = node.sandbox.build
    with connect(node.sandbox.target) as connection:
        ask.rows(connection, f"DROP USER IF EXISTS {ACCOUNT}@'%'")
        ask.rows(connection, f"CREATE USER {ACCOUNT}@'%%' IDENTIFIED BY %s", [password])
        ask.rows(connection, f"GRANT REPLICATION SLAVE ON *.* TO {ACCOUNT}@'%'")
        ask.rows(connection, "RESET MASTER" if build.version < RENAMED else "RESET BINARY LOGS AND GTIDS")
        ask.rows(connection, RECOVERY, [password])


def _start(node: Node, *, bootstrap: bool) -> None:
    """Until it is online. ServerError or ServerEnded: the group, or the node, refuses."""
    with connect(node.sandbox.target, answer_s=ANSWER_S) as connection:
        if bootstrap:
            ask.rows(connection, "SET GLOBAL group_replication_bootstrap_group = ON")
        try:
            ask.rows(connection, "START GROUP_REPLICATION")
        finally:
            if bootstrap:
                ask.rows(connection, "SET GLOBAL group_replication_bootstrap_group = OFF")
        wait(node, lambda: _is_online(node, connection), "it was online", ONLINE_S)


def _apply_relay_log(node: Node, connection: Connection) -> None:
    """As far as it can be read. A power loss tears a relay log that was not flushed (sync_relay_log), and no member
    starts with such a one: it is dropped, as an administrator has to."""

    with contextlib.suppress(ServerError):  # the applier ended before the statement did
        ask.rows(connection, f"START REPLICA SQL_THREAD {APPLIER}")
    wait(
        node,
        lambda: bool(ask.value(connection, ALL_READ)) or not ask.value(connection, APPLYING),
        "its relay log was applied",
        APPLIED_S,
    )
    if ask.value(connection, APPLYING):
        ask.rows(connection, f"STOP REPLICA SQL_THREAD {APPLIER}")  # waits for what is being applied
    else:
        ask.rows(connection, f"RESET REPLICA ALL {APPLIER}")


def _is_online(node: Node, connection: Connection) -> bool:
    state = ask.text(connection, OWN_STATE)
    if state in ("ERROR", "OFFLINE"):
        said = " ".join(line for line in node.sandbox.log_text.splitlines()[-40:] if "[ERROR]" in line)
        raise ServerEnded(f"{node.name} is {state} in its group: {said or 'its error log names no error'}")
    return state == "ONLINE"
