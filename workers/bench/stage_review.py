"""Problems of the builds and the storage of variants."""

from collections.abc import Iterator, Mapping

from workers.bench import topology_review
from workers.bench.needs import Candidate
from workers.bench.plan import CrashPlan, Plan, Variant
from workers.errors import SandboxError
from workers.sandbox.storage import Storage, parse
from workers.topology.kinds import understood


def problems(plan: Plan, servers: Mapping[int, Candidate]) -> Iterator[str]:
    """One sentence each; none for variants without build and storage."""
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
        yield from (f"Variant {variant.name}: {reason}" for reason in topology_review.problems(plan, variant, server))


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
