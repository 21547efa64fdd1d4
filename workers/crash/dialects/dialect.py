"""The differences between flavours and versions in replication by GTID."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workers.sandbox.builds.build import Version


@dataclass(frozen=True)
class Dialect:
    """Words, questions and settings of servers from `since` on.

    `word`: SLAVE or REPLICA, in statements and status columns. `account`, `point`: files with the SQL that makes the
    account on the source, and that points the follower at it. `written`, `applied`: queries for the GTIDs that a server
    has written or applied; `received`: status column of the received ones. `begin` lets a fresh server begin after some
    GTIDs; `demote` lets a former source go on from its own, "": it does so by itself. `own`: query for the source whose
    GTIDs a follower skips as its own, "": they count as applied. `of_source`: settings that a source needs.
    """

    since: Version
    word: str
    account: str
    point: str
    written: str
    applied: str
    received: str
    begin: str
    demote: str = ""
    own: str = ""
    of_source: Mapping[str, str] = field(default_factory=dict)
    of_follower: Mapping[str, str] = field(default_factory=dict)

    @property
    def account_sql(self) -> str:
        return _text(self.account)

    @property
    def point_sql(self) -> str:
        return _text(self.point)

    def column(self, name: str) -> str:
        """IO_Running -> Slave_IO_Running or Replica_IO_Running."""
        return f"{self.word.capitalize()}_{name}"


def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text()
