"""Replication by GTID, by flavour; within a flavour the oldest dialect first."""

from collections.abc import Mapping

from workers.crash.dialects.dialect import Dialect
from workers.crash.dialects.mariadb import DIALECTS as MARIADB
from workers.crash.dialects.mysql import DIALECTS as MYSQL
from workers.errors import PlanError
from workers.sandbox.builds import Build, KnownBuild
from workers.sandbox.builds.build import Version
from workers.servers.facts import FlavourKey

__all__ = ["DIALECTS", "Dialect", "missing_of", "of"]

DIALECTS: dict[FlavourKey, tuple[Dialect, ...]] = {"mariadb": MARIADB, "mysql": MYSQL}


def of(build: Build) -> Dialect:
    """The newest dialect that the build knows. PlanError when there is none."""
    if why := _missing(build.flavour, build.version):
        raise PlanError(f"{build.title} cannot have a replica here: {why}.", "Go without, or take a newer server.")
    return next(dialect for dialect in reversed(DIALECTS[build.flavour]) if dialect.since <= build.version)


def missing_of(known: Mapping[str, KnownBuild]) -> dict[str, str]:
    """Build -> why it cannot have a replica, for builds whose version is known before they run."""
    versions = {key: _version(getattr(build, "version", None)) for key, build in known.items()}
    told = {key: _missing(known[key].flavour, version) for key, version in versions.items() if version}
    return {key: why for key, why in told.items() if why}


def _missing(flavour: FlavourKey, version: Version) -> str:
    first = DIALECTS[flavour][0].since
    if version >= first:
        return ""
    return f"a replica finds its place by GTIDs, which it has only from version {'.'.join(map(str, first))} on"


def _version(said: Version | str | None) -> Version | None:
    """The catalogue's "10.5" as the oldest that it can be."""
    if not isinstance(said, str):
        return said
    major, minor, patch = [*map(int, filter(None, said.split("."))), 0, 0][:3]
    return major, minor, patch
