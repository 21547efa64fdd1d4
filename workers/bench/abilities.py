"""What a worker reports about its host."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from workers.servers.facts import FlavourKey


@dataclass(frozen=True)
class HostBuild:
    """A build on a host. `size_mib` is 0 if the files are not ours. `missing`: why it would not start, and the fix.
    `lacks`: kind of topology -> the part that is missing."""

    title: str = ""
    flavour: FlavourKey | Literal[""] = ""
    version: str = ""
    size_mib: int = 0
    missing: str = ""
    lacks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Abilities:
    """As stored in `Worker.abilities`. A value that a worker does not report counts as available. `fsync_trace`: there
    is a C compiler. `not_apart`: why sandboxes have no user of their own. `disk_missing`, `network_missing`: why it
    cannot simulate a device, or join nodes by a network; "": it can. `disk_risk`: of a device that it can simulate.
    `crash_missing`: crash kind -> why it is not possible. `failover_command`: there is a failover manager.
    `memory_mib`: of the host, in use or not."""

    cores: int | None = None
    sysbench: str = ""
    builds: Mapping[str, HostBuild] | None = None
    fsync_trace: bool = False
    not_apart: str | None = None
    disk_missing: str | None = None
    disk_risk: str = ""
    crash_missing: Mapping[str, str] = field(default_factory=dict)
    failover_command: bool = True
    network_missing: str = ""
    memory_mib: int | None = None


def together(hosts: Iterable[Abilities]) -> Abilities:
    """The abilities of all hosts together, with reasons for what no host can do."""
    told = list(hosts)
    if not told:
        return Abilities()
    first, *others = told
    known = [one.builds for one in told if one.builds is not None]
    return Abilities(
        builds={key: build for builds in known for key, build in builds.items()} if len(known) == len(told) else None,
        disk_missing=first.disk_missing if all(one.disk_missing for one in told) else None,
        crash_missing={
            kind: why for kind, why in first.crash_missing.items() if all(kind in one.crash_missing for one in others)
        },
    )
