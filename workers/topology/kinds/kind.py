"""The interface of a kind of replication: which topologies can be, and how one is formed, fails over and comes back."""

from workers.sandbox.builds import Build
from workers.servers.limited import Connection
from workers.topology.chain import FailoverBegun, Formed, Promoted, Returned, Struck
from workers.topology.faults import Fault
from workers.topology.setup_and_result import SemiSyncCounters
from workers.topology.topology import MOST_REPLICAS, Topology


class TopologyKind:
    key: str
    title: str
    says: str
    least_replicas = 1
    carries_load = False  # whether workloads can be measured on it, beside trials

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
    return wrong
