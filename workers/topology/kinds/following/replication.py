"""Replicas that follow a primary by GTID: what differs between asynchronous and semi-synchronous replication."""

from collections.abc import Mapping

from workers.sandbox.builds import Build
from workers.servers.limited import Connection
from workers.topology.faults import Fault
from workers.topology.kinds.kind import TopologyKind
from workers.topology.topology import Role, Topology


class Replication(TopologyKind):
    carries_load = True

    def misfits(self, topology: Topology, fault: Fault) -> list[str]:
        return [f"{fault.title}: only the nodes of a cluster vote."] if fault.of_clusters else []

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
