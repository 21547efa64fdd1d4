"""What is known of a server before an experiment starts."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from workers.bench.needs import Abilities
from workers.bench.plan import Variant
from workers.servers.facts import FlavourKey


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
    engines: frozenset[str] = frozenset()
    max_connections: int | None = None
    present: Mapping[str, str] = field(default_factory=dict)  # settings as last seen
    may_be_crashed: bool = True
    crash_missing: Mapping[str, str] = field(default_factory=dict)  # crash kind -> why the workers cannot do it
    builds: Mapping[str, FlavourKey] = field(default_factory=dict)  # every build that is known
    installed: frozenset[str] | None = None  # builds that the workers can run
    disk_missing: str = ""  # why the workers cannot simulate a device
    replica_missing: Mapping[str, str] = field(default_factory=dict)  # build ("": its own) -> why it can have none

    def flavour_of(self, variant: Variant) -> FlavourKey | None:
        return self.builds.get(variant.build) if variant.build else self.flavour
