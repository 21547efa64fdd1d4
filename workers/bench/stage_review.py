"""Problems of the builds, the storage and the topologies of variants: what no host can do."""

from collections.abc import Iterator, Mapping

from workers.bench import replica_settings
from workers.bench.needs import Candidate
from workers.bench.plan import CrashPlan, Plan, Variant
from workers.errors import SandboxError
from workers.sandbox.storage import Storage, parse
from workers.servers.facts import FlavourKey
from workers.servers.settings import switch
from workers.topology.faults import FAULTS
from workers.topology.kinds import TOPOLOGY_KINDS, understood
from workers.topology.kinds.kind import KnownServer, TopologyKind, contradictions
from workers.topology.topology import Topology
from workers.topology.topology import parse as parse_topology


def problems(plan: Plan, servers: Mapping[int, Candidate]) -> Iterator[str]:
    """One sentence each; none for variants without build, storage and topology."""
    for target in plan.targets:
        for variant in plan.variants:
            yield from _variant(plan, variant, servers[target.server_id])


def _variant(plan: Plan, variant: Variant, server: Candidate) -> Iterator[str]:
    if not server.is_sandbox and variant.topology:
        yield (
            f"Variant {variant.name}: {server.name} is an attached server. Durascope makes topologies of sandboxes, "
            "and breaks only these. No fault and no failover manager is tried on attached servers. Use a sandbox, or "
            f"leave the topology out. The page of {server.name} shows what its own topology can lose."
        )
        return
    if not server.is_sandbox and _named(variant):
        yield (
            f"Variant {variant.name} sets {' and '.join(_named(variant))}, and {server.name} is an attached server "
            "with its own. Use a sandbox, or remove that from the variant."
        )
        return
    topology = understood(variant.topology)
    for build in filter(None, (variant.build, topology.replica_build if topology else "")):
        yield from (f"Variant {variant.name}: {reason}" for reason in _build(build, server))
    if variant.storage:
        yield from (f"Variant {variant.name}: {reason}" for reason in _storage(variant, server, plan.crash))
    if variant.topology:
        yield from (f"Variant {variant.name}: {reason}" for reason in _topology(plan, variant, server))


def _named(variant: Variant) -> list[str]:
    return [name for name in ("build", "storage") if getattr(variant, name)]


def _build(build: str, server: Candidate) -> Iterator[str]:
    if build not in server.builds and build not in (server.installed or ()):
        yield f"there is no build called {build!r}. Known: {', '.join(server.builds)}."
    elif server.installed is not None and build not in server.installed:
        yield f"{build} is not installed. On the worker's host: manage.py build install {build}"


def _storage(variant: Variant, server: Candidate, crash: CrashPlan) -> Iterator[str]:
    try:
        storage = parse(variant.storage)
    except SandboxError as wrong:
        yield str(wrong)
        return
    if server.disk_missing:
        yield f"the workers cannot simulate {storage.text}. {server.disk_missing}"
    yield from _apart(variant, storage, crash)


def _apart(variant: Variant, storage: Storage, crash: CrashPlan) -> Iterator[str]:
    if "redo" in storage.apart and variant.engine.lower() != "innodb":
        yield f"only InnoDB's redo log can lie on a device of its own, not that of {variant.engine}. Write +binlog."
    if storage.apart and crash.trials and (crash.replica or variant.topology):
        yield (
            f"{storage.text} is two devices, and a crash trial with a replica or a topology uses one for each server. "
            f"Turn replicas off, or choose {storage.text.partition('+')[0]}."
        )


def _topology(plan: Plan, variant: Variant, server: Candidate) -> Iterator[str]:
    try:
        topology = parse_topology(variant.topology)
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
    yield from filter(None, (replica_settings.problem(name, value, flavour) for name, value in each))
    for name, value in kind.needs(topology).items():
        set_to = {switch(own[name]) for own in (variant.settings, *given) if name in own}
        if set_to - {value}:
            yield f"{kind.title} replication needs {name}={value} on each node. Leave {name} out."
    if kind.by_binlog and switch(variant.settings.get("log_bin", "ON")) == "OFF":
        yield f"{variant.topology} replicates by the binary log, and log_bin is off. Set it to ON, or leave it out."


def _faults(plan: Plan, kind: TopologyKind, topology: Topology) -> Iterator[str]:
    """Faults that have no meaning for this topology. Each would fail as a trial."""
    for key in plan.crash.kinds if plan.crash.trials else ():
        if fault := FAULTS.get(key):
            yield from kind.misfits(fault.tried_on(topology), fault)
