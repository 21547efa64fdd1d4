"""Semi-synchronous replication: the primary answers when a replica has received the commit.

MariaDB: https://mariadb.com/kb/en/semisynchronous-replication/ (built in since 10.3.3).
MySQL: https://dev.mysql.com/doc/refman/8.4/en/replication-semisync.html (plugins; named source and replica since
8.0.26).

Only the primary has the primary's half switched on. A replica with both halves waits `timeout_ms` in its applier for
replicas of its own that it does not have, and a promotion would take that long.
"""

from collections.abc import Mapping

from workers.sandbox.builds import Build
from workers.servers import ask
from workers.servers.limited import Connection
from workers.topology.kinds.following.following import Following
from workers.topology.kinds.kind import ServerVersion, without_plugins
from workers.topology.semi_sync_status import semi_sync_status
from workers.topology.topology import Role, Topology

BUILT_IN_SINCE = (10, 3, 3)
NEW_NAMES_SINCE = (8, 0, 26)
WAIT_POINT_SINCE = (5, 7, 2)  # MySQL
COUNT_SINCE = (5, 7, 3)  # MySQL's number of acknowledgements
ENABLED = {"rpl_semi_sync_master_enabled", "rpl_semi_sync_source_enabled"}
VARIABLES = r"SHOW GLOBAL VARIABLES LIKE 'rpl\_semi\_sync%'"
LEAST_TIMEOUT_MS = 1


class SemiSync(Following):
    key = "semi-sync"
    title = "Semi-synchronous"
    says = "The primary answers its clients when a replica has written the commit to its relay log."
    knows = frozenset({"wait_point", "acknowledgements", "timeout_ms", "both_halves"})
    round_trips = (1.0, 1.5)  # see workers.analysis.round_trip

    def problems(self, topology: Topology, build: ServerVersion) -> list[str]:
        mysql = build.flavour == "mysql"
        counts = mysql and build.version >= COUNT_SINCE
        found = {
            "The timeout is 0: no commit would wait for a replica. Give at least 1 ms.": (
                topology.timeout_ms < LEAST_TIMEOUT_MS
            ),
            f"{topology.acknowledgements} acknowledgements need as many replicas, and there are {topology.replicas}.": (
                topology.acknowledgements > topology.replicas
            ),
            f"{build.title} waits for one acknowledgement only.": topology.acknowledgements != 1 and not counts,
            f"{build.title} knows AFTER_COMMIT only.": (
                topology.wait_point != "AFTER_COMMIT" and mysql and build.version < WAIT_POINT_SINCE
            ),
        }
        return super().problems(topology, build) + [why for why, is_so in found.items() if is_so]

    def lacks(self, build: Build) -> str:
        return without_plugins(build, _plugins(build))

    def settings(self, topology: Topology, build: Build, role: Role) -> Mapping[str, str]:
        source, replica = _halves(build)
        if role == "replica":
            return {f"loose_{replica}_enabled": "ON"}
        waits = {
            f"loose_{source}_enabled": "ON",
            f"loose_{source}_timeout": f"{topology.timeout_ms:.0f}",
            f"loose_{source}_wait_point": topology.wait_point,
        }
        if topology.both_halves:
            waits[f"loose_{replica}_enabled"] = "ON"
        if topology.acknowledgements > 1:
            waits[f"loose_{source}_wait_for_{replica.rpartition('_')[2]}_count"] = str(topology.acknowledgements)
        return waits

    def lines(self, build: Build) -> tuple[str, ...]:
        return tuple(f"plugin_load_add={plugin}" for plugin in _plugins(build))

    def is_ready(self, primary: Connection, topology: Topology) -> bool:
        status = semi_sync_status(primary)
        return status.get("status") == "ON" and int(status.get("clients", "0")) >= topology.replicas

    def retire(self, primary: Connection) -> None:
        for name in ENABLED & ask.names_to_values(primary, VARIABLES).keys():
            ask.rows(primary, f"SET GLOBAL {name} = OFF")


def _halves(build: Build) -> tuple[str, str]:
    """The first words of the variables of the primary's half and of the replica's."""
    new = build.flavour == "mysql" and build.version >= NEW_NAMES_SINCE
    return ("rpl_semi_sync_source", "rpl_semi_sync_replica") if new else ("rpl_semi_sync_master", "rpl_semi_sync_slave")


def _plugins(build: Build) -> tuple[str, ...]:
    """Libraries of both halves; none where they are built in."""
    if build.flavour == "mariadb" and build.version >= BUILT_IN_SINCE:
        return ()
    return tuple(f"{half.removeprefix('rpl_').replace('_sync', 'sync')}.so" for half in _halves(build))
