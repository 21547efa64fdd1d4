"""Servers that speak MySQL's protocol and are not MySQL or MariaDB (lookalikes.toml): forks with storage of their own,
and proxies. Their variables of InnoDB and of the binary log mean nothing, or are those of a server behind them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workers.toml.table import TomlTable

FILE = Path(__file__).with_suffix(".toml")
GREETING = "greeting"
OTHER_PROXY = "other-proxy"
BEFORE_MARIADB = "5.5.5-"  # MariaDB and proxies put it before their version in the greeting


@dataclass(frozen=True)
class Lookalike:
    title: str
    source: str
    signs: tuple[str, ...] = ()
    proxy: bool = False

    @property
    def says(self) -> str:
        if self.proxy:
            return f"{self.title} stands in between: whose settings these are is not known."
        return f"This is {self.title}, not MySQL or MariaDB: these settings have no meaning here."


def read(path: Path) -> dict[str, Lookalike]:
    """Raises PlanError naming file, table and key."""
    file = TomlTable.of_file(path)
    return {name: file.table(name).read(Lookalike) for name in file.data}


LOOKALIKES = read(FILE)
_SIGNS = [
    (key, name, re.compile(pattern, re.IGNORECASE))
    for key, lookalike in LOOKALIKES.items()
    for name, _, pattern in (sign.partition("=") for sign in lookalike.signs)
]
VARIABLES = tuple(dict.fromkeys(("version", "version_comment", *(name for _, name, _ in _SIGNS if name != GREETING))))
LONGEST = 200  # characters of a value that are looked at


def recognised(variables: Mapping[str, str], greeting: str = "") -> str:
    """A key of LOOKALIKES, "" for MySQL, MariaDB and builds of them. `greeting`: the version that was told before the
    login, "": not known. A server tells the same version there and in its variable; a proxy tells its own."""
    told = {**variables, GREETING: greeting}
    for key, name, pattern in _SIGNS:
        if name in told and pattern.search(told[name][:LONGEST]):
            return key
    version = variables.get("version", "")
    differs = greeting and greeting.removeprefix(BEFORE_MARIADB) != version.removeprefix(BEFORE_MARIADB)
    return OTHER_PROXY if differs else ""
