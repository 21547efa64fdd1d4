"""One MariaDB server following another by GTID: https://mariadb.com/kb/en/gtid/.

What a follower says of itself is not enough to call it caught up: a start that will fail with 1236 looks healthy for
a moment. The source must say, too, that it has sent its whole binlog to this follower.
"""

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from workers.crash.gtid import count, minus, parse
from workers.errors import SandboxError
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect

ACCOUNT = "durascope_replica"
ACCOUNT_SQL = Path(__file__).with_name("replica_account.sql")
POINT_SQL = Path(__file__).with_name("replica_point.sql")
DUMPS = "SELECT id, state FROM information_schema.processlist WHERE user = %s AND command LIKE 'Binlog Dump%%'"
ALL_SENT = "has sent all binlog"
POLL_S = 0.02


@dataclass(frozen=True)
class Followed:
    """`error`: the follower's own words, its number first; of "unknown", why it is not known."""

    state: Literal["caught up", "stopped", "unknown"]
    error: str = ""


class Link:
    """`follower` replicates from `source`. Both are asked anew each time: either may have been restarted."""

    def __init__(self, source: Sandbox, follower: Sandbox) -> None:
        self.source, self.follower = source, follower
        self._password = secrets.token_hex(16)

    def start(self) -> None:
        """Point the follower at the source and start it from its own position. Raises ServerError.

        The account is made anew: a crash may have taken it. It is never in the source's binlog.
        """
        with connect(self.follower.target) as follower, connect(self.source.target) as source:
            ask.rows(follower, "STOP SLAVE")
            for dump, _ in ask.rows(source, DUMPS, [ACCOUNT]):
                ask.rows(source, f"KILL {dump}")
            _run(source, ACCOUNT_SQL, account=ACCOUNT, password=self._password)
            port = self.source.target.port
            _run(follower, POINT_SQL, account=ACCOUNT, password=self._password, port=port)

    def follow(self, limit_s: float) -> Followed:
        """Wait until the follower has everything, has stopped with an error, or the time is up. Raises ServerError."""
        deadline = time.monotonic() + limit_s
        with connect(self.follower.target) as follower, connect(self.source.target) as source:
            while True:
                status = _status(follower)
                if error := _stopped(status):
                    return Followed("stopped", error)
                if _runs(status) and _all_sent(source) and not ahead(binlog_position(source), position(follower)):
                    return Followed("caught up")
                if time.monotonic() > deadline:
                    return Followed("unknown", _late(limit_s, status, position(follower), binlog_position(source)))
                time.sleep(POLL_S)

    def settle(self, limit_s: float) -> None:
        """Receive nothing more, apply what was received, stop. SandboxError when that takes too long.

        What a stopped follower had received but not applied would be thrown away at its next start.
        """
        deadline = time.monotonic() + limit_s
        with connect(self.follower.target) as follower:
            ask.rows(follower, "STOP SLAVE IO_THREAD")
            while not _applied(status := _status(follower), position(follower)):
                if time.monotonic() > deadline:
                    raise SandboxError(
                        f"The replica did not apply within {limit_s:g} s what it had received: it is at "
                        f"{position(follower) or 'nothing'} of {status['Gtid_IO_Pos']}.",
                        "Nothing is known of it. Crash earlier, or allow more time.",
                    )
                time.sleep(POLL_S)
            ask.rows(follower, "STOP SLAVE")


def binlog_position(connection: Any) -> str:
    """GTID of the last transaction in the server's own binlog, "" while there is none."""
    return ask.value(connection, "SELECT @@GLOBAL.gtid_binlog_pos") or ""


def position(follower: Any) -> str:
    """GTID of the last transaction that a follower has applied."""
    return ask.value(follower, "SELECT @@GLOBAL.gtid_slave_pos") or ""


def ahead(some: str, others: str) -> int:
    """How many GTIDs stand for something in one position and for nothing in the other."""
    return count(minus(parse(some), parse(others)))


def _run(connection: Any, script: Path, **values: object) -> None:
    for statement in script.read_text().format(**values).split(";\n"):
        if statement.strip():
            ask.rows(connection, statement)


def _status(follower: Any) -> Mapping[str, Any]:
    """SHOW SLAVE STATUS by name. The driver's own cursor: the names are in its description."""
    with follower.cursor() as cursor:
        cursor.execute("SHOW SLAVE STATUS")
        return dict(zip((column[0] for column in cursor.description), cursor.fetchone(), strict=True))


def _stopped(status: Mapping[str, Any]) -> str:
    """Number and text of the error that stopped one of the two threads, "" while none has."""
    for thread in ("IO", "SQL"):
        number = status[f"Last_{thread}_Errno"]
        if status[f"Slave_{thread}_Running"] == "No" and number:
            return f"{number}: {status[f'Last_{thread}_Error']}"
    return ""


def _runs(status: Mapping[str, Any]) -> bool:
    return status["Slave_IO_Running"] == status["Slave_SQL_Running"] == "Yes"


def _applied(status: Mapping[str, Any], held: str) -> bool:
    """True as well when applying has ended with an error: more will not come."""
    return status["Slave_SQL_Running"] == "No" or not ahead(status["Gtid_IO_Pos"], held)


def _all_sent(source: Any) -> bool:
    return any(ALL_SENT in (state or "") for _, state in ask.rows(source, DUMPS, [ACCOUNT]))


def _late(limit_s: float, status: Mapping[str, Any], held: str, goal: str) -> str:
    last = status["Last_IO_Error"] or status["Last_SQL_Error"] or "no error"
    return f"Not caught up within {limit_s:g} s: at {held or 'nothing'} of {goal or 'nothing'}; {last}."
