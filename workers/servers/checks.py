"""The checks of a preflight, one function each. `preflight` runs them."""

import os
import socket
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from workers.errors import ServerError
from workers.servers import ask
from workers.servers.connection import cipher
from workers.servers.facts import Facts
from workers.servers.flavours import FLAVOURS, grant_statements, needs
from workers.servers.limited import Connection
from workers.servers.privileges import granted, missing
from workers.servers.target import Target

Outcome = Literal["passed", "warned", "failed", "unknown"]

ROUND_TRIPS = 20
MOST_THREADS = 1024
OURS = 5  # connections beside the load: one for settings, one for each metric source
SKEW_S = 1.0
LITTLE_GB, MUCH_GB = 1.0, 10.0


@dataclass(frozen=True)
class CheckedServer:
    """The server as a check sees it."""

    target: Target
    connection: Connection
    facts: Facts


@dataclass(frozen=True)
class PreflightAnswer:
    """The answer of a check. `fix`: SQL or a setting to copy; "" when there is nothing to do."""

    outcome: Outcome
    says: str
    fix: str = ""


def round_trip(scene: CheckedServer) -> PreflightAnswer:
    times_ms = []
    for _ in range(ROUND_TRIPS):
        begin = time.perf_counter()
        ask.value(scene.connection, "SELECT 1")
        times_ms.append((time.perf_counter() - begin) * 1000)
    return judge_round_trip(min(times_ms), statistics.median(times_ms))


def judge_round_trip(least_ms: float, median_ms: float) -> PreflightAnswer:
    says = (
        f"The server answers; a round trip takes {median_ms:.2f} ms (median of {ROUND_TRIPS}, least {least_ms:.2f} ms)."
    )
    if median_ms > 5:
        fix = "Run a worker nearer to the server: every statement of a transaction waits for a round trip."
        return PreflightAnswer("warned", says + " That is longer than many commits take.", fix)
    return PreflightAnswer("passed", says)


def tls(scene: CheckedServer) -> PreflightAnswer:
    used = cipher(scene.connection)
    if used:
        return PreflightAnswer("passed", f"The connection is encrypted ({used}).")
    if scene.target.socket or is_loopback(scene.target.host):
        return PreflightAnswer("passed", "The connection is not encrypted; it does not leave the host.")
    return PreflightAnswer(
        "warned",
        "The connection is not encrypted: others on the network can read password hashes and data.",
        "Turn TLS on at the server (ssl_cert, ssl_key) and choose the TLS mode 'required' or 'verify'.",
    )


def version(scene: CheckedServer) -> PreflightAnswer:
    facts = scene.facts
    title = FLAVOURS[facts.flavour].title
    if facts.version < (5, 5, 0):
        return PreflightAnswer(
            "failed", f"{title} {facts.version_text} is older than 5.5, the oldest tested version.", "Upgrade."
        )
    return PreflightAnswer("passed", f"{title} {facts.version_text}.")


def privileges(scene: CheckedServer) -> PreflightAnswer:
    lacking = missing(needs(scene.facts), granted(scene.connection, scene.facts))
    if not lacking:
        return PreflightAnswer(
            "passed", "The account has every privilege that preflights, measurements and changes of settings need."
        )
    fix = "\n".join(grant_statements(lacking, ask.account(scene.connection)))
    listed = "; ".join(f"{need.privilege} on {need.scope} {need.why}" for need in lacking)
    outcome: Outcome = "failed" if any(need.purpose == "load" for need in lacking) else "warned"
    return PreflightAnswer(outcome, f"The account lacks: {listed}.", fix)


def engines(scene: CheckedServer) -> PreflightAnswer:
    usable = sorted(name for name in scene.facts.engines if scene.facts.has_engine(name))
    transactional = [name for name in usable if name in ("innodb", "rocksdb", "tokudb")]
    if not transactional:
        return PreflightAnswer("failed", f"No transactional engine; there is {', '.join(usable)}.", "Enable InnoDB.")
    return PreflightAnswer("passed", f"Transactional engines: {', '.join(transactional)}.")


def binlog(scene: CheckedServer) -> PreflightAnswer:
    facts = scene.facts
    if facts.variable("log_bin") is None:
        return PreflightAnswer("unknown", "log_bin cannot be read.")
    if facts.variable("log_bin") not in ("ON", "1"):
        return PreflightAnswer(
            "warned",
            "The binary log is off: variants of sync_binlog cannot be measured here.",
            "[mysqld]\nlog_bin=binlog\nserver_id=1",
        )
    kind = facts.variable("binlog_format") or "ROW"
    if kind != "ROW":
        return PreflightAnswer(
            "warned",
            f"The binary log is on, format {kind}: statements may give other rows on a replica.",
            "SET GLOBAL binlog_format = 'ROW';",
        )
    return PreflightAnswer("passed", f"The binary log is on, format {kind}.")


def performance_schema(scene: CheckedServer) -> PreflightAnswer:
    if scene.facts.version < (5, 6, 0):
        return PreflightAnswer("warned", "Before MySQL 5.6 performance_schema does not count file waits.")
    if scene.facts.variable("performance_schema") in ("ON", "1"):
        return PreflightAnswer("passed", "performance_schema is on: file waits can be read.")
    return PreflightAnswer(
        "warned",
        "performance_schema is off: file waits and their latency cannot be read.",
        "[mysqld]\nperformance_schema=ON",
    )


def connections(scene: CheckedServer) -> PreflightAnswer:
    most = scene.facts.variable("max_connections")
    used = ask.names_to_values(scene.connection, "SHOW GLOBAL STATUS LIKE 'Threads_connected'").get("threads_connected")
    if most is None or used is None:
        return PreflightAnswer("unknown", "max_connections or Threads_connected cannot be read.")
    return judge_connections(int(most), int(used))


def judge_connections(most: int, used: int) -> PreflightAnswer:
    """The largest number of threads: free connections, less those that Durascope needs."""
    threads = most - used - OURS + 1  # this connection is one of the used ones
    says = f"{used} of {most} connections are in use: room for {max(threads, 0)} threads of load."
    fix = f"SET GLOBAL max_connections = {used + MOST_THREADS + OURS + 50};"
    if threads < 1:
        return PreflightAnswer("failed", says, fix)
    if threads < MOST_THREADS:
        return PreflightAnswer("warned", says, fix + f"  -- only for up to {MOST_THREADS} threads")
    return PreflightAnswer("passed", says)


def disk(scene: CheckedServer) -> PreflightAnswer:
    datadir = scene.facts.variable("datadir") or ""
    free = _free_here(scene, datadir)
    if free is None:
        free = _free_by_plugin(scene, datadir)
    if free is None:
        return PreflightAnswer(
            "unknown",
            "The free space is not known: the worker cannot see the server's folder, and the server has no DISKS "
            "plugin.",
            "INSTALL SONAME 'disks';" if scene.facts.flavour == "mariadb" else "",
        )
    return judge_disk(free / 2**30, datadir)


def judge_disk(free_gb: float, datadir: str) -> PreflightAnswer:
    says = f"{free_gb:.1f} GiB are free on the disk of the data ({datadir})."
    if free_gb < LITTLE_GB:
        return PreflightAnswer("failed", says + " A load could fill the disk.", "Free some space first.")
    if free_gb < MUCH_GB:
        return PreflightAnswer("warned", says + " Keep table sizes and times small.", "Free some space first.")
    return PreflightAnswer("passed", says)


def _free_here(scene: CheckedServer, datadir: str) -> int | None:
    """Free bytes, if the server is here: its host name must be the worker's, as a loopback port may be a tunnel."""
    near = bool(scene.target.socket) or is_loopback(scene.target.host)
    if not near or scene.facts.variable("hostname") != socket.gethostname():
        return None
    try:
        room = os.statvfs(datadir)
    except OSError:
        return None
    return room.f_bavail * room.f_frsize


def _free_by_plugin(scene: CheckedServer, datadir: str) -> int | None:
    """Free bytes by MariaDB's DISKS plugin; None: the plugin is not there, or closed to this account."""
    try:
        found = ask.rows(scene.connection, "SELECT Path, Available FROM information_schema.DISKS")
    except ServerError:
        return None
    return room_below(datadir, {str(path): ask.integer(kib) * 1024 for path, kib in found})


def room_below(folder: str, mounts: dict[str, int]) -> int | None:
    """The value of the mount point above `folder`; None without one."""
    above = [path for path in mounts if Path(folder).is_relative_to(path)]
    return mounts[max(above, key=len)] if above else None


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
    if abs(skew_s) - uncertain_s > SKEW_S:
        direction = "ahead of" if skew_s > 0 else "behind"
        says = f"The server's clock is {abs(skew_s):.1f} s {direction} the worker's (within {uncertain_s:.3f} s)."
        return PreflightAnswer("warned", says, "Run a time service (chrony or systemd-timesyncd) on both hosts.")
    return PreflightAnswer("passed", f"The clocks agree within {abs(skew_s) + uncertain_s:.3f} s.")


def replicas(scene: CheckedServer) -> PreflightAnswer:
    """Replicas are dump threads in the process list, which only the privilege PROCESS shows."""
    lacking = missing(
        [need for need in needs(scene.facts) if need.privilege == "PROCESS"], granted(scene.connection, scene.facts)
    )
    if lacking:
        fix = "\n".join(grant_statements(lacking, ask.account(scene.connection)))
        return PreflightAnswer(
            "unknown", "Without the privilege PROCESS the connections of replicas cannot be seen.", fix
        )
    hosts = ask.rows(
        scene.connection, "SELECT host FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'"
    )
    return judge_replicas([str(host).rsplit(":", 1)[0] for (host,) in hosts])


def judge_replicas(hosts: list[str]) -> PreflightAnswer:
    if not hosts:
        return PreflightAnswer("passed", "No replica is attached.")
    return PreflightAnswer(
        "warned",
        f"{len(hosts)} attached: {', '.join(sorted(hosts))}. They also apply every write of a load.",
        "Filter Durascope's schemas on the replicas: replicate_wild_ignore_table = durascope\\_%.%",
    )


def read_only(scene: CheckedServer) -> PreflightAnswer:
    facts = scene.facts
    on = [name for name in ("read_only", "super_read_only", "innodb_read_only") if _is_on(facts.variable(name))]
    if facts.variable("read_only") is None:
        return PreflightAnswer("unknown", "read_only cannot be read.")
    if on:
        return PreflightAnswer(
            "failed",
            f"{', '.join(on)} is on: no load can be written here.",
            "\n".join(f"SET GLOBAL {name} = OFF;" for name in reversed(on) if name != "innodb_read_only")
            or "[mysqld]\ninnodb_read_only=OFF",
        )
    return PreflightAnswer("passed", "The server accepts writes.")


def _is_on(value: str | None) -> bool:
    """On newer MariaDB read_only has more than two values: any value but OFF is on."""
    return value is not None and value.upper() not in ("OFF", "0", "")


def is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")


# In the order of the page.
CHECKS: dict[str, tuple[str, Callable[[CheckedServer], PreflightAnswer]]] = {
    "reachability": ("Reachable", round_trip),
    "tls": ("Encryption", tls),
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
}
