"""The faults. Each is one function of the installation and the chance; it returns when the disturbance is over."""

import os
import resource
import signal
import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path

import psycopg
from redis import Redis

from dashboard.installation.home import redis_url
from tests.bench.chaos import host_faults, server_faults, stopped_faults
from tests.bench.chaos.installation import Installation
from tests.bench.chaos.place import DATABASE
from tests.bench.chaos.scene import Fault, Scene, on_attached, on_sandboxes, started_by

SEEK_S = 15  # it may not have begun to measure yet
SEEK_EVERY_S = 0.01


@contextmanager
def _stopped(pid: int):
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def _part_killed(kind: str, number: signal.Signals, scene: Scene) -> str | None:
    name = scene.chance.choice(scene.installation.parts.named(kind))
    pid = scene.installation.parts.signal(name, number)
    return f"{name} (process {pid})" if pid else None


def _part_stopped(kind: str, scene: Scene) -> str | None:
    name, seconds = scene.chance.choice(scene.installation.parts.named(kind)), scene.a_while()
    pid = scene.installation.parts.pids().get(name)
    if pid is None:
        return None
    with _stopped(pid):
        scene.installation.pause(seconds)
    return f"{name} for {seconds:.0f} s"


def _stopped_then_killed(scene: Scene) -> str | None:
    name, seconds = scene.chance.choice(scene.installation.parts.named("worker")), scene.a_while()
    scene.installation.parts.signal(name, signal.SIGSTOP)
    scene.installation.pause(seconds)
    pid = scene.installation.parts.signal(name, signal.SIGKILL)
    return f"{name}, after {seconds:.0f} s" if pid else None


def _together(kinds: tuple[str, ...], scene: Scene) -> str:
    parts = scene.installation.parts
    names = [name for kind in kinds for name in parts.named(kind)]
    for name in names:
        parts.signal(name, signal.SIGKILL)
    return ", ".join(names)


def _sought(scene: Scene, words: str) -> int | None:
    """A process of the measurement; it may not be there yet."""
    deadline = time.monotonic() + SEEK_S
    while time.monotonic() < deadline:
        if there := scene.installation.processes(words):
            return scene.chance.choice(sorted(there))
        scene.installation.parts.check()
        time.sleep(SEEK_EVERY_S)
    return None


def _process_killed(words: str, scene: Scene) -> str | None:
    pid = _sought(scene, words)
    try:
        os.kill(pid or 0, signal.SIGKILL) if pid else None
    except ProcessLookupError:
        return None
    return f"process {pid}" if pid else None


def _process_stopped(words: str, scene: Scene) -> str | None:
    pid, seconds = _sought(scene, words), scene.a_while()
    if pid is None:
        return None
    try:
        with _stopped(pid):
            scene.installation.pause(seconds)
    except ProcessLookupError:
        return None
    return f"process {pid} for {seconds:.0f} s"


def _terminal_killed(number: signal.Signals, scene: Scene) -> str | None:
    if scene.terminal is None or scene.terminal.status is not None:
        return None
    os.kill(scene.terminal.pid, number)
    return f"process {scene.terminal.pid}"


def _terminal_stopped(scene: Scene) -> str | None:
    seconds = scene.a_while()
    if scene.terminal is None or scene.terminal.status is not None:
        return None
    with _stopped(scene.terminal.pid):
        scene.installation.pause(seconds)
    return f"for {seconds:.0f} s"


def _target_killed(kills_worker: bool, scene: Scene) -> str:
    seconds = scene.a_while()
    scene.installation.target.kill()
    if kills_worker:
        _together(("worker",), scene)
    try:
        scene.installation.pause(seconds)
    finally:
        scene.installation.target.start()
    return f"down for {seconds:.0f} s"


def _target_frozen(kills_worker: bool, scene: Scene) -> str:
    seconds = scene.a_while()
    scene.installation.target.freeze()
    try:
        scene.installation.pause(min(1, seconds))
        if kills_worker:
            _together(("worker",), scene)
        scene.installation.pause(seconds)
    finally:
        scene.installation.target.thaw()
    return f"for {seconds:.0f} s"


def _redis_emptied(scene: Scene) -> str:
    with suppress(Exception), closing(Redis.from_url(redis_url(), socket_timeout=2)) as link:
        link.flushall()
    return "FLUSHALL"


def _redis_restarted(scene: Scene) -> str | None:
    parts, seconds = scene.installation.parts, scene.a_while()
    for _ in range(2):
        parts.signal("redis", signal.SIGTERM)
        scene.installation.pause(seconds / 2)
    return f"twice in {seconds:.0f} s"


def _disk_full(scene: Scene) -> str:
    seconds, file = scene.a_while(), scene.installation.place.home / "fill"
    deadline = time.monotonic() + seconds
    with file.open("ab", buffering=0) as filling:
        try:
            while time.monotonic() < deadline:
                for size in (1 << 20, 4096, 512):
                    with suppress(OSError):
                        while filling.write(b"x" * size):
                            pass
                scene.installation.pause()
        finally:
            file.unlink()
    return f"for {seconds:.0f} s"


def _few_descriptors(kind: str, scene: Scene) -> str | None:
    name, seconds = scene.chance.choice(scene.installation.parts.named(kind)), scene.a_while()
    pid = scene.installation.parts.pids().get(name)
    if pid is None:
        return None
    more = scene.chance.choice((0, 1, 2, 4))
    try:
        had = len(list(Path(f"/proc/{pid}/fd").iterdir()))
        soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (had + more, hard))
    except OSError:
        return None  # it ended meanwhile
    try:
        scene.installation.pause(seconds)
    finally:
        with suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard))
    return f"{name}: {more} more than the {had} in use, for {seconds:.0f} s"


def _database_locked(scene: Scene) -> str | None:
    seconds = scene.a_while()
    with _lock(scene.installation) as locked:
        if not locked:
            return None
        scene.installation.pause(seconds)
    return f"for {seconds:.0f} s"


@contextmanager
def _lock(installation: Installation):
    if server := installation.place.postgresql:
        with psycopg.connect(server.url(DATABASE)) as link:
            link.execute("LOCK TABLE experiments_experiment, experiments_cell, fleet_worker IN ACCESS EXCLUSIVE MODE")
            yield True
        return
    file = installation.place.home / "durascope.sqlite3"
    with closing(sqlite3.connect(file, timeout=10, isolation_level=None)) as link:
        try:
            link.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            yield False
            return
        yield True
        link.execute("ROLLBACK")


def _database_away(how: signal.Signals, scene: Scene) -> str:
    seconds, server = scene.a_while(), scene.installation.place.postgresql
    server.stop(how)
    try:
        scene.installation.pause(seconds)
    finally:
        server.start()
    return f"{how.name}, away for {seconds:.0f} s"


def _sessions_cut(scene: Scene) -> str:
    sql = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"
    with psycopg.connect(scene.installation.place.postgresql.url("postgres")) as link:
        return f"{link.execute(sql, [DATABASE]).fetchone()[0]} sessions"


def _only_postgresql(installation: Installation) -> str:
    return "" if installation.place.postgresql else "this installation is on SQLite"


KILL, TERM, INT, QUIT = signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGQUIT
SERVER = "--defaults-file="  # of a sandbox; the target's folder does not count
FAULTS: Mapping[str, Fault] = {
    **{f"{part} killed": Fault(partial(_part_killed, part, KILL), 2) for part in ("worker", "web", "beat", "redis")},
    **{
        f"{part} stopped for a while": Fault(partial(_part_stopped, part))
        for part in ("worker", "web", "beat", "redis")
    },
    "worker asked to end": Fault(partial(_part_killed, "worker", TERM)),
    "worker stopped, then killed": Fault(_stopped_then_killed),
    "worker and beat killed": Fault(partial(_together, ("worker", "beat"))),
    "all parts killed": Fault(partial(_together, ("worker", "beat", "web", "redis"))),
    "sysbench killed": Fault(partial(_process_killed, "sysbench"), 2),
    "sysbench stopped for a while": Fault(partial(_process_stopped, "sysbench")),
    "sandbox killed": Fault(partial(_process_killed, SERVER), 2, on_sandboxes),
    "sandbox stopped for a while": Fault(partial(_process_stopped, SERVER), 1, on_sandboxes),
    "simulated disk killed": Fault(partial(_process_killed, "workers.sandbox.disk"), 2, started_by("_storage")),
    "command line killed": Fault(partial(_terminal_killed, KILL), 4, started_by("_command_line")),
    "command line interrupted": Fault(partial(_terminal_killed, INT), 2, started_by("_command_line")),
    "command line stopped for a while": Fault(_terminal_stopped, 2, started_by("_command_line")),
    "target killed": Fault(partial(_target_killed, False), 2, on_attached),
    "target and worker killed": Fault(partial(_target_killed, True), 1, on_attached),
    "target frozen": Fault(partial(_target_frozen, False), 1, on_attached),
    "target frozen, worker killed": Fault(partial(_target_frozen, True), 1, on_attached),
    "redis emptied": Fault(_redis_emptied),
    "redis restarted": Fault(_redis_restarted),
    "disk full": Fault(_disk_full, 2, missing=lambda installation: installation.place.why_not_small),
    "descriptors of a worker used up": Fault(partial(_few_descriptors, "worker"), 2),
    "descriptors of the web server used up": Fault(partial(_few_descriptors, "web")),
    "database locked": Fault(_database_locked, 2),
    "database shut down": Fault(partial(_database_away, INT), 2, missing=_only_postgresql),
    "database crashed": Fault(partial(_database_away, QUIT), 2, missing=_only_postgresql),
    "sessions of the database cut": Fault(_sessions_cut, 2, missing=_only_postgresql),
    "answers without end": Fault(server_faults.answers_without_end, 2, started_by("_proxied")),
    "password changed": Fault(server_faults.password_changed, 1, on_attached),
    "account renamed": Fault(server_faults.account_renamed, 1, on_attached),
    "certificate changed": Fault(server_faults.certificate_changed, 2, started_by("_pinned")),
    "memory limit reached": Fault(host_faults.memory_limit_reached),
    "redis out of memory": Fault(host_faults.redis_out_of_memory),
    "clock jump": Fault(host_faults.clock_jump, 2, missing=lambda installation: installation.why_no_clock),
    "disk of the sandbox full": Fault(
        host_faults.sandbox_disk_full, 2, on_sandboxes, lambda installation: installation.place.why_no_disk
    ),
    "socket activation during restore": Fault(stopped_faults.restore_with_requests, 1, stopped_faults.by_worker),
    "upgrade cut off": Fault(stopped_faults.upgrade_cut_off, 1, stopped_faults.by_worker),
}
