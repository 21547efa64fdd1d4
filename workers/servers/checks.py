"""The checks of a preflight, one function each. `preflight` runs them."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from workers.errors import PlanError, ServerError
from workers.servers import ask, free_disk, loads, replication
from workers.servers.connection import cipher
from workers.servers.facts import Facts
from workers.servers.flavours import FLAVOURS, grant_statements, needs
from workers.servers.limited import Connection
from workers.servers.look import BINLOG_OPEN
from workers.servers.lookalikes import LOOKALIKES
from workers.servers.pins import needs_pin, proven
from workers.servers.privileges import grant_to_see_others, granted, missing
from workers.servers.target import Target
from workers.toml.table import TomlTable

Outcome = Literal["passed", "warned", "failed", "unknown"]

ROUND_TRIPS = 20
MOST_THREADS = 1024
OURS = 8  # connections beside the load: for settings, for guardrails, and one for each metric source
SKEW_S = 1.0
LITTLE_GB, MUCH_GB = 1.0, 10.0


@dataclass(frozen=True)
class CheckedServer:
    target: Target
    connection: Connection
    facts: Facts


@dataclass(frozen=True)
class PreflightAnswer:
    """The answer of a check. `fix`: SQL or a setting to copy; "" when there is nothing to do."""

    outcome: Outcome
    says: str
    fix: str = ""


FILE = TomlTable.of_file(Path(__file__).with_suffix(".toml"))
ANSWERS = {name: FILE.table(name).read(PreflightAnswer) for name in FILE.data}


def answer(name: str, **words: object) -> PreflightAnswer:
    """The answer of that name in checks.toml."""
    known = ANSWERS[name]
    return PreflightAnswer(known.outcome, known.says.format(**words), known.fix.format(**words))


def round_trip(scene: CheckedServer) -> PreflightAnswer:
    times_ms = []
    for _ in range(ROUND_TRIPS):
        begin = time.perf_counter()
        ask.value(scene.connection, "SELECT 1")
        times_ms.append((time.perf_counter() - begin) * 1000)
    return judge_round_trip(min(times_ms), statistics.median(times_ms))


def judge_round_trip(least_ms: float, median_ms: float) -> PreflightAnswer:
    name = "long-round-trip" if median_ms > 5 else "round-trip"
    return answer(name, median=median_ms, tries=ROUND_TRIPS, least=least_ms)


def tls(scene: CheckedServer) -> PreflightAnswer:
    if used := cipher(scene.connection):
        return answer("encrypted", cipher=used)
    stays_here = scene.target.socket or is_loopback(scene.target.host)
    return answer("unencrypted-here" if stays_here else "unencrypted")


def identity(scene: CheckedServer) -> PreflightAnswer:
    """How the server was proven before the password was sent, and whether a load can prove it."""
    target, certificate, plugin = scene.target, scene.connection.certificate(), scene.connection.plugin
    try:
        loads.check(target, certificate, plugin)
    except PlanError as no_load:
        return PreflightAnswer("failed", no_load.message, no_load.fix)
    if not needs_pin(target):
        return answer("proven-by-socket" if target.socket else "proven-by-authority")
    if proven(target) or (target.key_pin and not certificate):
        return answer("confirmed")
    if target.any_key:
        return answer("any-key")
    return answer("unproven-here" if is_loopback(target.host) else "unproven")


def version(scene: CheckedServer) -> PreflightAnswer:
    facts = scene.facts
    told = f"{FLAVOURS[facts.flavour].title} {facts.version_text}"
    if facts.lookalike:
        return answer("lookalike", version=facts.version_text, says=LOOKALIKES[facts.lookalike].says)
    return answer("old-version" if facts.version < (5, 5, 0) else "version", version=told)


def privileges(scene: CheckedServer) -> PreflightAnswer:
    lacking = missing(needs(scene.facts), granted(scene.connection, scene.facts))
    if not lacking:
        return answer("privileges")
    grants = "\n".join(grant_statements(lacking, ask.account(scene.connection)))
    listed = "; ".join(f"{need.privilege} on {need.scope} {need.why}" for need in lacking)
    of_a_load = any(need.purpose == "load" for need in lacking)
    return answer("missing-privileges-of-a-load" if of_a_load else "missing-privileges", lacking=listed, grants=grants)


def engines(scene: CheckedServer) -> PreflightAnswer:
    usable = sorted(name for name in scene.facts.engines if scene.facts.has_engine(name))
    transactional = [name for name in usable if name in ("innodb", "rocksdb", "tokudb")]
    name = "engines" if transactional else "no-transactional-engine"
    return answer(name, engines=", ".join(transactional or usable))


def binlog(scene: CheckedServer) -> PreflightAnswer:
    facts = scene.facts
    if facts.variable("log_bin") is None:
        return answer("binlog-unknown")
    if facts.variable("log_bin") not in ("ON", "1"):
        return answer("binlog-off")
    if facts.variable(BINLOG_OPEN) == "OFF":
        return answer("binlog-closed")
    kind = facts.variable("binlog_format") or "ROW"
    return answer("binlog" if kind == "ROW" else "binlog-of-statements", format=kind)


def performance_schema(scene: CheckedServer) -> PreflightAnswer:
    if scene.facts.version < (5, 6, 0):
        return answer("performance-schema-before-5-6")
    is_on = scene.facts.variable("performance_schema") in ("ON", "1")
    return answer("performance-schema" if is_on else "performance-schema-off")


def connections(scene: CheckedServer) -> PreflightAnswer:
    status = ask.names_to_values(scene.connection, "SHOW GLOBAL STATUS LIKE 'Threads_connected'")
    most, used = ask.whole(scene.facts.variable("max_connections")), ask.whole(status.get("threads_connected"))
    return answer("connections-unknown") if most is None or used is None else judge_connections(most, used)


def judge_connections(most: int, used: int) -> PreflightAnswer:
    """The largest number of threads: free connections, less those that Durascope needs."""
    room = most - used - OURS + 1  # this connection is one of the used ones
    name = "no-free-connection" if room < 1 else "few-free-connections" if room < MOST_THREADS else "connections"
    wanted = used + MOST_THREADS + OURS + 50
    return answer(name, used=used, most=most, room=max(room, 0), wanted=wanted, threads=MOST_THREADS)


def disk(scene: CheckedServer) -> PreflightAnswer:
    datadir = scene.facts.variable("datadir") or ""
    free = free_disk.free_bytes(scene.target, scene.connection, scene.facts, datadir)
    if free is None:
        return answer("disk-unknown", install="INSTALL SONAME 'disks';" if scene.facts.flavour == "mariadb" else "")
    return judge_disk(free / 2**30, datadir)


def judge_disk(free_gb: float, datadir: str) -> PreflightAnswer:
    name = "disk-full" if free_gb < LITTLE_GB else "disk-nearly-full" if free_gb < MUCH_GB else "disk"
    return answer(name, free=free_gb, datadir=datadir)


def clock(scene: CheckedServer) -> PreflightAnswer:
    before, begin = datetime.now(UTC), time.perf_counter()
    digits, cut_s = ("6", 0.0) if scene.facts.version >= (5, 6, 4) else ("", 1.0)  # earlier versions give whole seconds
    theirs = ask.value(scene.connection, f"SELECT UTC_TIMESTAMP({digits})")
    half_s = (time.perf_counter() - begin) / 2
    if not isinstance(theirs, datetime):
        raise ServerError(f"The server answered {theirs!r} instead of its time.")
    theirs = theirs.replace(tzinfo=UTC)
    return judge_clock((theirs - before).total_seconds() - half_s + cut_s / 2, half_s + cut_s / 2)


def judge_clock(skew_s: float, uncertain_s: float) -> PreflightAnswer:
    """`skew_s`: server minus worker, known within half a round trip."""
    if abs(skew_s) - uncertain_s <= SKEW_S:
        return answer("clocks", within=abs(skew_s) + uncertain_s)
    direction = "ahead of" if skew_s > 0 else "behind"
    return answer("clocks-differ", skew=abs(skew_s), direction=direction, uncertain=uncertain_s)


def replicas(scene: CheckedServer) -> PreflightAnswer:
    """Replicas are dump threads in the process list, which only the privilege PROCESS shows."""
    if grants := grant_to_see_others(scene.connection, scene.facts):
        return answer("replicas-unknown", grants=grants)
    return judge_replicas([str(host).rsplit(":", 1)[0] for (host,) in ask.rows(scene.connection, replication.DUMPS)])


def judge_replicas(hosts: list[str]) -> PreflightAnswer:
    return answer("replicas" if hosts else "no-replica", count=len(hosts), hosts=", ".join(sorted(hosts)))


# The last two: of the transactions of new sessions; MariaDB has both names for one setting.
READ_ONLY = ("read_only", "super_read_only", "innodb_read_only", "transaction_read_only", "tx_read_only")
LONGEST_HOST = 100


def read_only(scene: CheckedServer) -> PreflightAnswer:
    """On a replica and in a group a write would make the servers differ: how it is switched off is not told there."""
    facts = scene.facts
    on = read_only_by(facts)
    variables = ", ".join(on)
    if facts.variable("read_only") is None:
        return answer("read-only-unknown")
    if not on:
        return answer("writable")
    if facts.variable("group_replication_group_name"):
        return answer("read-only-in-a-group", variables=variables)
    try:
        sources = replication.source_rows(scene.connection, facts)
    except ServerError as refused:
        return answer("read-only-unclear", variables=variables, why=refused.message, grants=refused.fix)
    if sources:
        hosts = ", ".join(row.get("source_host", "")[:LONGEST_HOST] or "a source" for row in sources)
        return answer("read-only-replica", variables=variables, source=hosts)
    statements = [f"SET GLOBAL {name} = OFF;" for name in reversed(on) if name != "innodb_read_only"]
    restart = "[mysqld]\ninnodb_read_only=OFF"
    return answer("read-only", variables=variables, statements="\n".join(statements) or restart)


def read_only_by(facts: Facts) -> list[str]:
    """The variables that keep a load from writing."""
    on = [name for name in READ_ONLY if _is_on(facts.variable(name))]
    return [name for name in on if (name, "transaction_read_only" in on) != ("tx_read_only", True)]


LONGEST_VALUE = 40
# Of new sessions: the usual values of what a load inherits. sysbench sets autocommit and completion_type itself.
USUAL = {
    "transaction_isolation": ("REPEATABLE-READ", "READ-COMMITTED"),
    "tx_isolation": ("REPEATABLE-READ", "READ-COMMITTED"),
    "sql_select_limit": (str(2**64 - 1),),
    "max_execution_time": ("0",),
    "max_statement_time": ("0", "0.000000"),
    "foreign_key_checks": ("ON", "1"),
    "unique_checks": ("ON", "1"),
}


def sessions(scene: CheckedServer) -> PreflightAnswer:
    told = {name: value.upper() for name in USUAL if (value := scene.facts.variable(name)) is not None}
    unusual = [f"{name}={value[:LONGEST_VALUE]}" for name, value in told.items() if value not in USUAL[name]]
    return answer("unusual-sessions" if unusual else "sessions", values=", ".join(unusual))


def _is_on(value: str | None) -> bool:
    """On newer MariaDB read_only has more than two values: any value but OFF is on."""
    return value is not None and value.upper() not in ("OFF", "0", "")


def is_loopback(host: str) -> bool:
    """As replicas report their source; `hosts.says_here` knows more forms and takes longer."""
    return host in ("localhost", "::1") or (host.startswith("127.") and host.replace(".", "").isdecimal())


# In the order of the page.
CHECKS: dict[str, tuple[str, Callable[[CheckedServer], PreflightAnswer]]] = {
    "reachability": ("Reachable", round_trip),
    "tls": ("Encryption", tls),
    "identity": ("Proof of identity", identity),
    "version": ("Flavour and version", version),
    "privileges": ("Privileges", privileges),
    "engines": ("Engines", engines),
    "binlog": ("Binary log", binlog),
    "performance_schema": ("Performance Schema", performance_schema),
    "connections": ("Free connections", connections),
    "disk": ("Disk space", disk),
    "clock": ("Clocks", clock),
    "replicas": ("Replicas", replicas),
    "read_only": ("Writable", read_only),
    "sessions": ("Defaults of sessions", sessions),
}
