"""How servers follow each other by GTID, by flavour; within a flavour the oldest way first."""

from workers.crash.ways.mariadb import WAYS as MARIADB
from workers.crash.ways.mysql import WAYS as MYSQL
from workers.crash.ways.way import Way
from workers.errors import PlanError
from workers.sandbox.builds.build import Build, Version
from workers.servers.facts import FlavourKey

__all__ = ["WAYS", "Way", "missing", "of"]

WAYS: dict[FlavourKey, tuple[Way, ...]] = {"mariadb": MARIADB, "mysql": MYSQL}


def of(build: Build) -> Way:
    """The newest way that the build knows. PlanError when there is none."""
    if why := missing(build.flavour, build.version):
        raise PlanError(f"{build.title} cannot have a replica here: {why}.", "Go without, or take a newer server.")
    return next(way for way in reversed(WAYS[build.flavour]) if way.since <= build.version)


def missing(flavour: FlavourKey, version: Version) -> str:
    """Why servers of that version cannot have a replica here, "" when they can."""
    first = WAYS[flavour][0].since
    if version >= first:
        return ""
    return f"a replica finds its place by GTIDs, which it has only from version {'.'.join(map(str, first))} on"
