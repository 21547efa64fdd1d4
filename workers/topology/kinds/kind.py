"""The interface of a kind of replication: which topologies can be, and how one is formed, fails over and comes back."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from workers.sandbox.builds import Build
from workers.servers.facts import FlavourKey, Version
from workers.topology.chain import FailoverBegun, Formed, Promoted, Returned, Struck
from workers.topology.faults import Fault
from workers.topology.network import ability
from workers.topology.policy import MOST_REPLICAS
from workers.topology.topology import CLUSTERS, Topology

NODE_MIB = {"mariadb": 125, "mysql": 300}
AVAILABLE = re.compile(r"^MemAvailable:\s+(\d+) kB", re.MULTILINE)


class ServerVersion(Protocol):
    """What is known of a build before the start, also on another host."""

    @property
    def title(self) -> str: ...

    @property
    def flavour(self) -> FlavourKey: ...

    @property
    def version(self) -> Version: ...


@dataclass(frozen=True)
class KnownServer:
    """A build of which no more is known here."""

    title: str
    flavour: FlavourKey
    version: Version = (0, 0, 0)


class TopologyKind:
    key: str
    title: str
    says: str
    least_replicas = 1
    round_trips = 1.0  # that a commit waits for

    def node_mib(self, build: ServerVersion) -> int:
        """Memory of one node, measured (PSS), in MiB."""
        return NODE_MIB[build.flavour]

    def problems(self, topology: Topology, build: ServerVersion) -> list[str]:
        """Why this version cannot have such a topology, wherever it runs; empty when it can."""
        return []

    def lacks(self, build: Build) -> str:
        """Why this build on this host lacks a part that the kind needs; "" when it has all."""
        return ""

    def networked(self, topology: Topology) -> list[str]:
        """What of this topology needs a network of namespaces, in words."""
        return []

    def misfits(self, topology: Topology, fault: Fault) -> list[str]:
        """Why this fault, or the failover policy, has no meaning here; empty when both have."""
        return []

    def form(self, begun: FailoverBegun) -> Formed:
        """Raises SandboxError or ServerError when the topology does not come up."""
        raise NotImplementedError

    def fail_over(self, struck: Struck) -> Promoted:
        """A node takes over by the policy, and clients commit on it. Raises SandboxError or ServerError."""
        raise NotImplementedError

    def come_back(self, promoted: Promoted) -> Returned:
        """The nodes that are not there join the new primary. A failure is evidence, and raises nothing."""
        raise NotImplementedError


def impossible(kind: TopologyKind, topology: Topology, build: Build, fault: Fault) -> list[str]:
    """Why this trial cannot run on this host; empty when it can."""
    return (
        contradictions(kind, topology, build) + kind.misfits(topology, fault) + not_here(kind, topology, build, fault)
    )


def not_promotable(topology: Topology, fault: Fault) -> list[str]:
    """Why the replica that the policy names cannot take over; empty when it can, or the policy names none."""
    named, replicas = topology.policy.named, range(1, topology.replicas + 1)
    if not named or fault.spares_primary:
        return []
    if named not in replicas:
        return [f"policy=replica{named}: the topology has no replica {named}."]
    if fault.strikes(named) and not all(fault.strikes(number) for number in replicas):
        return [f"policy=replica{named}: {fault.title} strikes that replica, and another one takes over."]
    return []


def without_plugins(build: Build, plugins: Iterable[str]) -> str:
    """The libraries that a build comes without, in words; "" when it has all."""
    folder = build.layout.plugin_dir
    absent = [one for one in plugins if not (folder and (folder / one).is_file())]
    return f"{build.title} comes without {' and '.join(absent)}. Take another build." if absent else ""


def contradictions(kind: TopologyKind, topology: Topology, build: ServerVersion) -> list[str]:
    """Why no host can have such a topology; empty when one can."""
    wrong = kind.problems(topology, build)
    if not kind.least_replicas <= topology.replicas <= MOST_REPLICAS:
        wrong.append(f"{topology.replicas} replicas are not possible: {kind.least_replicas} to {MOST_REPLICAS} are.")
    if topology.one_way_ms < 0:
        wrong.append("A round trip cannot take less than 0 ms.")
    return wrong


def not_here(kind: TopologyKind, topology: Topology, build: Build, fault: Fault | None = None) -> list[str]:
    """Why this host cannot form it now, or break it so; empty when it can."""
    lacking = kind.lacks(build)
    without = ability.missing() if (wanted := networks(kind, topology, fault)) else ""
    parted = [f"{what} is not possible here. {without}" for what in wanted if without]
    return [*filter(None, [lacking]), *parted, *too_large(kind, topology, build)]


def networks(kind: TopologyKind, topology: Topology, fault: Fault | None = None) -> list[str]:
    """What needs a network of namespaces: parts of the topology, and a fault of one that has such a network."""
    partition = fault and fault.needs_wires and topology.kind in CLUSTERS
    return [*kind.networked(topology), *([f"{fault.title} of a cluster"] if fault and partition else [])]


def too_large(
    kind: TopologyKind, topology: Topology, build: ServerVersion, meminfo: Path = Path("/proc/meminfo")
) -> list[str]:
    """Why the host's free memory is too small for all nodes; empty when it is not."""
    found = AVAILABLE.search(meminfo.read_text())
    return over(kind, topology, build, int(found[1]) // 1024, "are free") if found else []


def over(kind: TopologyKind, topology: Topology, build: ServerVersion, mib: int, there: str) -> list[str]:
    """Why so much memory is too little, with the sum; empty when it is not. `there`: "are free", "are there"."""
    nodes, node_mib = 1 + topology.replicas, kind.node_mib(build)
    if nodes * node_mib <= mib:
        return []
    needed = f"{nodes} nodes of {node_mib} MiB each need {nodes * node_mib} MiB of memory"
    return [f"{needed}, and {mib} MiB {there}. Take fewer nodes, or end other programs."]
