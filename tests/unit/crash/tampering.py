"""Kinds of tampering with the evidence of a crash: `python -m tests.unit.crash.tampering` prints who noticed what.

The untouched evidence is two clients' transactions 1 to 15 in turn, in a binlog that a real server wrote. Binlog events
get right lengths, places and checksums after each change. Unless a kind says "after the crash", the copy of the binlog
that is taken at the crash is tampered with, too, so that only what the binlog says can give the change away.
"""

import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from tests.unit.crash.binlog_bytes import SCHEMA, SECRET, rows_of
from tests.unit.crash.tampered_binlog import Events, put_together, taken_apart
from tests.unit.crash.tampered_events import AFTER_THE_CRASH, BINLOG, OF_MYSQL
from tests.unit.crash.tampered_rows import EACH, ROWS, Row
from workers.crash import binlog, compare_tables
from workers.crash.binlog import BinlogUnknown
from workers.crash.checks import run_checks
from workers.crash.compare_tables import Placed, Rows
from workers.crash.evidence import Evidence, ReplicaSeen
from workers.crash.ledger import ClientLedger, Ledger
from workers.crash.transactions import keys_found
from workers.crash.verdict import CheckResult, verdict

FILES = Path(__file__).with_name("binlogs")


SERVERS = {"MariaDB 10.11": "mariadb-10.11.two-clients", "MySQL 9.7": "mysql-9.7.two-clients"}


@dataclass
class Case:
    """Evidence to be tampered with. `copy`: the binlog as it was at the crash."""

    rows: list[Row]
    replica: list[Row]
    log: Events
    copy: Events
    ledger: Ledger
    mysql: bool = False
    extra: list[bytes] = field(default_factory=list)


def untouched(server: str) -> Case:
    rows = [row(*one) for client in (1, 2) for n in range(1, EACH + 1) for one in rows_of(client, n)]
    log = taken_apart((FILES / SERVERS[server]).read_bytes())
    return Case(rows, list(rows), log, list(log), ledger().sealed(SECRET), "MySQL" in server)


def row(table: str, values: tuple[int, ...]) -> Row:
    client, n, *part, digest = values
    return table, (*part, 0)[0], client, n, digest


def ledger() -> Ledger:
    """Client 2's answers come between those of client 1. Numbers 10 are under way at the same time."""
    first, second = (np.arange(1, EACH + 1, dtype=np.float64) + client / 10 for client in (1, 2))
    first[9], second[9] = 10.05, 10.06
    return Ledger((ClientLedger(1, EACH, first), ClientLedger(2, EACH, second)))


def judged(case: Case) -> tuple[CheckResult, ...]:
    engine, replica = placed(case.rows), placed(case.replica)
    differs = compare_tables.difference(engine, replica).rows
    seen = compare_tables.seen(replica, SECRET)
    moments = ("after recovery", "after the primary wrote on")
    evidence = Evidence(
        engine=compare_tables.seen(engine, SECRET),
        binlog=None,
        replicas=tuple(ReplicaSeen(moment, "caught up", "", differs, seen) for moment in moments),
        replica_expected=True,
        prepared_left=0,
        tables_ok=True,
        stays_down="",
        secret=SECRET,
    )
    return run_checks(case.ledger, with_binlog(evidence, case))


def with_binlog(evidence: Evidence, case: Case) -> Evidence:
    with tempfile.TemporaryDirectory() as folder:
        now, before = Path(folder, "binlog.000001"), Path(folder, "copy", "binlog.000001")
        before.parent.mkdir()
        now.write_bytes(put_together(case.log))
        before.write_bytes(put_together(case.copy))
        try:
            read = binlog.read([now], SCHEMA, SECRET)
        except BinlogUnknown as unknown:
            return replace(evidence, problems=(str(unknown),))
        return replace(evidence, binlog=read, rewritten=binlog.rewritten([before], [now], read.read_to))


def placed(rows: list[Row]) -> Rows:
    places: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for table, part, client, n, digest in rows:
        (of,) = keys_found(np.array([client]), np.array([n])).tolist()
        places.setdefault((table, part), []).append((of, digest))
    return {place: Placed(*np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T) for place, pairs in places.items()}


def of_client(which: int, change: Callable[[ClientLedger], ClientLedger]) -> Callable[[Ledger], Ledger]:
    return lambda of: replace(
        of, clients=tuple(change(one) if at == which else one for at, one in enumerate(of.clients))
    )


def answered(place: int, value: float) -> Callable[[ClientLedger], ClientLedger]:
    def change(one: ClientLedger) -> ClientLedger:
        times = one.acknowledged_at_s.copy()
        times[place] = value
        return replace(one, acknowledged_at_s=times)

    return change


LEDGER: dict[str, Callable[[Ledger], Ledger]] = {
    "the answer to a transaction in the middle is removed": of_client(0, answered(5, np.nan)),
    "the answer to the last transaction is removed": of_client(0, answered(EACH - 1, np.nan)),
    "an answer comes at another time": of_client(0, answered(EACH - 1, 99.0)),
    "two answers are exchanged": of_client(
        0, lambda one: replace(one, acknowledged_at_s=one.acknowledged_at_s[[1, 0, *range(2, EACH)]])
    ),
    "a client sent less": of_client(0, lambda one: ClientLedger(one.client, one.sent - 1, one.acknowledged_at_s[:-1])),
    "a client sent more, without an answer": of_client(
        0, lambda one: ClientLedger(one.client, one.sent + 1, np.append(one.acknowledged_at_s, np.nan))
    ),
    "a client sent more, with an answer": of_client(
        0, lambda one: ClientLedger(one.client, one.sent + 1, np.append(one.acknowledged_at_s, 99.0))
    ),
    "a client is removed": lambda of: replace(of, clients=of.clients[:1]),
    "a client is there twice": lambda of: replace(of, clients=(*of.clients, of.clients[0])),
    "a client is another one": of_client(0, lambda one: replace(one, client=9)),
}


def kinds(server: str) -> dict[tuple[str, str], Callable[[Case], Case]]:
    """(where, what) -> the tampering."""
    of_rows = {
        ("engine", what): (lambda case, change=change: replace(case, rows=change(case.rows)))
        for what, change in ROWS.items()
    }
    of_replica = {
        ("replica", what): (lambda case, change=change: replace(case, replica=change(case.replica)))
        for what, change in ROWS.items()
    }
    both = {
        ("engine and replica", what): (
            lambda case, change=change: replace(case, rows=change(case.rows), replica=change(case.replica))
        )
        for what, change in ROWS.items()
    }
    of_log = BINLOG | (OF_MYSQL if "MySQL" in server else {})
    logs = {
        ("binlog", what): (lambda case, change=change: replace(case, log=change(case.log), copy=change(case.copy)))
        for what, change in of_log.items()
    }
    later = {
        ("binlog", what): (lambda case, change=change: replace(case, log=change(case.log)))
        for what, change in AFTER_THE_CRASH.items()
    }
    of_ledger = {
        ("ledger", what): (lambda case, change=change: replace(case, ledger=change(case.ledger)))
        for what, change in LEDGER.items()
    }
    return of_rows | of_replica | both | logs | later | of_ledger


def main() -> None:
    for server in SERVERS:
        told: dict[str, Counter[str]] = {}
        for (where, what), tamper in kinds(server).items():
            outcome = verdict(judged(tamper(untouched(server))))
            told.setdefault(where, Counter())[outcome] += 1
            if outcome == "valid":
                print(f"not noticed: {where}: {what}")
        print(f"\n{server}; untouched: {verdict(judged(untouched(server)))}\n")
        print("| tampered with | kinds | invalid | unknown | valid |\n|---|---|---|---|---|")
        for where, counts in told.items():
            print(f"| {where} | {counts.total()} | {counts['invalid']} | {counts['unknown']} | {counts['valid']} |")


if __name__ == "__main__":
    main()
