"""Replicas that follow a primary by GTID: what differs between asynchronous and semi-synchronous replication."""

from collections.abc import Mapping

from workers.sandbox.builds import Build
from workers.servers.limited import Connection
from workers.servers.settings import switch
from workers.topology.faults import Fault
from workers.topology.kinds.following import position
from workers.topology.kinds.kind import ServerVersion, TopologyKind
from workers.topology.topology import Role, Topology

# MDEV-33465, by which init_rpl_role=SLAVE rolls back: the first version of each series. Later series all have it.
ROLE_SINCE = {(10, 6): 19, (10, 11): 9, (11, 1): 6, (11, 2): 5, (11, 4): 3, (11, 5): 2}
ROLE_IN_ALL = (11, 6, 0)


class SourceAndReplica(TopologyKind):
    def problems(self, topology: Topology, build: ServerVersion) -> list[str]:
        as_replica = topology.policy.old_primary == "as a replica" and not _has_role(build)
        role = f"{build.title} does not know init_rpl_role, as MariaDB 10.6.19 and 10.11.9 do: take another policy."
        return position.problems(topology, build) + ([role] if as_replica else [])

    def needs(self, topology: Topology) -> Mapping[str, str]:
        return {"gtid_mode": "ON", "enforce_gtid_consistency": "ON"} if topology.position == "gtid" else {}

    def misfits(self, topology: Topology, fault: Fault) -> list[str]:
        by_gtid = f"{fault.title}: nodes find a new primary by GTIDs: leave position={topology.position} out."
        found = {by_gtid: topology.position != "gtid" and not fault.spares_primary}
        no_binlog = any(switch(own.get("log_bin", "ON")) == "OFF" for own in topology.settings_of_each)
        found["A replica without a binlog cannot take over: leave replica.log_bin out."] = (
            no_binlog and not fault.spares_primary
        )
        found[f"{topology.policy.title}: the fault must take the primary down. Choose another fault or policy."] = (
            topology.policy.promote == "nobody" and not (fault.primary_down or fault.harmless or fault.spares_primary)
        )
        found[f"{fault.title}: only the nodes of a cluster vote."] = fault.of_clusters
        return super().misfits(topology, fault) + [why for why, is_so in found.items() if is_so]

    def settings(self, topology: Topology, build: Build, role: Role) -> Mapping[str, str]:
        """Settings of a node beside those of replication by GTID."""
        return {}

    def lines(self, build: Build) -> tuple[str, ...]:
        """Further lines of the option file, such as plugins."""
        return ()

    def is_ready(self, primary: Connection, topology: Topology) -> bool:
        """Whether the primary replicates as the topology asks, once its replicas follow it."""
        return True

    def retire(self, primary: Connection) -> None:
        """A former primary waits for no replica any more."""


def _has_role(build: ServerVersion) -> bool:
    series, (*_, patch) = build.version[:2], build.version
    later = build.version >= ROLE_IN_ALL or patch >= ROLE_SINCE.get(series, patch + 1)
    return build.flavour == "mariadb" and later
