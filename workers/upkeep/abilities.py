"""What this worker can do: shown on the workers page and asked when a sandbox is registered."""

import os
import shutil

from django.conf import settings

from workers.bench import sysbench
from workers.bench.abilities import Abilities, HostBuild
from workers.bench.trial_kinds import TRIAL_KINDS
from workers.errors import SandboxError
from workers.host import io_flusher
from workers.sandbox import builds
from workers.sandbox.builds import Build, store
from workers.sandbox.disk import ability
from workers.sandbox.users import not_apart
from workers.topology.kinds import TOPOLOGY_KINDS
from workers.topology.kinds.kind import contradictions
from workers.topology.network import ability as network
from workers.topology.topology import parse


def describe() -> Abilities:
    return Abilities(
        cores=os.cpu_count(),
        sysbench=sysbench.version() or "",
        builds=host_builds(),
        fsync_trace=shutil.which("cc") is not None,
        not_apart=not_apart(),
        disk_missing=ability.missing(),
        disk_risk="" if ability.missing() else io_flusher.risk(),
        crash_missing={key: why for key, kind in TRIAL_KINDS.items() if (why := kind.missing())},
        failover_command=bool(settings.FAILOVER_COMMAND),
        network_missing=network.missing(),
        memory_mib=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20,
    )


def host_builds() -> dict[str, HostBuild]:
    return {key: build for key in builds.every() if (build := _build(key))}


def _build(key: str) -> HostBuild | None:
    """None: it is not here."""
    try:
        found, manifest = builds.find(key), store.read(key)
    except SandboxError:
        return None
    return HostBuild(
        title=found.title,
        flavour=found.flavour,
        version=found.version_text,
        size_mib=manifest.size_mib if manifest else 0,
        missing=" ".join(filter(None, (engine.missing() for engine in found.engines))),
        lacks=_lacks(found),
    )


def _lacks(build: Build) -> dict[str, str]:
    """Of the kinds that its version could have."""
    possible = {key: kind for key, kind in TOPOLOGY_KINDS.items() if not contradictions(kind, parse(key), build)}
    return {key: why for key, kind in possible.items() if (why := kind.lacks(build))}
