"""The page of builds: every build of a sandbox server, and the hosts that have it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dashboard.records.experiments import shelf
from dashboard.records.fleet.models import Worker
from dashboard.records.servers.models import Server
from workers.bench.abilities import HostBuild
from workers.bench.recipes import Recipe
from workers.sandbox import builds
from workers.sandbox.builds import KnownBuild
from workers.sandbox.builds.catalogue import CatalogueEntry
from workers.sandbox.builds.system import SystemServer

GROUPS = {"mysql": "MySQL", "mariadb": "MariaDB", "plugins": "With another engine beside InnoDB"}
ADD = "manage.py build add {key} --basedir PATH"


@dataclass(frozen=True, kw_only=True)
class Presence(HostBuild):
    """A build on a host with a living worker."""

    host: str


@dataclass(frozen=True)
class BuildOrigin:
    """The source of a build and the command that installs it. Sizes in MiB; 0 and "": not known."""

    source: str
    command: str
    licence: str = ""
    year: int = 0
    version: str = ""
    download_mib: int = 0
    size_mib: int = 0
    in_catalogue: bool = False


@dataclass(frozen=True)
class BuildLine:
    """A build on the page. `can_be_chosen`: the form of a sandbox offers it."""

    key: str
    title: str
    purpose: str
    group: str  # a key of GROUPS
    origin: BuildOrigin
    hosts: tuple[Presence, ...]
    recipes: tuple[Recipe, ...]
    sandboxes: tuple[Server, ...]
    can_be_chosen: bool

    @property
    def version(self) -> str:
        """As the binaries report; else the version in the catalogue."""
        found = sorted({one.version for one in self.hosts if one.version})
        return ", ".join(found) or self.origin.version.rstrip(".")

    @property
    def size_mib(self) -> int:
        return max((one.size_mib for one in self.hosts), default=0) or self.origin.size_mib


@dataclass(frozen=True)
class Missing:
    """The builds of the catalogue that no living worker has, and the command and space to install them."""

    command: str
    n: int
    download_mib: int
    size_mib: int


def lines(alive: Iterable[Worker]) -> list[BuildLine]:
    """All builds known here or to a living worker, oldest first; those without a year last. One query."""
    present, needed, made = _present(alive), _needed(), _sandboxes()
    known = builds.every()
    told: dict[str, KnownBuild | None] = {**dict.fromkeys(present), **known}
    found = [
        _line(key, build, tuple(present.get(key, ())), needed[key], made[key], can_be_chosen=key in known)
        for key, build in told.items()
    ]
    return sorted(found, key=lambda line: (not line.origin.in_catalogue, line.origin.year, line.title))


def grouped(shown: Iterable[BuildLine]) -> dict[str, list[BuildLine]]:
    """By the titles of GROUPS, without empty groups."""
    shown = list(shown)
    groups = {title: [line for line in shown if line.group == key] for key, title in GROUPS.items()}
    return {title: members for title, members in groups.items() if members}


def missing(shown: Iterable[BuildLine]) -> Missing | None:
    absent = [line for line in shown if line.origin.in_catalogue and not line.hosts]
    if not absent:
        return None
    return Missing(
        command=f"manage.py build install {' '.join(line.key for line in absent)}",
        n=len(absent),
        download_mib=sum(line.origin.download_mib for line in absent),
        size_mib=sum(line.origin.size_mib for line in absent),
    )


def _line(
    key: str,
    build: KnownBuild | None,
    hosts: tuple[Presence, ...],
    recipes: Iterable[Recipe],
    sandboxes: Iterable[Server],
    *,
    can_be_chosen: bool,
) -> BuildLine:
    """`build` None: a user added it on another host, and only its worker knows it."""
    says = build or next((one for one in hosts if one.title), hosts[0])
    return BuildLine(
        key=key,
        title=says.title or key,
        purpose=build.purpose if build else "A build that was added on that host.",
        group="plugins" if getattr(build, "plugins", ()) else says.flavour or "mysql",
        origin=_origin(key, build),
        hosts=hosts,
        recipes=tuple(recipes),
        sandboxes=tuple(sandboxes),
        can_be_chosen=can_be_chosen,
    )


def _origin(key: str, build: KnownBuild | None) -> BuildOrigin:
    if isinstance(build, CatalogueEntry):
        return BuildOrigin(
            source=str(build.source),
            command=f"manage.py build install {key}",
            licence=build.licence,
            year=build.year,
            version=build.version,
            download_mib=build.download_mib,
            size_mib=build.size_mib,
            in_catalogue=True,
        )
    if isinstance(build, SystemServer):
        command = f"apt-get install --no-install-recommends {build.package}"
        return BuildOrigin(f"the host's own package {build.package}", command, "GPL-2.0")
    return BuildOrigin("your own server", ADD.format(key=key), "your own")


def _present(alive: Iterable[Worker]) -> dict[str, list[Presence]]:
    """Build -> the hosts that have it, each host once."""
    found: dict[str, dict[str, Presence]] = defaultdict(dict)
    for worker in alive:
        for key, told in (worker.able.builds or {}).items():
            found[key].setdefault(worker.host, Presence(host=worker.host, **vars(told)))
    return {key: sorted(hosts.values(), key=lambda one: one.host) for key, hosts in found.items()}


def _needed() -> Mapping[str, list[Recipe]]:
    found: dict[str, list[Recipe]] = defaultdict(list)
    for recipe in shelf.shelf().recipes.values():
        for key in dict.fromkeys(variant.get("build", "") for variant in recipe.draft["variants"]):
            found[key].append(recipe)
    return found


def _sandboxes() -> Mapping[str, list[Server]]:
    found: dict[str, list[Server]] = defaultdict(list)
    for server in Server.objects.filter(kind=Server.Kind.SANDBOX).only("name", "build").order_by("name"):
        found[server.build].append(server)
    return found
