"""The needs of a plan, and what is known of servers and hosts before the start. One worker runs the whole plan, so its
host must meet all needs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from workers.bench.abilities import Abilities, HostBuild
from workers.bench.plan import Plan, Variant
from workers.bench.trial_kinds import TRIAL_KINDS, all_kinds, needs_as
from workers.servers.facts import FlavourKey, Version
from workers.topology.faults import FAULTS
from workers.topology.kinds import TOPOLOGY_KINDS, understood
from workers.topology.kinds.kind import KnownServer, networks, over
from workers.topology.topology import Topology

Node = tuple[Topology, str, Mapping[str, str]]


@dataclass(frozen=True)
class Candidate:
    """A server of a plan before the start. None or empty: not known yet, checked at the start."""

    name: str
    is_sandbox: bool
    site: str = ""
    hosts: Mapping[str, Abilities] = field(default_factory=dict)  # of the site's living workers
    workers: tuple[tuple[str, str], ...] = ()  # of the site's living workers: host and name
    means_its_worker: bool = False  # its address is a socket or loopback: it is on the worker's host
    build: str = ""  # of a sandbox: its own
    is_production: bool = False
    flavour: FlavourKey | None = None
    version: Version | None = None  # of an attached server
    engines: frozenset[str] = frozenset()
    max_connections: int | None = None
    present: Mapping[str, str] = field(default_factory=dict)  # settings as last seen
    read_only: tuple[str, ...] = ()  # variables that kept a load from writing at the last connection test
    may_be_crashed: bool = True
    crash_missing: Mapping[str, str] = field(default_factory=dict)  # crash kind -> why the workers cannot do it
    builds: Mapping[str, FlavourKey] = field(default_factory=dict)  # every build that is known
    versions: Mapping[str, Version] = field(default_factory=dict)  # of those whose version is known
    installed: frozenset[str] | None = None  # builds that the workers can run
    disk_missing: str = ""  # why the workers cannot simulate a device
    manager_missing: str = ""  # why trials with policy=manager have no failover manager
    replica_missing: Mapping[str, str] = field(default_factory=dict)  # build ("": its own) -> why it can have none

    def flavour_of(self, variant: Variant) -> FlavourKey | None:
        return self.builds.get(variant.build) if variant.build else self.flavour


@dataclass(frozen=True)
class Needs:
    """`builds` of sandboxes, a simulated `device`, the `crashes` of sandboxes by their kinds. `nodes`: each topology
    with the build of its nodes and the settings of its variant. `networked`: what needs namespaces, in words."""

    builds: frozenset[str] = frozenset()
    device: bool = False
    crashes: frozenset[str] = frozenset()
    nodes: tuple[Node, ...] = ()
    networked: tuple[str, ...] = ()

    @classmethod
    def of(cls, plan: Plan, own_builds: Mapping[int, str]) -> "Needs":
        """`own_builds`: server id -> the build of a sandbox; attached servers need nothing of the host."""
        own = [own_builds[target.server_id] for target in plan.targets if target.server_id in own_builds]
        if not own:
            return cls()
        kinds = all_kinds(plan) if plan.crash.trials else ()
        nodes = tuple(_nodes(plan, own))
        builds = {one.build or build for one in plan.variants for build in own}
        return cls(
            builds=frozenset(builds | {build for _, build, _ in nodes}),
            device=any(variant.storage for variant in plan.variants),
            crashes=frozenset(needs_as(kind) for kind in kinds if kind in TRIAL_KINDS),
            nodes=nodes,
            networked=tuple(dict.fromkeys(_networked(plan, nodes))),
        )

    def lacking(self, able: Abilities) -> list[str]:
        """The needs that a host with these abilities lacks, in words; empty when it can run the plan."""
        found = []
        if able.builds is not None and (absent := sorted(self.builds - able.builds.keys())):
            found.append(f"it has no {', '.join(absent)} (manage.py build install {' '.join(absent)})")
        if self.device and (why := able.disk_missing):
            found.append(f"it cannot simulate a device ({why})")
        missing = able.crash_missing
        by_reason: dict[str, list[str]] = {}
        for kind in sorted(self.crashes & missing.keys()):
            by_reason.setdefault(missing[kind], []).append(TRIAL_KINDS[kind].title)
        found += [f"{', '.join(titles)}: not possible ({why})" for why, titles in by_reason.items()]
        found += dict.fromkeys(why for node in self.nodes for why in _of_host(*node, able))
        if self.networked and (why := able.network_missing):
            found.append(f"{', '.join(self.networked)}: not possible ({why})")
        return found


def _nodes(plan: Plan, own_builds: Sequence[str]) -> Iterator[Node]:
    """Notations that cannot be read are refused by the review."""
    for one in plan.variants:
        if topology := understood(one.topology):
            builds = [build for own in own_builds for build in (one.build or own, topology.replica_build) if build]
            yield from ((topology, build, one.settings) for build in builds)


def _networked(plan: Plan, nodes: Sequence[Node]) -> Iterator[str]:
    faults = [FAULTS[kind] for kind in plan.crash.kinds if kind in FAULTS] if plan.crash.trials else []
    for topology, *_ in nodes:
        for fault in (None, *faults):
            yield from networks(topology, fault)


def _of_host(topology: Topology, build: str, settings: Mapping[str, str], able: Abilities) -> list[str]:
    known = (able.builds or {}).get(build, HostBuild())
    kind, absent = TOPOLOGY_KINDS[topology.kind], known.lacks.get(topology.kind)
    found = [f"no {kind.title} replication ({absent})"] if absent else []
    if able.memory_mib is not None and known.flavour:
        found += over(kind, topology, KnownServer(build, known.flavour), able.memory_mib, "are there", settings)
    return found
