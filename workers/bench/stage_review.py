"""Problems of the builds and the storage of variants."""

from collections.abc import Iterator, Mapping

from workers.bench.needs import Candidate
from workers.bench.plan import Plan, Variant
from workers.errors import SandboxError
from workers.sandbox.storage import Storage, parse
from workers.servers.settings import SETTINGS
from workers.topology.kinds import TOPOLOGY_KINDS
from workers.topology.topology import parse as parse_topology

# What decides whether a replica survives a crash of its own. The names are those of MariaDB and of both ages of MySQL.
REPLICAS_OWN_SETTINGS = frozenset(
    {"relay_log_recovery", "sync_relay_log", "sync_relay_log_info", "sync_master_info", "sync_source_info"}
    | {"slave_parallel_threads", "slave_parallel_workers", "replica_parallel_workers", "slave_parallel_mode"}
    | {"master_info_repository", "relay_log_info_repository", "log_slave_updates", "log_replica_updates"}
    | {"gtid_strict_mode"}
)


def problems(plan: Plan, servers: Mapping[int, Candidate]) -> Iterator[str]:
    """One sentence each; none for variants without build and storage."""
    for target in plan.targets:
        for variant in plan.variants:
            yield from _variant(variant, servers[target.server_id], crashed=plan.crash.trials > 0)


def _variant(variant: Variant, server: Candidate, crashed: bool) -> Iterator[str]:
    if not server.is_sandbox and _named(variant):
        yield (
            f"Variant {variant.name} sets {' and '.join(_named(variant))}, and {server.name} is an attached server "
            "with its own. Use a sandbox, or remove that from the variant."
        )
        return
    if variant.build:
        yield from (f"Variant {variant.name}: {reason}" for reason in _build(variant.build, server))
    if variant.storage:
        yield from (f"Variant {variant.name}: {reason}" for reason in _storage(variant, server, crashed))
    if variant.topology:
        yield from (f"Variant {variant.name}: {reason}" for reason in _topology(variant))


def _topology(variant: Variant) -> Iterator[str]:
    try:
        topology = parse_topology(variant.topology)
    except SandboxError as wrong:
        yield str(wrong)
        return
    if topology.kind not in TOPOLOGY_KINDS:
        yield f"there is no topology {topology.kind[:40]!r}. Known: {', '.join(TOPOLOGY_KINDS)}."
    for name in topology.replica_settings.keys() - SETTINGS.keys() - REPLICAS_OWN_SETTINGS:
        known = ", ".join(sorted(REPLICAS_OWN_SETTINGS))
        yield f"{name[:64]} is no setting that Durascope changes on a replica. Known: those of a variant, and {known}."
    if variant.settings.get("log_bin", "ON").upper() not in ("ON", "1"):
        yield f"{variant.topology} replicates by the binary log, and log_bin is off. Set it to ON, or leave it out."


def _named(variant: Variant) -> list[str]:
    return [name for name in ("build", "storage", "topology") if getattr(variant, name)]


def _build(build: str, server: Candidate) -> Iterator[str]:
    if build not in server.builds and build not in (server.installed or ()):
        yield f"there is no build called {build!r}. Known: {', '.join(server.builds)}."
    elif server.installed is not None and build not in server.installed:
        yield f"{build} is not installed. On the worker's host: manage.py build install {build}"


def _storage(variant: Variant, server: Candidate, crashed: bool) -> Iterator[str]:
    try:
        storage = parse(variant.storage)
    except SandboxError as wrong:
        yield str(wrong)
        return
    if server.disk_missing:
        yield f"the workers cannot simulate {storage.text}. {server.disk_missing}"
    yield from _apart(variant, storage, crashed)


def _apart(variant: Variant, storage: Storage, crashed: bool) -> Iterator[str]:
    if "redo" in storage.apart and variant.engine.lower() != "innodb":
        yield f"only InnoDB's redo log can lie on a device of its own, not that of {variant.engine}. Write +binlog."
    if storage.apart and crashed:
        yield (
            f"crash trials lie on one device, and {storage.text} is two. Remove the crashes, or measure "
            f"{storage.text.partition('+')[0]}."
        )
