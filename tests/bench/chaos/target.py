"""The attached server: a MariaDB with settings of its own, which must be back after every experiment."""

import contextlib
import os
import signal
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from tests.certificate import certificate
from tests.real.slow import SLOW
from workers.sandbox import builds
from workers.sandbox.additions import Additions
from workers.sandbox.server import Sandbox
from workers.servers.connection import connect
from workers.servers.settings import SETTINGS

OWN = SLOW | {"innodb_flush_log_at_trx_commit": "2", "sync_binlog": "7"}


ACCOUNT, PASSWORD, ANOTHER = "measured", "a word", "another word"
PEM = "server.pem"  # in the datadir, which is the server's working folder
ENCRYPTS = (f"ssl_cert={PEM}", f"ssl_key={PEM}")


class TargetServer:
    """`address`: with the account that is measured with; the server's own account is for this bench."""

    def __init__(self, folder: Path) -> None:
        self.certificates = tuple(certificate(folder).read_text() for _ in range(2))
        self._server = Sandbox.create(
            folder,
            builds.find("system-mariadb"),
            OWN,
            name="target",
            trace=False,
            additions=Additions(lines=ENCRYPTS, files={PEM: self.certificates[0]}),
        )
        self._own = self._server.target
        self.ask(f"CREATE USER {ACCOUNT} IDENTIFIED BY '{PASSWORD}'")
        self.ask(f"GRANT ALL ON *.* TO {ACCOUNT} WITH GRANT OPTION")
        self.address = replace(self._own, user=ACCOUNT, password=PASSWORD, socket="")
        self._settings, self._schemas = self.settings(), self.schemas()

    def settings(self) -> dict[str, str]:
        """Of the catalogue, those that an experiment may change."""
        return {name: value for name, value in self.ask("SHOW GLOBAL VARIABLES") if name in SETTINGS}

    def schemas(self) -> set[str]:
        return {name for (name,) in self.ask("SHOW DATABASES")}

    def changed(self) -> Mapping[str, str]:
        return {name: value for name, value in self.settings().items() if value != self._settings[name]}

    def added(self) -> set[str]:
        return self.schemas() - self._schemas

    def ask(self, sql: str) -> tuple[tuple[str, ...], ...]:
        with contextlib.closing(connect(self._own)) as link, link.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall()

    @contextlib.contextmanager
    def another_password(self) -> Iterator[None]:
        self.ask(f"ALTER USER {ACCOUNT} IDENTIFIED BY '{ANOTHER}'")
        try:
            yield
        finally:
            self.ask(f"ALTER USER {ACCOUNT} IDENTIFIED BY '{PASSWORD}'")

    @contextlib.contextmanager
    def another_name(self) -> Iterator[None]:
        self.ask(f"RENAME USER {ACCOUNT} TO renamed")
        try:
            yield
        finally:
            self.ask(f"RENAME USER renamed TO {ACCOUNT}")

    @contextlib.contextmanager
    def another_certificate(self) -> Iterator[None]:
        self._show(self.certificates[1])
        try:
            yield
        finally:
            self._show(self.certificates[0])

    def _show(self, pem: str) -> None:
        self.kill()
        self._server.put(PEM, pem)
        self.start()

    def logins_refused(self) -> int:
        """How often a password was sent that was not right."""
        return int(dict(self.ask("SHOW GLOBAL STATUS"))["Access_denied_errors"])

    def end_sessions(self) -> None:
        self.ask(f"KILL USER {ACCOUNT}")

    def kill(self) -> None:
        self._server.kill()

    def start(self) -> None:
        self._server.recover(OWN)

    def freeze(self) -> None:
        os.kill(self._server.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self._server.pid, signal.SIGCONT)

    def remove(self) -> None:
        self._server.remove()
