"""The attached server: a MariaDB with settings of its own, which must be back after every experiment."""

import contextlib
import os
import signal
from collections.abc import Mapping
from pathlib import Path

from tests.real.slow import SLOW
from workers.sandbox import builds
from workers.sandbox.server import Sandbox
from workers.servers.connection import connect
from workers.servers.settings import SETTINGS

OWN = SLOW | {"innodb_flush_log_at_trx_commit": "2", "sync_binlog": "7"}


class TargetServer:
    def __init__(self, folder: Path) -> None:
        self._server = Sandbox.create(folder, builds.find("system-mariadb"), OWN, name="target", trace=False)
        self.address = self._server.target
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
        with contextlib.closing(connect(self.address)) as link, link.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall()

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
