"""The interface of a kind of replication: which topologies can be, and how one is formed, fails over and comes back."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from workers.errors import PlanError
from workers.sandbox.builds import Build
from workers.servers.facts import FlavourKey, Version
from workers.servers.settings import check
from workers.topology.chain import FailoverBegun, Formed, Promoted, Returned, Struck
from workers.topology.faults import Fault
from workers.topology.network import ability
from workers.topology.policy import MOST_REPLICAS
from workers.topology.topology import CLUSTERS, Topology

NODE_MIB = {"mariadb": 125, "mysql": 300}
POOL, POOL_MIB = "innodb_buffer_pool_size", 128  # of a sandbox; a larger one adds to NODE_MIB
NO_SETTINGS: Mapping[str, str] = {}
# Parts of a topology that only some kinds know: field -> its name in the notation. A part that is silently without
# effect would be taken for measured.
OF_SOME_KINDS = {
    "wait_point": "wait", "acknowledgements": "acks", "timeout_ms": "timeout", "both_halves": "both-halves",
    "writers": "writers", "consistency": "consistency", "expel_timeout_s": "expel",
    "single_leader": "single-leader",
}  # fmt: skip
DEFAULT = Topology()
AVAILABLE = re.compile(r"^MemAvailable:\s+(\d+) kB", re.MULTILINE)


@dataclass(frozen=True)
class KnownServer:
    """A build of which no more is known here."""

    title: str
    flavour: FlavourKey
    version: Version = (0, 0, 0)


ServerVersion = Build | KnownServer  # before the start, also on another host


class TopologyKind:
    key: str
    title: str
    says: str
    least_replicas = 1
    knows: frozenset[str] = frozenset()  # of OF_SOME_KINDS
    by_binlog = True  # whether nodes replicate by the binary log
    round_trips: tuple[float, float]  # see `waits`

    def waits(self, topology: Topology) -> tuple[float, float]:
        """Round trips that a commit of one client waits for, and on average one of many clients."""
        return self.round_trips

    def needs(self, topology: Topology) -> Mapping[str, str]:
        """Values that some settings must have on each node if somebody sets them."""
        return NO_SETTINGS

    def node_mib(self, build: ServerVersion) -> int:
        """Memory of one node, measured (PSS), in MiB."""
        return NODE_MIB[build.flavour]

    def problems(self, topology: Topology, build: ServerVersion) -> list[str]:
        """Why this version cannot have such a topology, wherever it runs; empty when it can."""
        return []

    def lacks(self, build: Build) -> str:
        """Why this build on this host lacks a part that the kind needs; "" when it has all."""
        return ""

    def misfits(self, topology: Topology, fault: Fault) -> list[str]:
        """Why this fault, or the failover policy, has no meaning here; empty when both have."""
        return fault.misfits(topology) + not_promotable(topology, fault)

    def form(self, begun: FailoverBegun) -> Formed:
        """Raises SandboxError or ServerError when the topology does not come up."""
        raise NotImplementedError

    def fail_over(self, struck: Struck) -> Promoted:
        """A node takes over by the policy, and clients commit on it. Raises SandboxError or ServerError."""
        raise NotImplementedError

    def come_back(self, promoted: Promoted) -> Returned:
        """The nodes that are not there join the new primary. A failure is evidence, and raises nothing."""
        raise NotImplementedError


def impossible(
    kind: TopologyKind, topology: Topology, build: Build, fault: Fault, settings: Mapping[str, str] = NO_SETTINGS
) -> list[str]:
    """Why this trial cannot run on this host; empty when it can."""
    wrong = contradictions(kind, topology, build) + kind.misfits(topology, fault)
    return wrong + not_here(kind, topology, build, fault, settings)


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
    wrong = kind.problems(topology, build) + _without_effect(kind, topology) + _unreadable(kind, topology, build)
    if not kind.least_replicas <= topology.replicas <= MOST_REPLICAS:
        wrong.append(f"{topology.replicas} replicas are not possible: {kind.least_replicas} to {MOST_REPLICAS} are.")
    wrong += [
        f"replica{number}.{next(iter(own))}: the topology has no replica {number}, only {topology.replicas}."
        for number, own in sorted(topology.one_replica.items())
        if not 1 <= number <= topology.replicas
    ]
    if topology.one_way_ms < 0:
        wrong.append("A round trip cannot take less than 0 ms.")
    return wrong


def _unreadable(kind: TopologyKind, topology: Topology, build: ServerVersion) -> list[str]:
    """How clients cannot read here before they update."""
    wrong = {
        f"updates={topology.updates}: only MariaDB knows innodb_snapshot_isolation. Write updates=locking.": (
            topology.updates in ("snapshot", "causal") and build.flavour != "mariadb"
        ),
        "updates=causal: only Galera knows wsrep_sync_wait. Write updates=snapshot.": (
            topology.updates == "causal" and kind.key != "galera"
        ),
    }
    return [why for why, is_so in wrong.items() if is_so][:1]


def _without_effect(kind: TopologyKind, topology: Topology) -> list[str]:
    unknown = {field: part for field, part in OF_SOME_KINDS.items() if field not in kind.knows}
    changed = [part for field, part in unknown.items() if getattr(topology, field) != getattr(DEFAULT, field)]
    return [f"{part} has no meaning for {kind.title} replication: leave it out." for part in changed]


def not_here(
    kind: TopologyKind,
    topology: Topology,
    build: Build,
    fault: Fault | None = None,
    settings: Mapping[str, str] = NO_SETTINGS,
) -> list[str]:
    """Why this host cannot form it now, or break it so; empty when it can."""
    lacking = kind.lacks(build)
    without = ability.missing() if (wanted := networks(topology, fault)) else ""
    parted = [f"{what} is not possible here. {without}" for what in wanted if without]
    return [*filter(None, [lacking]), *parted, *too_large(kind, topology, build, settings)]


def networks(topology: Topology, fault: Fault | None = None) -> list[str]:
    """What of a cluster needs a network of namespaces, in words."""
    if topology.kind not in CLUSTERS:
        return []
    delay = ["A round trip between the nodes of a cluster"] if topology.rtt_ms else []
    return [*delay, *([f"{fault.title} of a cluster"] if fault and fault.needs_wires else [])]


def too_large(
    kind: TopologyKind,
    topology: Topology,
    build: ServerVersion,
    settings: Mapping[str, str] = NO_SETTINGS,
    meminfo: Path = Path("/proc/meminfo"),
) -> list[str]:
    """Why the host's free memory is too small for all nodes; empty when it is not."""
    found = AVAILABLE.search(meminfo.read_text())
    return over(kind, topology, build, int(found[1]) // 1024, "are free", settings) if found else []


def over(
    kind: TopologyKind,
    topology: Topology,
    build: ServerVersion,
    mib: int,
    there: str,
    settings: Mapping[str, str] = NO_SETTINGS,
) -> list[str]:
    """Why so much memory is too little, with the sum; empty when it is not. `there`: "are free", "are there".
    `settings`: of the variant."""
    each_mib = [
        kind.node_mib(build) + _larger_pool_mib({**settings, **own}, build)
        for own in (NO_SETTINGS, *topology.settings_of_each)
    ]
    if sum(each_mib) <= mib:
        return []
    counted = [f"{each_mib.count(size)} of {size} MiB" for size in dict.fromkeys(each_mib)]
    nodes = f"{len(each_mib)} nodes of {each_mib[0]} MiB each" if len(counted) == 1 else f"Nodes ({', '.join(counted)})"
    needed = f"{nodes} need {sum(each_mib)} MiB of memory"
    return [f"{needed}, and {mib} MiB {there}. Take fewer nodes or a smaller {POOL}, or end other programs."]


def _larger_pool_mib(settings: Mapping[str, str], build: ServerVersion) -> int:
    """A size that cannot be is refused elsewhere."""
    try:
        pool_mib = int(check(POOL, settings[POOL], build.flavour)) >> 20 if POOL in settings else POOL_MIB
    except PlanError:
        return 0
    return max(0, pool_mib - POOL_MIB)
