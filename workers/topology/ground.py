"""What the servers of a topology are made from, and the network that they are in."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from workers.sandbox import builds
from workers.sandbox.additions import Additions
from workers.sandbox.builds import Build
from workers.topology.network import ability
from workers.topology.network.network import Network
from workers.topology.nodes import NodePlan
from workers.topology.topology import Topology

LOCAL = "127.0.0.1"


@dataclass(frozen=True)
class Ground:
    """What the nodes are made from, and where they are. `image`: the key of the data that each begins with, "": of an
    empty server. `network`: None: all are on 127.0.0.1, without a delay."""

    root: Path
    build: Build
    topology: Topology
    settings: Mapping[str, str] = field(default_factory=dict)
    image: str = ""
    user: str = ""
    network: Network | None = None

    @property
    def addresses(self) -> tuple[str, ...]:
        nodes = 1 + self.topology.replicas
        return tuple(one.address for one in self.network.nodes) if self.network else (LOCAL,) * nodes

    def settings_of(self, number: int) -> Mapping[str, str]:
        """Of node `number`, counted from 1, as far as the variant and its topology say."""
        return {**self.settings, **self.topology.settings_of(number - 1)}

    def node(
        self,
        number: int,
        settings: Mapping[str, str],
        additions: Additions,
        image: str = "",
        at_first: Mapping[str, str] | None = None,
    ) -> NodePlan:
        """Node `number`, counted from 1. Without an `image` it begins with that of the variant, which is of one build:
        a node of another build begins as `start_all` says."""
        build = build_of(self.topology, self.build, number - 1)
        return NodePlan(
            name=f"node {number}",
            build=build,
            settings={**settings, "server_id": str(number)},
            additions=additions,
            image=image or (self.image if build is self.build else ""),
            at_first=at_first or {},
            namespace=self.network.nodes[number - 1] if self.network else None,
        )


def build_of(topology: Topology, build: Build, replica: int) -> Build:
    """Of replica 1, 2, ...; 0 is the primary, which has this `build`. SandboxError: that build is not installed."""
    return builds.find(topology.replica_build) if topology.replica_build and replica else build


def network_of(topology: Topology) -> AbstractContextManager[Network | None]:
    """None: this host has none. The nodes are then on 127.0.0.1."""
    if ability.missing():
        return nullcontext()
    return Network(1 + topology.replicas, one_way_ms=topology.one_way_ms)
