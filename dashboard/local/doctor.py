"""What works on this host and what does not: power loss, networks, builds, memory, clock, Redis, database, mail. What
is started for a look is ended again, and nothing is stored (home.looks_only)."""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from django.conf import settings
from django.core.mail import get_connection
from django.db import connection

from dashboard.installation import usable, vault
from dashboard.local import redis
from dashboard.records.servers import pins, rotation
from dashboard.text.numbers import ms
from workers.bench.abilities import Abilities
from workers.errors import DurascopeError, SandboxError, reason
from workers.topology.network import measured
from workers.upkeep import abilities, start_check

State = Literal["works", "limited", "fails"]
GIB = 2**30
SANDBOX_BYTES = 2 * GIB  # one server with its image and its simulated disk
ASKED_MS = 5.0  # a round trip that is tried
NAMED = 10  # servers that a line lists
SERVER_MIB = 1024  # free memory for a server, the worker and sysbench


@dataclass(frozen=True)
class Looked:
    """`limited`: Durascope runs without it and measures less. `fails`: it does not run. `says`: what was found, and
    for a problem how to fix it."""

    title: str
    state: State
    says: str


TITLES = (
    "home", "database", "version", "clock", "keys", "keys of servers", "Redis", "sysbench", "builds", "power loss",
    "disks in short memory", "other crashes", "networks", "own user of sandboxes", "fsync trace", "memory", "disk",
    "mail", "address",
)  # fmt: skip


def looked_at() -> Iterator[Looked]:
    """One after the other, because some take seconds."""
    yield _home()
    if _is_new():
        yield Looked("database", "works", "is made at the first start")
    else:
        yield from _database()
    yield _must("Redis", _redis, "answers" if "DURASCOPE_REDIS" in os.environ else "`up` starts a private one")
    yield from _abilities(abilities.describe())
    yield _memory()
    yield _room(Path(settings.HOME))
    yield _mail()
    address = "" if settings.ADDRESS else "Messages and share links have no address. Set DURASCOPE_ADDRESS."
    yield _can("address", address, settings.ADDRESS)


def _home() -> Looked:
    home = Path(settings.HOME)
    if not home.exists():
        return Looked("home", "works", f"{home} is made at the first start")
    return _must("home", usable.check_installation, str(home))


def _is_new() -> bool:
    """SQLite would make the file."""
    return connection.vendor == "sqlite" and not Path(connection.settings_dict["NAME"]).exists()


def _database() -> Iterator[Looked]:
    yield (database := _must("database", start_check.check_database, f"{connection.vendor} answers"))
    if database.state == "works":
        yield (version := _must("version", _version, "program and database fit together"))
        yield _must("clock", start_check.check_clock, "agrees with the database's")
        yield _keys()
        if version.state == "works" and connection.introspection.table_names():
            yield _servers()


def _keys() -> Looked:
    """Each stored password is tried: a new key opens none of the old ones."""
    keys = _must("keys", start_check.check_keys, "stored passwords can be opened")
    if keys.state != "works" or not (connection.introspection.table_names() and (lost := rotation.locked())):
        return keys
    fix = f"Put the key back ({vault.ENVIRONMENT}, or {vault.NAME} in the home), or enter these passwords again."
    return Looked("keys", "limited", f"No key opens the passwords of: {_listed(lost)}. {fix}")


def _must(title: str, check: Callable[[], None], fine: str) -> Looked:
    try:
        check()
    except start_check.CannotJoin as problem:
        return Looked(title, "fails", f"{problem.why[:1].upper()}{problem.why[1:]} {problem.fix}".strip())
    except (DurascopeError, OSError) as problem:
        return Looked(title, "fails", reason(problem))
    return Looked(title, "works", fine)


def _version() -> None:
    """An empty SQLite database is no problem: `up` fills it."""
    if connection.vendor == "postgresql" or connection.introspection.table_names():
        start_check.check_version()


def _servers() -> Looked:
    """Whether passwords go only to servers whose key a person has confirmed."""
    names = [server.name for server in pins.unconfirmed()]
    problem = (
        f"{len(names)} servers of an older version may show any key, so another machine could read their passwords: "
        f"{_listed(names)}. From the next version on they are refused. manage.py server pin --all"
    )
    return _can("keys of servers", problem if names else "", "passwords go only to servers that were confirmed")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def _redis() -> None:
    if "DURASCOPE_REDIS" in os.environ:
        start_check.check_redis()
    else:
        redis.installed()


def _can(title: str, problem: str, fine: str) -> Looked:
    return Looked(title, "limited", problem) if problem else Looked(title, "works", fine)


def _abilities(host: Abilities) -> Iterator[Looked]:
    """What a worker on this host would report."""
    lacks = "sysbench is not installed or does not answer: no load can be generated. apt-get install sysbench"
    yield _can("sysbench", "" if host.sysbench else lacks, f"version {host.sysbench}")
    none = "No server can be made into a sandbox. apt-get install mariadb-server-core, or: manage.py build list"
    yield _can("builds", "" if host.builds else none, ", ".join(host.builds or ()))
    yield _can("power loss", host.disk_missing or "", "a disk that loses power can be simulated")
    if not host.disk_missing:
        yield _can("disks in short memory", host.disk_risk, "a simulated disk never waits for itself")
    # Each reason once. Those of the simulated disk and of networks stand in their own lines.
    told = (host.disk_missing, host.network_missing)
    missing = {why: key for key, why in host.crash_missing.items() if why not in told}
    crashes = " ".join(f"{key}: {why}" for why, key in missing.items())
    yield _can("other crashes", crashes, "all kinds of crash can be tried")
    yield _networks(host.network_missing)
    yield _can("own user of sandboxes", host.not_apart or "", "sandboxes cannot reach the worker's files")
    none = "There is no C compiler, so fsyncs are not traced. apt-get install gcc libc6-dev"
    yield _can("fsync trace", "" if host.fsync_trace else none, "a C compiler is here")


def _networks(missing: str) -> Looked:
    """With the round trips that they have now: figures of a busy host are longer than what was asked for."""
    if missing:
        return Looked("networks", "limited", missing)
    try:
        found = measured.on_this_host(ASKED_MS)
    except (SandboxError, OSError) as problem:
        return Looked("networks", "limited", reason(problem))
    took = ", ".join(f"{one.how} {ms(one.rtt_ms[0])}" for one in found)
    return Looked("networks", "works", f"clusters can have round trips and partitions; {ms(ASKED_MS)} took: {took}")


def _memory() -> Looked:
    """Free memory, with what the kernel would give up for it (proc(5))."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    free_mib = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")) // 1024
    says = f"{free_mib / 1024:.1f} GiB free, {os.cpu_count()} cores"
    few = f"{says}: a sandbox needs 1 GiB, a topology that for each node. End other programs, or add memory."
    return _can("memory", few if free_mib < SERVER_MIB else "", says)


def _room(home: Path) -> Looked:
    """Where sandboxes lie, or the nearest folder above that exists."""
    root = Path(settings.SANDBOX_ROOT)
    there = next(folder for folder in (root, *root.parents) if folder.exists())
    places = [folder for folder in (home, there) if folder.exists()]
    free, fullest = min((shutil.disk_usage(folder).free, folder) for folder in places)
    says = f"{free / GIB:.1f} GiB free for sandboxes and the home"
    return _can("disk", f"{says}: a sandbox needs 2 GiB. Make room in {fullest}." if free < SANDBOX_BYTES else "", says)


def _mail() -> Looked:
    if not settings.EMAIL_HOST:
        return Looked("mail", "limited", "No mail server is set, so no e-mail is sent. Set DURASCOPE_SMTP_HOST.")
    try:
        server = get_connection()
        server.open()
        server.close()
    except OSError as problem:  # also each error of smtplib
        fix = "Check DURASCOPE_SMTP_HOST, its port, TLS and account."
        return Looked(
            "mail", "limited", f"{settings.EMAIL_HOST} does not let this account in: {reason(problem)}. {fix}"
        )
    return Looked("mail", "works", f"{settings.EMAIL_HOST} answers")
