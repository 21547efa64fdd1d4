"""What differs between kinds and ages of server when one is made and started."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from workers.sandbox import process
from workers.sandbox.builds.build import Build
from workers.sandbox.users import User
from workers.servers.facts import Version

READ_S = 60.0
MOST_SQL_BYTES = 32 << 20


@dataclass(frozen=True)
class OptionLine:
    """A line of the option file, for servers from `since` on and below `before`."""

    line: str
    since: Version = (0, 0, 0)
    before: Version = (999, 0, 0)


@dataclass(frozen=True)
class Family:
    """`system_tables(build, user)`: the SQL that makes a server's own tables, fed to --bootstrap; None: the server
    makes them itself (--initialize-insecure). `accounts_since`: the first version with CREATE USER IF EXISTS and
    ACCOUNT LOCK."""

    options: tuple[OptionLine, ...]
    system_tables: Callable[[Build, User], bytes | None]
    accounts_since: Version

    def lines(self, version: Version) -> list[str]:
        return [option.line for option in self.options if option.since <= version < option.before]

    def account_sql(self, version: Version) -> str:
        """Makes our account, locks out all others; `{password}` is to be filled in."""
        name = "account.sql" if version >= self.accounts_since else "account_old.sql"
        return Path(__file__).with_name(name).read_text()


def share_sql(build: Build, patterns: tuple[str, ...], user: User) -> bytes:
    """The files of the build's share folder that fit, joined in this order; each may have one of two names. They are
    read as the user who runs sandboxes: a build may bring a link to a file that only root may read."""
    share = build.layout.share
    files = (share / name for pattern in patterns for name in pattern.split("|")) if share else ()
    return b"\n".join(_read(file, user) for file in files if file.is_file()) + b"\n"


def _read(file: Path, user: User) -> bytes:
    return process.run(["cat", "--", file], user, cwd=Path("/"), limit_s=READ_S, most_bytes=MOST_SQL_BYTES)
