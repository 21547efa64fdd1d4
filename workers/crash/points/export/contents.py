"""What an archive of a crash point holds beside the disk: the ledger of its clients, and what Durascope must know."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

import numpy as np

from workers.crash.digest import digests
from workers.crash.ledger import ClientLedger, Ledger
from workers.crash.transactions import (
    NO_PLACE,
    PLACES,
    PLACES_BY_TURN,
    SEVERAL,
    TURN,
    client_of,
    number_of,
)
from workers.errors import SandboxError

DISK, LOGS_DISK, COMMITS, POINT, CNF = "disk.img", "logs.img", "commits.txt", "point.json", "my.cnf"
REPLICA_DISK = "replica.img"
IN_DOUBT = "-"


@dataclass(frozen=True, kw_only=True)
class PointFile:
    """`first`: name of the first file of the binary log; `failed`: keys of the checks that failed; `apart`: logs on
    a disk of their own, `logs.img`; `replica`: its settings, and its disk is `replica.img`; None: there is none."""

    build: str
    settings: Mapping[str, str]
    schema: str
    secret: str
    first: str
    has_binlog: bool
    has_gtids: bool
    moment: int
    keeps: str
    failed: tuple[str, ...]
    apart: tuple[str, ...] = ()
    replica: Mapping[str, str] | None = None

    @property
    def images(self) -> tuple[str, ...]:
        """In the order of the disks."""
        return (DISK, REPLICA_DISK) if self.replica is not None else (DISK, LOGS_DISK) if self.apart else (DISK,)

    def text(self) -> str:
        return json.dumps(asdict(self), indent=1)


def read_point(text: str) -> PointFile:
    """SandboxError: another version wrote it."""
    try:
        known = json.loads(text)
        return PointFile(**known | {"failed": tuple(known["failed"]), "apart": tuple(known.get("apart", ()))})
    except (ValueError, TypeError, KeyError) as wrong:
        raise SandboxError(f"This is no crash point of this version: {wrong}.", "Run the trial again.") from None


def commit_lines(ledger: Ledger, secret: bytes) -> Iterator[str]:
    """Each row that was sent: table, client, n, part, digest, and when its commit was acknowledged."""
    keys = np.repeat(ledger.sent(), SEVERAL)
    places = PLACES_BY_TURN[number_of(ledger.sent()) % TURN].ravel()
    keys, places = keys[places != NO_PLACE], places[places != NO_PLACE]
    told, written = ledger.told_at_s(keys).tolist(), digests(secret, keys, places).tolist()
    yield "# table\tclient\tn\tpart\tdigest\tacknowledged_s\n"
    rows = zip(places.tolist(), client_of(keys).tolist(), number_of(keys).tolist(), written, told, strict=True)
    for place, client, number, digest, at_s in rows:
        table, part = PLACES[place]
        at = IN_DOUBT if at_s == np.inf else repr(at_s)
        yield f"{table}\t{client}\t{number}\t{part}\t{digest}\t{at}\n"


def ledger_of(lines: Iterator[str], secret: bytes) -> Ledger:
    """SandboxError: these lines are no ledger."""
    known: dict[int, dict[int, float]] = defaultdict(dict)
    try:
        for line in lines:
            if not line.startswith("#"):
                _, client, number, _, _, at = line.rstrip("\n").split("\t")
                known[int(client)][int(number)] = np.nan if at == IN_DOUBT else float(at)
    except ValueError as wrong:
        raise SandboxError(f"{COMMITS} of the crash point is damaged: {wrong}.", "Run the trial again.") from None
    return Ledger(tuple(_client(client, known[client]) for client in sorted(known))).sealed(secret)


def _client(client: int, told: Mapping[int, float]) -> ClientLedger:
    """It sent every number up to the last."""
    sent = max(told)
    times = np.array([told.get(number, np.nan) for number in range(1, sent + 1)])
    return ClientLedger(client, sent, times, max(1, int(np.isnan(times).sum())))
