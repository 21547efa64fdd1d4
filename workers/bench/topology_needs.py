"""What the topologies of a plan need of the host: parts of builds, a network of namespaces, memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workers.bench.abilities import Abilities, HostBuild
from workers.bench.plan import Plan
from workers.topology.faults import FAULTS
from workers.topology.kinds import TOPOLOGY_KINDS, understood
from workers.topology.kinds.kind import KnownServer, networks, over
from workers.topology.topology import Topology


@dataclass(frozen=True)
class TopologyNeeds:
    """`nodes`: each topology with the build of its nodes and the settings of its variant. `networked`: what needs
    namespaces, in words."""

    nodes: tuple[tuple[Topology, str, Mapping[str, str]], ...] = ()
    networked: tuple[str, ...] = ()

    @classmethod
    def of(cls, plan: Plan, own_builds: Sequence[str]) -> "TopologyNeeds":
        """Notations that cannot be read are refused by the review."""
        nodes = [
            (topology, build, one.settings)
            for one in plan.variants
            for own in own_builds
            if (topology := understood(one.topology))
            for build in filter(None, (one.build or own, topology.replica_build))
        ]
        faults = [FAULTS[kind] for kind in plan.crash.kinds if kind in FAULTS] if plan.crash.trials else []
        wanted = [
            what
            for topology, *_ in nodes
            for fault in (None, *faults)
            for what in networks(TOPOLOGY_KINDS[topology.kind], topology, fault)
        ]
        return cls(tuple(nodes), tuple(dict.fromkeys(wanted)))

    @property
    def builds(self) -> frozenset[str]:
        return frozenset(build for _, build, _ in self.nodes)

    def lacking(self, able: Abilities) -> list[str]:
        """The needs that a host with these abilities lacks, in words."""
        found = [why for each in self.nodes for why in _of_host(*each, able)]
        if self.networked and (why := able.network_missing):
            found.append(f"{', '.join(self.networked)}: not possible ({why})")
        return list(dict.fromkeys(found))


NO_TOPOLOGY = TopologyNeeds()


def _of_host(topology: Topology, build: str, settings: Mapping[str, str], able: Abilities) -> list[str]:
    known = (able.builds or {}).get(build, HostBuild())
    kind, absent = TOPOLOGY_KINDS[topology.kind], known.lacks.get(topology.kind)
    found = [f"no {kind.title} replication ({absent})"] if absent else []
    if able.memory_mib is not None and known.flavour:
        found += over(kind, topology, KnownServer(build, known.flavour), able.memory_mib, "are there", settings)
    return found
