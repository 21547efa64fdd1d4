"""Problems of a variant's topology that are known before the start: what no host can do."""

from collections.abc import Iterator

from workers.bench.needs import Candidate
from workers.bench.plan import Plan, Variant
from workers.bench.replica_settings import problem
from workers.errors import SandboxError
from workers.servers.facts import FlavourKey
from workers.servers.settings import switch
from workers.topology.faults import FAULTS
from workers.topology.kinds import TOPOLOGY_KINDS
from workers.topology.kinds.kind import KnownServer, TopologyKind, contradictions
from workers.topology.topology import Topology, parse


def problems(plan: Plan, variant: Variant, server: Candidate) -> Iterator[str]:
    """One sentence each."""
    try:
        topology = parse(variant.topology)
    except SandboxError as wrong:
        yield str(wrong)
        return
    if (kind := TOPOLOGY_KINDS.get(topology.kind)) is None:
        yield f"there is no topology {topology.kind[:40]!r}. Known: {', '.join(TOPOLOGY_KINDS)}."
        return
    flavour, build = server.flavour_of(variant), variant.build or server.build
    yield from _settings(variant, kind, topology, flavour)
    if build in server.versions and flavour:
        yield from contradictions(kind, topology, KnownServer(build, flavour, server.versions[build]))
    yield from _mixed(build, topology.replica_build, server)
    yield from _faults(plan, kind, topology)
    if topology.policy.by_manager and plan.crash.trials and server.manager_missing:
        yield f"policy=manager: {server.manager_missing}"


def _mixed(build: str, replicas: str, server: Candidate) -> Iterator[str]:
    """A replica may be newer than its primary. An older one need not understand its binlog."""
    flavours, versions = server.builds, server.versions
    if not {build, replicas} <= flavours.keys():
        return
    if flavours[build] != flavours[replicas]:
        yield f"build={replicas}: replicas of {build} need a build of {flavours[build]}, because GTIDs differ."
    elif {build, replicas} <= versions.keys() and versions[replicas] < versions[build]:
        yield f"build={replicas} is older than {build}: a replica may be newer than its primary, not older."


def _settings(variant: Variant, kind: TopologyKind, topology: Topology, flavour: FlavourKey | None) -> Iterator[str]:
    given = [topology.replica_settings, *topology.one_replica.values()]
    each = dict.fromkeys(one for own in given for one in own.items())
    yield from filter(None, (problem(name, value, flavour) for name, value in each))
    for name, value in kind.needs(topology).items():
        set_to = {switch(own[name]) for own in (variant.settings, *given) if name in own}
        if set_to - {value}:
            yield f"{kind.title} replication needs {name}={value} on each node. Leave {name} out."
    if kind.by_binlog and variant.settings.get("log_bin", "ON").upper() not in ("ON", "1"):
        yield f"{variant.topology} replicates by the binary log, and log_bin is off. Set it to ON, or leave it out."


def _faults(plan: Plan, kind: TopologyKind, topology: Topology) -> Iterator[str]:
    """Faults that have no meaning for this topology. Each would fail as a trial."""
    for key in plan.crash.kinds if plan.crash.trials else ():
        if fault := FAULTS.get(key):
            yield from kind.misfits(fault.tried_on(topology), fault)
