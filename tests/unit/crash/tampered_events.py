"""Kinds of tampering with the events of a binary log."""

import struct
from collections.abc import Callable
from dataclasses import replace

from tests.unit.crash.binlog_bytes import SCHEMA
from tests.unit.crash.tampered_binlog import GTIDS, WRITES, Event, Events, found, groups
from workers.crash.binlog.events import EventType

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
