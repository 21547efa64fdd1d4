"""The scenarios: what is asked, how the server lies, and what the sentence says.

`says` is a pattern of the sentences that the product gives. "" where the lie is harmless: the product goes on.
"""

import itertools
import random
import socket
import struct
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.real.hostile import wire
from tests.real.hostile.liar import DUMPED, LOGIN, Lie, Talk
from tests.real.hostile.wire import DECIMAL, DOUBLE, NUMBER, TEXT, TIME, answer, columns, error, packet, packets, row

NAMES = [(b"Variable_name", TEXT), (b"Value", TEXT)]
ANY = r"^(?!SET |USE )"
VARIABLES, STATUS = r"SHOW GLOBAL VARIABLES", r"SHOW GLOBAL STATUS"
DISKS, GRANTS, LOGS, PROCESSES = r"information_schema.DISKS", r"SHOW GRANTS", r"SHOW BINARY LOGS", r"processlist"
SOURCES = r"SHOW (ALL )?(SLAVE|REPLICA)S? STATUS"
LOG = b"binlog.000001"
HUGE, LOST, NONSENSE, LATE = "sent more than", "was lost|hung up", "sent what no server sends", "did not answer in time"
ENOUGH_S, FEW_S = 60.0, 0.5  # for all answers: a lie that is too large ends earlier; one that is slow, in a few
NO_NUMBER = "instead of a number"
SCRIPT = b"</script><script>alert(1)</script>'\"\x1b[31m\x00\xe2\x80\xae\r\nINFO forged"


@dataclass(frozen=True)
class Scenario:
    use: str
    lies: Mapping[str, Lie]
    says: str
    seconds: float = ENOUGH_S


def endless(bodies: Sequence[bytes], *again: bytes) -> Talk:
    """The first packets, and then some without end. Many at once: the test asks what receiving costs, not sending."""
    return lambda caller: flood(packets(bodies), packets(wire.NUMBERS * again, len(bodies) + 1))(caller)


def slowly(bodies: Sequence[bytes], again: bytes, pause_s: float = 0.1) -> Talk:
    def talk(caller: socket.socket) -> None:
        caller.sendall(packets(bodies))
        for number in itertools.count(len(bodies) + 1):
            caller.sendall(packet(again, number))
            time.sleep(pause_s)

    return talk


def drip(said: bytes = b"\xff\xff\x0f\x01") -> Talk:
    def talk(caller: socket.socket) -> None:
        caller.sendall(said)
        while True:
            time.sleep(0.05)
            caller.sendall(b"\x00")

    return talk


def silent(caller: socket.socket) -> None:
    caller.recv(1)


def hang_up(caller: socket.socket) -> None:
    caller.shutdown(socket.SHUT_RDWR)


def flood(said: bytes, again: bytes) -> Talk:
    def talk(caller: socket.socket) -> None:
        caller.sendall(said)
        while True:
            caller.sendall(again)

    return talk


def variables(**changed: bytes) -> bytes:
    known = {
        "version": b"10.11.6-MariaDB",
        "log_bin": b"ON",
        "hostname": b"another",
        "datadir": b"/d",
        "server_id": b"7",
    }
    return answer(NAMES, *([name.encode(), value] for name, value in {**known, **changed}.items()))


def many_variables(count: int, size: int) -> bytes:
    return answer(NAMES, [b"version", b"10.11.6-MariaDB"], *([b"v%d" % n, b"x" * size] for n in range(count)))


def field(kind: int, value: bytes) -> bytes:
    return answer([(b"a", kind), (b"b", kind)], [value, value])


def grants(*scopes: bytes) -> bytes:
    return answer([(b"Grants", TEXT)], *([b"GRANT ALL PRIVILEGES ON `" + one + b"`.* TO `u`@`%`"] for one in scopes))


def disks(kind: int, free: bytes) -> Mapping[str, Lie]:
    return {r"SHOW GLOBAL VARIABLES$": variables(), DISKS: answer([(b"P", TEXT), (b"A", kind)], [b"/", free])}


ROWS = columns([(b"a", TEXT), (b"b", TEXT)])
LARGE_ROWS = endless(ROWS, row(b"x", b"y" * 60_000))
EMPTY_ROWS = endless(ROWS, row(b"", b""))
SLOW_ROWS = slowly(ROWS, row(b"x", b"y"))
ONE_ANSWER = b"\x01", wire.column(), wire.MORE_FOLLOWS, row(b"1"), wire.MORE_FOLLOWS
ANSWERS = endless((), *ONE_ANSWER)  # to one statement
COLUMNS_WITHOUT_END = flood(packet(b"\xfe" + struct.pack("<Q", 1 << 62), 1), packet(wire.column(b"x" * 20), 2))
DONE = packet(wire.OK, 1)
ONE_LARGE = answer(NAMES, [b"version", b"1" * (15 << 20)])
FILE = packet(b"\xfb/etc/shadow", 1)
LENGTH_OF_A_FIELD = packets([*columns(NAMES), b"\xfe" + struct.pack("<Q", 1 << 60) + b"xx", wire.END])


def dumped(*events: bytes) -> Talk:
    def talk(caller: socket.socket) -> None:
        caller.sendall(packets(b"\0" + event for event in events))
        caller.recv(1)

    return talk


def log(*rows: tuple[bytes, bytes], kind: int = NUMBER) -> bytes:
    return answer([(b"Log_name", TEXT), (b"File_size", kind)], *rows)


def sends(*events: bytes, again: bytes = b"", listed: bytes = b"") -> Mapping[str, Lie]:
    """Events, and then one of them without end if it is given."""
    without_end = endless([b"\0" + event for event in events], b"\0" + again)
    return {LOGS: listed or log((LOG, b"100000")), DUMPED: without_end if again else dumped(*events)}


def bytes_sent(*parts: bytes) -> Mapping[str, Lie]:
    def talk(caller: socket.socket) -> None:
        for part in parts:
            caller.sendall(part)
        caller.recv(1)

    return {LOGS: log((LOG, b"100000")), DUMPED: talk}


BEGUN = wire.rotation(LOG), wire.description()
AT = 4 + len(BEGUN[1])
FULL_PACKETS = b"\xff\xff\xff", b"\0" + bytes(wire.MOST - 1)
RANDOM = random.Random(5)


GAPS = [wire.event(wire.QUERY, b"x", 0, end=AT + n * 1_000_000) for n in range(1, 100)]


def full_packets(caller: socket.socket) -> None:
    """An event without end, in the largest packets."""
    for number in itertools.count(1):
        caller.sendall(FULL_PACKETS[0] + bytes([number & 255]) + FULL_PACKETS[1])


SCENARIOS: dict[str, Scenario] = {
    # the login
    "greeting-silent": Scenario("topology", {LOGIN: silent}, LATE, FEW_S),
    "greeting-letter-by-letter": Scenario("audit", {LOGIN: drip(struct.pack("<I", 1 << 19))}, LATE, FEW_S),
    "greeting-without-end": Scenario("preflight", {LOGIN: flood(b"\xff\xff\xff\0", bytes(65536))}, HUGE),
    "greeting-of-a-web-server": Scenario("preflight", {LOGIN: b"HTTP/1.1 200 OK\r\n\r\nAWS_SECRET=abc\r\n"}, "failed"),
    "greeting-refuses-in-50-kb": Scenario("preflight", {LOGIN: error(1130, SCRIPT + b"A" * 50_000)}, "failed"),
    "greeting-at-random": Scenario("audit", {LOGIN: RANDOM.randbytes(2000)}, "."),
    # preflight
    "variables-one-million": Scenario("preflight", {VARIABLES: many_variables(300_000, 40)}, HUGE),
    "variables-of-15-mb": Scenario("preflight", {VARIABLES: ONE_LARGE}, "."),
    "variables-with-scripts": Scenario(
        "preflight", {VARIABLES: variables(version=SCRIPT, datadir=SCRIPT)}, "Writable|."
    ),
    "variables-without-version": Scenario(
        "preflight", {VARIABLES: answer(NAMES, [b"a", b"b"])}, "did not tell its version"
    ),
    "variables-no-utf8": Scenario("preflight", {VARIABLES: field(TEXT, b"\xff\xfe\xc3\x28")}, NONSENSE),
    "variables-one-column": Scenario(
        "preflight", {VARIABLES: answer([(b"a", TEXT)], [b"b"])}, "did not tell its version"
    ),
    "variables-ask-for-a-file": Scenario("preflight", {VARIABLES: FILE}, NONSENSE),
    "variables-65535-columns": Scenario("preflight", {VARIABLES: packet(b"\xfc\xff\xff", 1)}, NONSENSE),
    "variables-columns-without-end": Scenario("preflight", {VARIABLES: COLUMNS_WITHOUT_END}, NONSENSE),
    "variables-field-longer-than-memory": Scenario("preflight", {VARIABLES: LENGTH_OF_A_FIELD}, NONSENSE),
    "variables-in-the-wrong-order": Scenario("preflight", {VARIABLES: packet(b"\x02", 7)}, NONSENSE),
    "variables-silent": Scenario("preflight", {VARIABLES: silent}, LATE, FEW_S),
    "grant-of-thirty-wildcards": Scenario("preflight", {GRANTS: grants(b"%" * 30 + b"x")}, "failed"),
    "grants-of-a-megabyte-of-wildcards": Scenario("preflight", {GRANTS: grants(b"%_" * (1 << 19))}, "failed"),
    "grants-50000": Scenario("preflight", {GRANTS: grants(*[b"%a%b%c%d" * 5] * 50_000)}, "."),
    "disk-decimal-of-ten-million-digits": Scenario(
        "preflight", disks(DECIMAL, b"1E99999999"), "free space is not known"
    ),
    "disk-number-of-8-mb": Scenario("preflight", disks(NUMBER, b"9" * (8 << 20)), "free space is not known"),
    "disk-is-no-number": Scenario("preflight", disks(TEXT, b"plenty"), NO_NUMBER),
    "clock-of-4000-digits": Scenario("preflight", {"UTC_TIMESTAMP": field(TIME, b"9" * 4000)}, NONSENSE),
    "clock-is-no-time": Scenario("preflight", {"UTC_TIMESTAMP": field(TEXT, SCRIPT)}, "instead of its time"),
    "every-statement-refused-in-60-kb": Scenario(
        "preflight", {r"^(?!SET|SHOW GLOBAL V)": error(1064, SCRIPT * 800)}, "unknown"
    ),
    "privileges-named-a-hundred-thousand-times": Scenario(
        "preflight", {r"^(?!SET|SHOW GLOBAL V)": error(1227, b"at least one of) the x " * 100_000)}, "GRANT"
    ),
    # audit
    "audit-rows-without-end": Scenario("audit", {VARIABLES: LARGE_ROWS}, HUGE),
    "audit-empty-rows-without-end": Scenario("audit", {VARIABLES: EMPTY_ROWS}, HUGE),
    "audit-answers-without-end": Scenario("audit", {VARIABLES: ANSWERS}, HUGE),
    "audit-rows-slowly": Scenario("audit", {VARIABLES: SLOW_ROWS}, LATE, FEW_S),
    "audit-letter-by-letter": Scenario("audit", {VARIABLES: drip()}, LATE, FEW_S),
    "audit-hangs-up": Scenario("audit", {VARIABLES: hang_up}, LOST),
    "audit-engines-at-random": Scenario("audit", {"SHOW ENGINES": RANDOM.randbytes(400)}, "."),
    # measurement
    "status-rows-without-end": Scenario("measurement", {STATUS: LARGE_ROWS}, HUGE),
    "status-slowly": Scenario("measurement", {STATUS: SLOW_ROWS}, LATE, FEW_S),
    "status-of-5000-digits": Scenario("measurement", {STATUS: answer(NAMES, [b"Binlog_commits", b"9" * 5000])}, ""),
    "status-refused-in-a-megabyte": Scenario("measurement", {ANY: error(1142, b"setup_" * 200_000)}, "GRANT"),
    "log-decimal-of-ten-million-digits": Scenario(
        "measurement", {"SHOW MASTER STATUS": answer([(b"F", TEXT), (b"P", DECIMAL)], [LOG, b"1E99999999"])}, NONSENSE
    ),
    "log-one-column": Scenario("measurement", {"SHOW MASTER STATUS": answer([(b"F", TEXT)], [LOG])}, "."),
    "figures-of-4-mb": Scenario("measurement", {ANY: field(DOUBLE, b"9" * (4 << 20))}, NONSENSE),
    # guardrails
    "threads-rows-without-end": Scenario("guardrails", {PROCESSES: LARGE_ROWS}, HUGE),
    "threads-decimal-of-ten-million-digits": Scenario(
        "guardrails", {PROCESSES: field(DECIMAL, b"1E99999999")}, NONSENSE
    ),
    "threads-silent": Scenario("guardrails", {PROCESSES: silent}, LATE, FEW_S),
    "disk-rows-without-end": Scenario("guardrails", {DISKS: EMPTY_ROWS}, "Neither this host nor the server"),
    "disk-of-a-decimal": Scenario(
        "guardrails", {DISKS: field(DECIMAL, b"1E99999999")}, "Neither this host nor the server"
    ),
    "lag-of-5000-digits": Scenario(
        "guardrails",
        {
            SOURCES: answer(
                [(b"Slave_IO_Running", TEXT), (b"Slave_SQL_Running", TEXT), (b"Seconds_Behind_Master", TEXT)],
                [b"Yes", b"Yes", b"9" * 5000],
            )
        },
        "the replica does not tell it",
    ),
    "lag-letter-by-letter": Scenario("guardrails", {SOURCES: drip()}, LATE, FEW_S),
    "probe-commits-answered-by-rows-without-end": Scenario(
        "guardrails", {"^USE": DONE, "durascope_heartbeat": LARGE_ROWS}, HUGE
    ),
    # restore
    "restore-rows-without-end": Scenario("restore", {VARIABLES: LARGE_ROWS}, HUGE),
    "restore-letter-by-letter": Scenario("restore", {VARIABLES: drip()}, LATE, FEW_S),
    "restore-another-value": Scenario(
        "restore", {"^SET GLOBAL": DONE, VARIABLES: answer(NAMES, [b"sync_binlog", SCRIPT * 1000])}, "was not restored"
    ),
    "restore-sessions-without-end": Scenario("restore", {PROCESSES: EMPTY_ROWS}, HUGE),
    "restore-session-decimal": Scenario("restore", {PROCESSES: field(DECIMAL, b"1E99999999")}, NONSENSE),
    "restore-silent": Scenario("restore", {"DROP DATABASE": silent}, LATE, FEW_S),
    # dump
    "log-listed-without-end": Scenario("dump", {LOGS: LARGE_ROWS}, HUGE),
    "log-named-dot": Scenario("dump", sends(listed=log((b".", b"100"))), "is named"),
    "log-named-dotdot": Scenario("dump", sends(listed=log((b"..", b"100"))), "is named"),
    "log-named-as-a-path": Scenario("dump", sends(listed=log((b"../x", b"100"))), "is named"),
    "log-named-in-no-utf8": Scenario("dump", sends(listed=log((b"a\xffb", b"100"))), NONSENSE),
    "log-of-a-negative-size": Scenario("dump", sends(listed=log((LOG, b"-5"))), "has -5 bytes"),
    "log-size-is-no-number": Scenario("dump", sends(listed=log((LOG, b"many"), kind=TEXT)), NO_NUMBER),
    "log-size-decimal": Scenario("dump", sends(listed=log((LOG, b"1E99999999"), kind=DECIMAL)), NONSENSE),
    "log-larger-than-may-be-copied": Scenario("dump", sends(listed=log((LOG, b"999999999999999"))), "may be copied"),
    "log-of-200000-files": Scenario(
        "dump", sends(listed=log(*((b"b.%06d" % n, b"100") for n in range(200_000)))), HUGE
    ),
    "dump-silent": Scenario("dump", {LOGS: log((LOG, b"1000")), DUMPED: silent}, "timed out|took too long", FEW_S),
    "dump-letter-by-letter": Scenario(
        "dump", {LOGS: log((LOG, b"1000")), DUMPED: drip()}, "timed out|took too long", FEW_S
    ),
    "dump-of-heartbeats": Scenario(
        "dump", sends(*BEGUN, again=wire.event(wire.HEARTBEAT, LOG, 0, end=AT)), "more than|too long"
    ),
    "dump-of-rotations": Scenario("dump", sends(again=wire.rotation(LOG)), "more than|too long"),
    "dump-of-events-without-end": Scenario(
        "dump", sends(*BEGUN, again=wire.event(wire.QUERY, bytes(60_000), 0, end=0)), "more than|$"
    ),
    "dump-of-empty-packets": Scenario(
        "dump", bytes_sent(packet(b"\0" + BEGUN[0], 1), packet(b"\0", 2)), "shorter than its header"
    ),
    "dump-of-one-event-without-end": Scenario("dump", {LOGS: log((LOG, b"1000")), DUMPED: full_packets}, "more than"),
    "dump-gap-of-4-gb": Scenario("dump", sends(*BEGUN, wire.event(wire.QUERY, b"x", 0, end=0xFFFFFFF0)), "more than"),
    "dump-of-gaps": Scenario("dump", {LOGS: log((LOG, b"9999999")), DUMPED: dumped(*BEGUN, *GAPS)}, ""),
    "dump-overlaps": Scenario(
        "dump", sends(*BEGUN, wire.event(wire.QUERY, b"x", 0, end=AT + 28)), "within another one"
    ),
    "dump-of-short-descriptions": Scenario(
        "dump", sends(BEGUN[0], wire.event(wire.FORMAT, b"", 4), b"abc"), "shorter than its header"
    ),
    "dump-hangs-up": Scenario("dump", {LOGS: log((LOG, b"1000")), DUMPED: hang_up}, "hung up"),
    "dump-at-random": Scenario("dump", bytes_sent(b"\x20\0\0\x07" + RANDOM.randbytes(5000)), "wrong order"),
    "dump-refused-in-100-kb": Scenario(
        "dump", {LOGS: log((LOG, b"1000")), DUMPED: error(1045, SCRIPT * 1500)}, "may not read"
    ),
    "dump-refused-for-each-of-3000-files": Scenario(
        "dump",
        {LOGS: log(*((b"b.%06d" % n, b"100") for n in range(3000))), DUMPED: error(1236, b"no"), "^SET ": DONE},
        f"takes longer than|{LATE}",  # between two files, or while it waits for an answer
        FEW_S,
    ),
    # topology detection
    "sources-without-end": Scenario("topology", {SOURCES: LARGE_ROWS}, HUGE),
    "sources-30000": Scenario(
        "topology", {SOURCES: answer([(b"Master_Host", TEXT)], *[[b"h"]] * 30_000)}, "1000 sources"
    ),
    "sources-with-scripts": Scenario(
        "topology", {SOURCES: answer([(SCRIPT, TEXT), (b"Master_Host", TEXT)], [SCRIPT, SCRIPT])}, "1 sources"
    ),
    "sources-refused-in-60-kb": Scenario("topology", {SOURCES: error(1227, SCRIPT * 800)}, "SHOW"),
    "status-without-end": Scenario("topology", {STATUS: EMPTY_ROWS}, HUGE),
    "members-of-one-column": Scenario(
        "topology",
        {
            VARIABLES: variables(group_replication_group_name=b"g"),
            "replication_group_members": answer([(b"a", TEXT)], [b"b"]),
        },
        "1 sources|0 sources",
    ),
}
