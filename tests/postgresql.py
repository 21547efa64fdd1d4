"""A private PostgreSQL for the tests: unix socket only, in a temporary folder, run by an unprivileged user (it refuses
root), gone with whoever started it. Nothing on disk need survive, so it writes without fsync."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

USER = "nobody"  # when root asks
OWNER = "durascope"
LIMIT_S = 120
SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",  # tables are emptied or rolled back after each test
    "max_connections": "200",
    "timezone": "UTC",
}
# A role of its own needs its password, all others are trusted: so addresses with a password can be tried.
DOOR = "local all secretive scram-sha-256\nlocal all all trust\n"


class PostgreSQL:
    """`start`, `stop`, and again; `url(name)` is the address of one of its databases."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def create(self, *options: str) -> None:
        """Takes a folder that is there; the path must be short enough for a unix socket."""
        if os.getuid() == 0:
            shutil.chown(self.folder, USER)
        self._run("initdb", "-D", self._data, "-U", OWNER, "-E", "UTF8", "--no-sync", "-A", "trust", *options)
        (self.folder / "data" / "pg_hba.conf").write_text(DOOR)

    def take_over(self, copy: Callable[[Path], None]) -> None:
        """Instead of `create`: `copy(to)` brings the data of one that was stopped."""
        if os.getuid() == 0:
            shutil.chown(self.folder, USER)
        copy(Path(self._data))

    def start(self, within: Sequence[str] = (), **settings: str) -> None:
        """`within`: what its command begins with, to run in a network of its own."""
        told = {**SETTINGS, "unix_socket_directories": str(self.folder), **settings}
        options = [word for name, value in told.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            tied = [*unprivileged(), "setpriv", "--pdeathsig", "QUIT"]
            argv = [*within, *tied, program("postgres"), "-D", self._data, *options]
            self._process = subprocess.Popen(argv, cwd="/", stdout=log, stderr=log, start_new_session=True)
        self._wait()

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT: sessions are cut, data is written. SIGQUIT: at once, as a crash."""
        if self._process and self._process.poll() is None:
            self._process.send_signal(how)
            self._process.wait(LIMIT_S)

    def make(self, name: str) -> None:
        """An empty database."""
        self._run("createdb", "-h", str(self.folder), "-U", OWNER, name)

    def url(self, name: str) -> str:
        return f"postgresql://{OWNER}@{quote(str(self.folder), safe='')}/{name}"

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def _wait(self) -> None:
        deadline = time.monotonic() + LIMIT_S
        ready = [program("pg_isready"), "-q", "-h", str(self.folder), "-U", OWNER, "-d", "postgres"]
        while subprocess.run(ready).returncode:
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not start:\n{self.log}")
            time.sleep(0.05)

    def _run(self, name: str, *words: str) -> None:
        done = subprocess.run([*unprivileged(), program(name), *words], cwd="/", capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{name} failed:\n{done.stdout}{done.stderr}")


def folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="durascope-pg-"))


def private() -> PostgreSQL:
    """One that runs, in a temporary folder of its own: stop it and remove its folder."""
    made = PostgreSQL(folder())
    made.create("--locale-provider=icu", "--icu-locale=en-US")  # not by bytes, as SQLite sorts
    made.start()
    return made


def program(name: str) -> str:
    """Debian keeps the server's programs off the PATH, by version; the newest is taken."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: float(path.parts[-3]))
    path = str(found[-1]) if found else shutil.which(name)
    if not path:
        raise RuntimeError(f"{name} is not installed. Install the package postgresql; its service is not needed.")
    return path


def unprivileged() -> list[str]:
    if os.getuid() != 0:
        return []
    return ["setpriv", f"--reuid={USER}", "--regid=nogroup", "--clear-groups", "--"]
