"""The interface of a kind of replication: which topologies can be, and how one is formed, fails over and comes back."""

import re
from pathlib import Path

from workers.sandbox.builds import Build
from workers.servers.limited import Connection
from workers.topology.chain import FailoverBegun, Formed, Promoted, Returned, Struck
from workers.topology.faults import Fault
from workers.topology.setup_and_result import SemiSyncCounters
from workers.topology.topology import MOST_REPLICAS, Topology

NODE_MIB = {"mariadb": 125, "mysql": 300}
AVAILABLE = re.compile(r"^MemAvailable:\s+(\d+) kB", re.MULTILINE)


class TopologyKind:
    key: str
    title: str
    says: str
    least_replicas = 1

    def node_mib(self, build: Build) -> int:
        """Memory of one node, measured (PSS), in MiB."""
        return NODE_MIB[build.flavour]

    def problems(self, topology: Topology, build: Build) -> list[str]:
        """Why this build cannot have such a topology; empty when it can."""
        return []

    def misfits(self, topology: Topology, fault: Fault) -> list[str]:
        """Why this fault, or the failover policy, has no meaning here; empty when both have."""
        return []

    def form(self, begun: FailoverBegun) -> Formed:
        """Raises SandboxError or ServerError when the topology does not come up."""
        raise NotImplementedError

    def counters(self, primary: Connection) -> SemiSyncCounters | None:
        """None: this kind counts nothing."""
        return None

    def fail_over(self, struck: Struck) -> Promoted:
        """A node takes over by the policy, and clients commit on it. Raises SandboxError or ServerError."""
        raise NotImplementedError

    def come_back(self, promoted: Promoted) -> Returned:
        """The nodes that are not there join the new primary. A failure is evidence, and raises nothing."""
        raise NotImplementedError


def impossible(kind: TopologyKind, topology: Topology, build: Build, fault: Fault) -> list[str]:
    """Why this trial cannot run; empty when it can."""
    wrong = kind.problems(topology, build) + kind.misfits(topology, fault)
    if not kind.least_replicas <= topology.replicas <= MOST_REPLICAS:
        wrong.append(f"{topology.replicas} replicas are not possible: {kind.least_replicas} to {MOST_REPLICAS} are.")
    if topology.rtt_ms < 0:
        wrong.append("A round trip cannot take less than 0 ms.")
    return wrong + too_large(kind, topology, build)


def too_large(kind: TopologyKind, topology: Topology, build: Build, meminfo: Path = Path("/proc/meminfo")) -> list[str]:
    """Why the host's memory is too small for all nodes; empty when it is not."""
    nodes, node_mib = 1 + topology.replicas, kind.node_mib(build)
    found = AVAILABLE.search(meminfo.read_text())
    free_mib = int(found[1]) // 1024 if found else None
    if free_mib is None or nodes * node_mib <= free_mib:
        return []
    needed = f"{nodes} nodes of {node_mib} MiB each need {nodes * node_mib} MiB of memory"
    return [f"{needed}, and {free_mib} MiB are free. Take fewer nodes, or end other programs."]
