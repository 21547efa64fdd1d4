"""How servers of a flavour and version are made and started: MariaDB from 10.1 on, MySQL from 5.5 on."""

from dataclasses import dataclass
from pathlib import Path

from workers.sandbox import process
from workers.sandbox.builds.build import Build
from workers.sandbox.users import User
from workers.servers.facts import FlavourKey, Version
from workers.servers.flavours import FLAVOUR_KEYS
from workers.toml.table import TomlTable

READ_S = 60.0
MOST_SQL_BYTES = 32 << 20


@dataclass(frozen=True)
class OptionLine:
    line: str
    since: Version = (0, 0, 0)
    before: Version = (999, 0, 0)


@dataclass(frozen=True)
class Family:
    """The servers of a flavour; flavours.toml explains the fields."""

    options: tuple[OptionLine, ...]
    first: str
    tables: tuple[str, ...]
    accounts_since: Version
    one_root: str = ""
    initialises_since: Version = (999, 0, 0)

    def lines(self, version: Version) -> list[str]:
        return [option.line for option in self.options if option.since <= version < option.before]

    def account_sql(self, version: Version) -> str:
        """Makes our account, locks out all others; `{password}` is to be filled in."""
        name = "account.sql" if version >= self.accounts_since else "account_old.sql"
        return Path(__file__).with_name(name).read_text()

    def system_tables(self, build: Build, user: User) -> bytes | None:
        """The SQL that makes a server's own tables; None: the server makes them itself. The files are read as the user
        who runs sandboxes: a build may bring a link to a file that only root may read."""
        if build.version >= self.initialises_since:
            return None
        first = self.first + (self.one_root if build.version >= self.accounts_since else "")
        share = build.layout.share
        files = (share / name for names in self.tables for name in names.split("|")) if share else ()
        return first.encode() + b"\n".join(_read(file, user) for file in files if file.is_file()) + b"\n"


def _read(file: Path, user: User) -> bytes:
    return process.run(["cat", "--", file], user, cwd=Path("/"), limit_s=READ_S, most_bytes=MOST_SQL_BYTES)


def _family(table: TomlTable) -> Family:
    return table.read(Family, options=tuple(line.read(OptionLine) for line in table.tables("options")))


FILE = TomlTable.of_file(Path(__file__).with_name("flavours.toml"))
FAMILIES: dict[FlavourKey, Family] = {flavour: _family(FILE.table(flavour)) for flavour in FLAVOUR_KEYS}
