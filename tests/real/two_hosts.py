"""Two hosts on one machine: each a network and a name of its own, joined by one cable. `near` holds the database and
Redis, both with a password, as a web server's host does; `far` reaches them by that cable only, and nothing else."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from cryptography.fernet import Fernet
from psycopg import sql

from dashboard.installation.home import PROJECT
from dashboard.local import programs, redis
from dashboard.local.processes import Child, Program, tail
from tests import migrated, postgresql
from tests.real import parts
from tests.real.local_home import environment, eventually

NETWORK, NEAR, FAR = "198.18.7.0/30", "198.18.7.1", "198.18.7.2"  # kept for tests of networks
PASSWORD = "p@ss w:rd#1"
ENCODED = "p%40ss%20w%3Ard%231"
NEEDED = ("ip", "nsenter", "unshare", "hostname", "setpriv")
TRIED = "unshare --net --uts ip link add name one type veth peer name other".split()  # noqa: SIM905 - as one types it
LIMIT_S = parts.LIMIT_S


def why_not() -> str:
    """ "": both can be made here."""
    if os.getuid() != 0:
        return "only root makes networks"
    if missing := [name for name in NEEDED if not shutil.which(name)]:
        return f"{', '.join(missing)} is not here"
    tried = subprocess.run(TRIED, capture_output=True)
    return "no networks of one's own here" if tried.returncode else ""


@dataclass(frozen=True)
class Host:
    """Lives as long as its process."""

    name: str
    address: str
    process: "subprocess.Popen[bytes]"

    @property
    def inside(self) -> list[str]:
        """What a command begins with that is to run there."""
        spaces = f"/proc/{self.process.pid}/ns"
        return ["nsenter", f"--net={spaces}/net", f"--uts={spaces}/uts", "--"]

    def run(self, *words: str) -> None:
        subprocess.run([*self.inside, *words], check=True)


def host(name: str, address: str, held: ExitStack) -> Host:
    tied = ["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "--uts", "sleep", "infinity"]
    made = Host(name, address, subprocess.Popen(tied, start_new_session=True))
    held.callback(made.process.wait)
    held.callback(made.process.kill)
    ours = Path("/proc/self/ns/uts").readlink()
    deadline = time.monotonic() + LIMIT_S
    while Path(f"/proc/{made.process.pid}/ns/uts").readlink() == ours or _program(made.process.pid) != "sleep":
        assert time.monotonic() < deadline, "unshare does not start"
        time.sleep(0.02)
    made.run("hostname", name)
    return made


def _program(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text().strip()


class Cable:
    def __init__(self, one: Host, other: Host) -> None:
        self._one = one
        ends = ["ip", "link", "add", "name", "cable", "netns", str(one.process.pid), "type", "veth"]
        subprocess.run([*ends, "peer", "name", "cable", "netns", str(other.process.pid)], check=True)
        for end in (one, other):
            end.run("ip", "address", "add", f"{end.address}/30", "dev", "cable")
            end.run("ip", "link", "set", "lo", "up")
            end.run("ip", "link", "set", "cable", "up")

    def cut(self) -> None:
        """The other end sees a dead line: what is on its way is lost, and nobody is told."""
        self._one.run("ip", "link", "set", "cable", "down")

    def join(self) -> None:
        self._one.run("ip", "link", "set", "cable", "up")


class Lab:
    """Both hosts with what runs on them; `held` ends all of it."""

    def __init__(self, folder: Path, sandboxes: Path, held: ExitStack) -> None:
        self._folder, self._sandboxes, self._held = folder, sandboxes, held
        self.near, self.far = host("near", NEAR, held), host("far", FAR, held)
        self.cable = Cable(self.near, self.far)
        self.pg = migrated.stopped_postgresql()
        held.callback(shutil.rmtree, self.pg.folder)
        self._start_database()
        self.redis = self._start_redis()
        self._secrets = {"DURASCOPE_PASSWORD_KEYS": Fernet.generate_key().decode()}

    def _start_database(self) -> None:
        with (self.pg.folder / "data" / "pg_hba.conf").open("a") as door:
            door.write(f"host all all {NETWORK} scram-sha-256\n")
        self._held.callback(self.pg.stop)
        self.pg.start(within=self.near.inside, listen_addresses=NEAR)
        with psycopg.connect(self.pg.url(migrated.NAME)) as link:
            link.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(postgresql.OWNER), PASSWORD))

    def _start_redis(self) -> Child:
        kept = ["--save", "", "--appendonly", "no", "--dir", str(self._folder)]
        argv = [str(redis.binary(self._folder)), "--bind", NEAR, "--port", "6379", "--requirepass", PASSWORD, *kept]
        log = self._folder / "redis.log"
        return self._run(Program("redis", [*self.near.inside, *argv], self._folder, log, ready=lambda pid: _says(log)))

    def restart_redis(self) -> None:
        self.redis.stop()
        (self._folder / "redis.log").unlink()
        self.redis = self._start_redis()

    def _run(self, program: Program) -> Child:
        child = Child(program)
        self._held.callback(child.stop)
        child.wait_until_ready()
        return child

    def _environment(self, host: Host) -> dict[str, str]:
        """What docs/deployment.md tells a worker's host."""
        home = self._folder / host.name
        return {
            **environment(home),
            **self._secrets,
            "DATABASE_URL": f"postgresql://{postgresql.OWNER}:{ENCODED}@{NEAR}/{migrated.NAME}",
            "DURASCOPE_REDIS": f"redis://:{ENCODED}@{NEAR}:6379/0",
            "DURASCOPE_SANDBOXES": str(self.sandboxes(host)),
            "DJANGO_SETTINGS_MODULE": "dashboard.settings",
            "PYTHONPATH": str(PROJECT),
        }

    def sandboxes(self, host: Host) -> Path:
        return self._sandboxes / host.name

    def log(self, host: Host) -> Path:
        return self._folder / host.name / "logs" / "worker.log"

    @contextmanager
    def worker(self, host: Host, site: str) -> Iterator[Child]:
        """The one command of docs/deployment.md."""
        self.sandboxes(host).mkdir(exist_ok=True)
        argv = [*host.inside, sys.executable, "manage.py", "worker", "--site", site]
        [(last,)] = self.ask("SELECT coalesce(max(id), 0) FROM fleet_worker")
        new = f"SELECT count(*) FROM fleet_worker WHERE id > {last} AND host = '{host.name}' AND listens"
        known, ready = programs.worker(self._folder / host.name), lambda pid: self.ask(new) != [(0,)]
        env = self._environment(host)
        with parts.running(
            Program("worker", argv, PROJECT, known.log, env, ready, LIMIT_S, known.stop_limit_s)
        ) as child:
            yield child

    def manage(self, *words: str) -> str:
        argv = [*self.near.inside, sys.executable, "manage.py", *words]
        known = self._environment(self.near)
        done = subprocess.run(argv, cwd=PROJECT, env=known, check=True, text=True, stdout=subprocess.PIPE)
        return done.stdout

    def ask(self, question: str) -> list[tuple]:
        """Past the network."""
        with psycopg.connect(self.pg.url(migrated.NAME)) as link:
            return link.execute(question).fetchall()

    def until(self, question: str, *answers: tuple) -> None:
        found = eventually(lambda: self.ask(question) in [[answer] for answer in answers], LIMIT_S)
        assert found, f"{question}: {self.ask(question)}\n{tail(self.log(self.far), 60)}"


def _says(log: Path) -> bool:
    return log.exists() and "Ready to accept connections" in log.read_text(errors="replace")
