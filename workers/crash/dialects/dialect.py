"""What differs between kinds and ages of server when one follows another by GTID."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workers.sandbox.builds.build import Version


@dataclass(frozen=True)
class Dialect:
    """Words, questions and settings of servers from `since` on.

    `word` is SLAVE or REPLICA, in statements and in the names of status columns; `account` and `point` name the SQL
    that makes the account on the source and that points the follower at it. `written` and `applied` ask for the GTIDs
    that a server has written and those that it has applied; `received` is the status column of those that it was sent.
    `begin` lets a fresh server begin after some GTIDs; `demote` lets one that was a source go on from what it wrote,
    "" where it does so by itself. `own` asks for the source whose GTIDs a follower passes over, as it wrote them
    itself; "" where they count as applied. `of_source` are settings without which nobody can follow a server.
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
