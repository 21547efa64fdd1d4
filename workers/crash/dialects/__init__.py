"""Replication by GTID, by flavour; within a flavour the oldest dialect first."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workers.errors import PlanError
from workers.sandbox.builds import Build, KnownBuild
from workers.servers.facts import FlavourKey, Version
from workers.servers.flavours import FLAVOUR_KEYS
from workers.toml.table import TomlTable


@dataclass(frozen=True)
class Dialect:
    """Words, questions and settings of servers from `since` on; dialects.toml explains the fields."""

    since: Version
    word: str
    account: str
    point: str
    written: str
    applied: str
    received: str
    begin: str
    by_gtid: str
    by_file: str
    replayed: tuple[str, ...] = ("Relay_Master_Log_File", "Exec_Master_Log_Pos")
    demote: str = ""
    own: str = ""
    of_source: Mapping[str, str] = field(default_factory=dict)
    of_follower: Mapping[str, str] = field(default_factory=dict)

    @property
    def account_sql(self) -> str:
        return Path(__file__).with_name(self.account).read_text()

    @property
    def point_sql(self) -> str:
        return Path(__file__).with_name(self.point).read_text()

    def column(self, name: str) -> str:
        """IO_Running -> Slave_IO_Running or Replica_IO_Running."""
        return f"{self.word.capitalize()}_{name}"


FILE = TomlTable.of_file(Path(__file__).with_name("dialects.toml"))
DIALECTS = {flavour: tuple(table.read(Dialect) for table in FILE.tables(flavour)) for flavour in FLAVOUR_KEYS}


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
