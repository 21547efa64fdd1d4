"""Facts of a running server, read once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

FlavourKey = Literal["mariadb", "mysql"]
Version = tuple[int, int, int]


@dataclass(frozen=True)
class Facts:
    """The answers of one read.

    `version` is comparable, (10, 11, 19); `version_text` is as the server prints it; `variables` are all
    global variables, names in lower case; `engines` maps an engine's lower-case name to its SHOW ENGINES
    support column (YES, DEFAULT, NO, DISABLED). `lookalike`: a key of workers.servers.lookalikes for a server that is
    not MySQL or MariaDB itself, "".
    """

    flavour: FlavourKey
    version: Version
    version_text: str
    variables: Mapping[str, str]
    engines: Mapping[str, str]
    lookalike: str = ""

    def variable(self, name: str) -> str | None:
        """The variable's value; None: this server has no such variable."""
        return self.variables.get(name.lower())

    def has_engine(self, name: str) -> bool:
        return self.engines.get(name.lower()) in ("YES", "DEFAULT")
