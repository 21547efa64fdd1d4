"""The interface of a kind of replication."""

from collections.abc import Mapping
from dataclasses import dataclass

from workers.sandbox.builds import Build
from workers.servers.limited import Connection
from workers.topology.topology import Role, Topology


@dataclass(frozen=True)
class SemiSyncCounters:
    """Commits of the primary that a replica acknowledged in time, and those that went on without."""

    acknowledged: int
    not_acknowledged: int


class TopologyKind:
    """How nodes are set up so that replicas follow a primary by GTID."""

    key: str
    title: str
    says: str

    def problems(self, topology: Topology, build: Build) -> list[str]:
        """Why this build cannot have such a topology; empty when it can."""
        return []

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

    def counters(self, primary: Connection) -> SemiSyncCounters | None:
        """None: this kind counts nothing."""
        return None
