"""An owner's server in another network, with an account that may do little. Its log is plain, compressed or encrypted,
as its start says."""

import contextlib
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.real.encrypted import ENCRYPTS, key_store
from tests.real.owned import FREE, KILL, end
from tests.real.parts import until
from tests.real.test_binlog_mysql_vendor import mysqlbinlog
from tests.real.trials import settings
from tests.real.two_networks import another_network
from workers.crash.binlog import files_of
from workers.crash.setup_and_result import Attached
from workers.errors import ServerError
from workers.sandbox import options
from workers.sandbox.additions import NOTHING, Additions
from workers.sandbox.builds import Build
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.dump.files import START_ENCRYPTION, heartbeat

SCHEMA, ACCOUNT = "durascope_t1", "'far'@'%'"
RIGHTS = {
    "mariadb": ("REPLICATION SLAVE", "BINLOG MONITOR"),
    "mysql": ("REPLICATION SLAVE", "REPLICATION CLIENT", "XA_RECOVER_ADMIN"),
}
GTIDS = {"mariadb": {}, "mysql": {"gtid_mode": "ON", "enforce_gtid_consistency": "ON"}}
COMPRESSES = {
    "mariadb": ("--log-bin-compress=ON", "--log-bin-compress-min-len=10"),
    "mysql": ("--binlog-transaction-compression=ON",),
}
FORGETFUL = ("--innodb-flush-log-at-trx-commit=0", "--innodb-flush-log-at-timeout=1000")
CUT_BYTES = 8000  # of the newest file: dozens of commits
COPIED_S = 60


@dataclass(frozen=True)
class FarServer:
    """`attached`: no file of the server is given to a trial. `never_encrypts`: why, "": it can."""

    server: Sandbox
    attached: Attached
    never_encrypts: str = ""

    @property
    def flavour(self) -> str:
        return self.server.build.flavour

    def options(self, log: str) -> tuple[str, ...]:
        """Of its start: "plain", "compressed" or "encrypted"."""
        known = {"compressed": COMPRESSES[self.flavour], "encrypted": (f"--{ENCRYPTS[self.flavour]}=ON",)}
        return known.get(log, ())

    def with_start(self, added: Sequence[str], *, loses_log: bool = False) -> Attached:
        """Its owner's commands from now on; it runs with these options already. `loses_log`: the crash takes the end of
        its binary log too."""
        shell, name, start = self.attached.start
        changed = (shell, name, start % " ".join(added))
        crash = self.attached.crash
        if loses_log:
            cut = f"truncate -s -{CUT_BYTES} $(ls {self.server.datadir}/{options.BINLOG_BASE}.*[0-9] | tail -n 1)"
            crash = (*crash[:2], f"{crash[2]}; {cut}")
        end(self.server)
        subprocess.run(changed, check=True)
        until(self._answers)
        return replace(self.attached, crash=crash, start=changed)

    def grant(self, verb: str) -> None:
        direction = "TO" if verb == "GRANT" else "FROM"
        self.run(f"{verb} {', '.join(RIGHTS[self.flavour])} ON *.* {direction} {ACCOUNT}")

    def run(self, *statements: str) -> None:
        with connect(self.server.target) as link:
            for sql in statements:
                ask.rows(link, sql)

    def _answers(self) -> bool:
        with contextlib.suppress(ServerError):
            connect(self.server.target).close()
            return True
        return False

    def newest_file(self) -> str:
        with connect(self.server.target) as link:
            return ask.text(link, "SHOW MASTER STATUS")

    def files_from(self, first: str) -> list[Path]:
        return [file for file in files_of(self.server.binlog_index) if file.name >= first]

    def copied_by_the_vendor(self, first: str, folder: Path) -> str:
        """Into the folder: the files from `first` on, decrypted, each as far as the server sends it to the vendor's
        tool. Why it does not send one to its end; "": it does."""
        target = self.server.target
        login = (f"--socket={target.socket}", f"--user={target.user}", f"--password={target.password}")
        vendors = ["mariadb-binlog", "--no-defaults", "--skip-ssl"]
        tool = vendors if self.flavour == "mariadb" else [*mysqlbinlog(self.server.build.key), "--no-defaults"]
        asked = [*tool, *login, "--read-from-remote-server", "--raw", f"--result-file={folder}/"]
        wanted = ([*asked, file.name] for file in self.files_from(first))
        ran = [subprocess.run(one, capture_output=True, text=True, timeout=COPIED_S) for one in wanted]
        for file in folder.iterdir():
            _say_in_clear_text(file)
        return "".join(one.stderr for one in ran if one.returncode)


def _say_in_clear_text(file: Path) -> None:
    """MariaDB's tool writes down decrypted events behind the one that says that encryption begins."""
    data = file.read_bytes()
    at = 4 + int.from_bytes(data[13:17], "little")  # behind the first event
    size = int.from_bytes(data[at + 9 : at + 13], "little")
    if data[at + 4] == START_ENCRYPTION:
        file.write_bytes(data[:at] + heartbeat(size, at + size, checked=True) + data[at + size :])


def _with_keys(build: Build, keys: Path) -> tuple[Build, Additions, Path | None, str]:
    """Its log is read plain and compressed without a key store too."""
    try:
        return *key_store(build, keys), ""
    except pytest.skip.Exception as absent:
        return build, NOTHING, None, str(absent)


@contextmanager
def far_server(root: Path, keys: Path, build: Build) -> Iterator[FarServer]:
    """`keys`: an empty folder, open to the sandboxes' user."""
    known, store, where, never = _with_keys(build, keys)
    set_ = settings(1, 1) | GTIDS[build.flavour]
    with (
        another_network() as network,
        Sandbox.create(
            root, known, set_, name="far", trace=False, additions=store, datadir_on=where, namespace=network
        ) as server,
    ):
        server._room.socket = server.folder / "run/sock"  # what its owner's command starts makes another one
        user = server.user
        become = f"setpriv --reuid={user.uid} --regid={user.gid} --clear-groups" if user.switch else ""
        program = f"{known.mysqld} --defaults-file={server.folder}/my.cnf"
        target = replace(
            server.target, user="far", password="far away", host=network.address, socket="", kind="attached"
        )
        commands = (
            ("sh", "-c", KILL % (server.folder / "run/pid")),
            ("sh", "-c", f"{FREE % server.folder}; nsenter --net={network.path} {become} {program} %s &"),
        )
        far = FarServer(server, Attached(target, SCHEMA, *commands, lambda: None, lambda: None, limit_s=60), never)
        far.run(
            f"CREATE USER {ACCOUNT} IDENTIFIED BY 'far away'",
            f"CREATE SCHEMA {SCHEMA}",
            f"GRANT ALL ON {SCHEMA}.* TO {ACCOUNT}",
        )
        yield far
        end(server)
