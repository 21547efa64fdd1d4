"""Kinds of tampering with the evidence of a crash: `python -m tests.unit.crash.tampering` prints who noticed what.

The untouched evidence is two clients' transactions 1 to 15 in turn, in a binlog that a real server wrote. Binlog events
get right lengths, places and checksums after each change. Unless a kind says "after the crash", the copy of the binlog
that is taken at the crash is tampered with, too, so that only what the binlog says can give the change away.
"""

import struct
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from tests.unit.crash.binlog_bytes import SCHEMA, SECRET, digest_of, rows_of
from tests.unit.crash.tampered_binlog import GTIDS, WRITES, Event, Events, found, groups, put_together, taken_apart
from workers.crash import binlog, compare_tables
from workers.crash.binlog import BinlogUnknown
from workers.crash.binlog.events import EventType
from workers.crash.checks import judge_all
from workers.crash.compare_tables import Placed, Rows
from workers.crash.evidence import Evidence, ReplicaSeen
from workers.crash.ledger import ClientLedger, Ledger
from workers.crash.transactions import MOST_CLIENTS, MOST_NUMBERS, keys_found
from workers.crash.verdict import CheckResult, verdict

FILES = Path(__file__).with_name("binlogs")
SERVERS = {"MariaDB 10.11": "mariadb-10.11.two-clients", "MySQL 9.7": "mysql-9.7.two-clients"}
EACH = 15  # transactions of a client; client 1's and 2's take turns
Row = tuple[str, int, int, int, int]  # table, part, client, n, digest


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
    return judge_all(case.ledger, with_binlog(evidence, case))


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


# ---- the engine's rows, and a replica's

Change = Callable[[list[Row]], list[Row]]


def without(client: int, n: int, *, rows: slice = slice(None)) -> Change:
    def change(some: list[Row]) -> list[Row]:
        gone = [one for one in some if one[2:4] == (client, n)][rows]
        return [one for one in some if one not in gone]

    return change


def instead(client: int, n: int, of_row: Callable[[Row], Row], *, nth: int = 0) -> Change:
    def change(some: list[Row]) -> list[Row]:
        (old, *_) = [one for one in some if one[2:4] == (client, n)][nth:]
        return [of_row(one) if one == old else one for one in some]

    return change


def along_with(*more: Row) -> Change:
    return lambda some: [*some, *more]


def exchanged_digests(some: list[Row]) -> list[Row]:
    (first,), (second,) = ([one for one in some if one[2:4] == (1, n)] for n in (5, 6))
    return [(*one[:4], second[4]) if one == first else (*one[:4], first[4]) if one == second else one for one in some]


ROWS: dict[str, Change] = {
    "a row of the last transaction is deleted": without(2, EACH),
    "a row in the middle is deleted": without(1, 5),
    "one of three rows is deleted": without(1, 2, rows=slice(1)),
    "one half is deleted": without(1, 4, rows=slice(1)),
    "the part of a single row is changed": instead(1, 5, lambda one: (one[0], 1, *one[2:])),
    "the part of one of three rows is changed": instead(1, 2, lambda one: (one[0], 3, *one[2:]), nth=2),
    "a row is moved from one to left_half": instead(1, 5, lambda one: ("left_half", *one[1:])),
    "a row is moved from left_half to right_half": instead(1, 4, lambda one: ("right_half", *one[1:])),
    "one bit of a digest is changed": instead(1, 5, lambda one: (*one[:4], one[4] ^ 1)),
    "the digests of two rows are exchanged": exchanged_digests,
    "a number is changed to one that was never sent": instead(1, 5, lambda one: (*one[:3], 900, one[4])),
    "a number is changed to one that was sent": instead(1, 5, lambda one: (*one[:3], 6, one[4])),
    "a client is changed": instead(1, 5, lambda one: (*one[:2], 7, *one[3:])),
    "a client is changed to one beyond all bounds": instead(1, 5, lambda one: (*one[:2], MOST_CLIENTS << 3, *one[3:])),
    "a client is changed to a negative one": instead(1, 5, lambda one: (*one[:2], -1, *one[3:])),
    "a number is changed to one beyond all bounds": instead(1, 5, lambda one: (*one[:3], MOST_NUMBERS + 5, one[4])),
    "a number is changed to a negative one": instead(1, 5, lambda one: (*one[:3], -5, one[4])),
    "a row is there twice": along_with(("one", 0, 1, 5, digest_of(1, 5, 0))),
    "a row that nobody sent is added": along_with(("one", 0, 1, 900, 0)),
    "a row that nobody sent is added with another row's digest": along_with(("one", 0, 1, 900, digest_of(1, 5, 0))),
    "a row of a client that writes after the crash is added": along_with(("one", 0, 1000, 10, 0)),
    "a row is added to a transaction of one row": along_with(("one", 1, 1, 5, digest_of(1, 5, 1))),
}


# ---- the binlog

EventChange = Callable[[Events], Events]


def removed(*kinds: int, nth: int = 20) -> EventChange:
    def change(events: Events) -> Events:
        at = found(events, kinds, nth)
        return [*events[:at], *events[at + 1 :]]

    return change


def altered(of_event: Callable[[Event], Event], *kinds: int, nth: int = 20) -> EventChange:
    def change(events: Events) -> Events:
        at = found(events, kinds, nth)
        return [*events[:at], of_event(events[at]), *events[at + 1 :]]

    return change


def in_row(before_end: int, of_byte: Callable[[int], int]) -> Callable[[Event], Event]:
    """The event with another byte that far before its end."""

    def change(event: Event) -> Event:
        body = bytearray(event.body)
        body[-before_end] = of_byte(body[-before_end])
        return replace(event, body=bytes(body))

    return change


def inserted(make: Callable[[Events, slice], Events], *, offset: int = 0, nth: int = 20) -> EventChange:
    """Events that are added to the nth transaction: before its end, that far."""

    def change(events: Events) -> Events:
        of = groups(events)[nth]
        at = of.stop - offset
        return [*events[:at], *make(events, of), *events[at:]]

    return change


def renumbered(events: Events) -> Events:
    """GTIDs that follow each other again."""
    number, done = next(event.number for event in events if event.kind in GTIDS), []
    for event in events:
        done.append(event.numbered(number) if event.kind in GTIDS else event)
        number += event.kind in GTIDS
    return done


def exchanged(first: int, second: int) -> EventChange:
    def change(events: Events) -> Events:
        one, other = groups(events)[first], groups(events)[second]
        between = events[one.stop : other.start]
        return [*events[: one.start], *events[other], *between, *events[one], *events[other.stop :]]

    return change


def repeated(events: Events) -> Events:
    all_groups = groups(events)
    again, end = events[all_groups[20]], all_groups[-1].stop
    return [*events[:end], *again, *events[end:]]


def numbers_exchanged(events: Events) -> Events:
    first, second = (found(events, GTIDS, nth) for nth in (10, 11))
    done = list(events)
    done[first], done[second] = (
        events[first].numbered(events[second].number),
        events[second].numbered(events[first].number),
    )
    return done


def merged(events: Events) -> Events:
    """The end of one transaction and the beginning of the next one are gone."""
    one, other = groups(events)[20], groups(events)[21]
    body = next(at for at in range(other.start, other.stop) if events[at].kind == EventType.TABLE_MAP)
    return renumbered([*events[: one.stop - 1], *events[body:]])


def split(events: Events) -> Events:
    """Transaction 4 of client 1 writes a row in each half: each gets a transaction of its own."""
    of = groups(events)[6]
    group = events[of]
    second = [at for at, event in enumerate(group) if event.kind == EventType.TABLE_MAP][1]
    begin = next(at for at, event in enumerate(group) if event.kind == EventType.TABLE_MAP)
    opened = [event for event in group[:begin] if event.kind != EventType.ANNOTATE_ROWS]
    both = [*group[:second], group[-1], *opened, *group[second:]]
    return renumbered([*events[: of.start], *both, *events[of.stop :]])


def turned_round(events: Events) -> Events:
    """The three rows of client 1's transaction 2, in one event, in another order."""
    of = groups(events)[2]
    at = next(at for at in range(of.start, of.stop) if events[at].kind in WRITES)
    body, size = events[at].body, 25
    head, rows = body[: -3 * size], body[-3 * size :]
    return [*events[:at], replace(events[at], body=head + rows[size:] + rows[:size]), *events[at + 1 :]]


def other_half(events: Events) -> Events:
    """The table map of right_half says left_half."""
    name = struct.pack("B", 10) + b"right_half\0"
    at = next(at for at, event in enumerate(events) if event.kind == EventType.TABLE_MAP and name in event.body)
    body = events[at].body.replace(name, struct.pack("B", 9) + b"left_half\0")
    return [*events[:at], replace(events[at], body=body), *events[at + 1 :]]


def statement(text: str, schema: str = SCHEMA) -> Event:
    head = struct.pack("<IIBHH", 1, 0, len(schema), 0, 0)
    return Event(EventType.QUERY, head + schema.encode() + b"\0" + text.encode())


def standalone(text: str, schema: str = SCHEMA) -> EventChange:
    """A statement under a GTID of its own."""

    def change(events: Events) -> Events:
        end = groups(events)[20].stop
        gtid = events[groups(events)[20].start]
        if gtid.kind == EventType.MARIADB_GTID:
            gtid = replace(gtid, body=gtid.body[:12] + b"\1" + gtid.body[13:])
        return renumbered([*events[:end], gtid, statement(text, schema), *events[end:]])

    return change


def transaction_of(kind_of: Callable[[Event], Event]) -> EventChange:
    """A transaction that is added: a copy of one, its row event changed."""

    def change(events: Events) -> Events:
        of = groups(events)[20]
        copy = [kind_of(event) if event.kind in WRITES else event for event in events[of]]
        return renumbered([*events[: of.stop], *copy, *events[of.stop :]])

    return change


def of_kind(version_1: int, version_2: int) -> Callable[[Event], Event]:
    return lambda event: replace(event, kind=version_2 if event.kind == EventType.WRITE_ROWS_V2 else version_1)


def elsewhere(events: Events) -> Events:
    """A whole transaction in another schema is added."""
    of = groups(events)[20]
    name = SCHEMA.encode()
    copy = [
        replace(event, body=event.body.replace(name, b"durascope_other"))
        if event.kind == EventType.TABLE_MAP
        else event
        for event in events[of]
    ]
    return renumbered([*events[: of.stop], *copy, *events[of.stop :]])


def empty(events: Events) -> Events:
    of = groups(events)[20]
    kept = (*GTIDS, EventType.QUERY, EventType.XID)
    copy = [event for event in events[of] if event.kind in kept]
    return renumbered([*events[: of.stop], *copy, *events[of.stop :]])


def cut_off(events: Events) -> Events:
    """The last transaction is gone, at an event's border."""
    return events[: groups(events)[-1].start]


BINLOG: dict[str, EventChange] = {
    "a table map is removed": removed(EventType.TABLE_MAP),
    "a GTID event is removed": removed(*GTIDS),
    "an XID event is removed": removed(EventType.XID),
    "a row event is removed": removed(*WRITES),
    "the last transaction is cut off": cut_off,
    "a whole transaction is removed, GTIDs renumbered": lambda events: renumbered(
        [event for at, event in enumerate(events) if at not in range(*groups(events)[20].indices(len(events)))]
    ),
    "one bit of a digest is changed": altered(in_row(1, lambda byte: byte ^ 1), *WRITES),
    "a part is changed": altered(in_row(12, lambda byte: 1), *WRITES, nth=0),
    "a number is changed": altered(in_row(20, lambda byte: byte + 1), *WRITES, nth=0),
    "a client is changed": altered(in_row(24, lambda byte: byte + 1), *WRITES, nth=0),
    "a column is marked NULL": altered(in_row(25, lambda byte: byte | 1), *WRITES, nth=0),
    "a row is moved to the other half": other_half,
    "rows of a transaction are in another order": turned_round,
    "a GTID is renumbered": altered(lambda event: event.numbered(event.number + 1000), *GTIDS),
    "two GTIDs are exchanged": numbers_exchanged,
    "a GTID is given out twice": altered(lambda event: event.numbered(event.number - 1), *GTIDS),
    "a GTID is of another source": altered(lambda event: another_source(event), *GTIDS),
    "all GTIDs after one are higher": lambda events: shifted(events),
    "two transactions are exchanged": exchanged(10, 13),
    "two transactions are exchanged, GTIDs renumbered": lambda events: renumbered(exchanged(10, 13)(events)),
    "two transactions of one client are exchanged, GTIDs renumbered": lambda events: renumbered(
        exchanged(10, 12)(events)
    ),
    "a transaction is repeated": repeated,
    "a transaction is repeated, GTIDs renumbered": lambda events: renumbered(repeated(events)),
    "a transaction is split in two": split,
    "two transactions are made one": merged,
    "an added transaction deletes a row": transaction_of(of_kind(EventType.DELETE_ROWS_V1, EventType.DELETE_ROWS_V2)),
    "an added transaction updates rows": transaction_of(of_kind(EventType.UPDATE_ROWS_V1, EventType.UPDATE_ROWS_V2)),
    "an added transaction inserts a row that nobody sent": transaction_of(in_row(20, lambda byte: 99)),
    "an added transaction is empty": empty,
    "an added transaction is in another schema": elsewhere,
    "an added statement deletes a row": standalone("DELETE FROM one WHERE n = 5"),
    "an added statement empties a table": standalone("TRUNCATE one"),
    "an added statement is in another schema": standalone("DROP TABLE t", "elsewhere"),
    "a statement is added to a transaction": inserted(lambda events, of: [statement("DELETE FROM one")], offset=1),
    "a table map is there twice": inserted(
        lambda events, of: [event for event in events[of] if event.kind == EventType.TABLE_MAP][:1], offset=2
    ),
    "a row event is there twice": inserted(
        lambda events, of: [event for event in events[of] if event.kind in WRITES][:1], offset=1
    ),
    "a statement is left without its end": altered(
        lambda event: replace(event, body=event.body[:6] + b"\0" + event.body[7:]), *WRITES
    ),
    "a transaction ends with COMMIT instead of XID": altered(lambda event: statement("COMMIT", ""), EventType.XID),
    "a transaction is rolled back": altered(lambda event: statement("ROLLBACK", ""), EventType.XID),
    "an incident is added": inserted(lambda events, of: [Event(EventType.INCIDENT, b"\1\0\0")]),
    "an event of an unknown kind is added": inserted(lambda events, of: [Event(120, bytes(8))]),
    "an event follows the last one of the file": lambda events: [*events, Event(EventType.XID, bytes(8))],
    "a second description of the file is added": inserted(lambda events, of: events[:1]),
    "an event says that it ends elsewhere": altered(lambda event: replace(event, misplaced=7), *WRITES),
}
OF_MYSQL: dict[str, EventChange] = {
    "a BEGIN is removed": removed(EventType.QUERY),
    "a GTID becomes an anonymous one": altered(
        lambda event: replace(event, kind=EventType.ANONYMOUS_GTID), EventType.GTID
    ),
}
AFTER_THE_CRASH: dict[str, EventChange] = {
    "concurrent transactions are exchanged after the crash, GTIDs renumbered": lambda events: renumbered(
        exchanged(18, 19)(events)
    ),
    "the time of an event is changed after the crash": altered(lambda event: replace(event, time=1), *WRITES),
    "an XID is changed after the crash": altered(lambda event: replace(event, body=b"\xee" * 8), EventType.XID),
    "the server of an event is changed after the crash": altered(lambda event: replace(event, server=99), *WRITES),
}


def another_source(event: Event) -> Event:
    if event.kind == EventType.MARIADB_GTID:
        return replace(event, server=99)
    return replace(event, body=event.body[:1] + bytes(16) + event.body[17:])


def shifted(events: Events) -> Events:
    begin = groups(events)[20].start
    return [
        event.numbered(event.number + 3) if at >= begin and event.kind in GTIDS else event
        for at, event in enumerate(events)
    ]


# ---- the ledger


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


# ---- all of them


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
