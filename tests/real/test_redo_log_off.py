"""MySQL with its redo log switched off: the variables say 1/1, and a kill leaves a server that does not start."""

import pytest

from tests.real.test_trial_builds import ready
from workers.errors import SandboxError
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.durability import report
from workers.servers.look import read


def outcomes(target):
    with connect(target) as connection:
        return {(one.crash_class, one.what): one.outcome for one in report(read(connection))}


def test_a_server_without_its_redo_log_is_told_and_does_not_survive_a_kill(sandbox_root, leaves_nothing):
    build = ready("mysql-8.0.33")
    with Sandbox.create(sandbox_root, build, {"log_bin": "ON"}, name="no-redo") as server:
        assert set(outcomes(server.target).values()) == {"kept"}
        with connect(server.target) as connection:
            ask.rows(connection, "ALTER INSTANCE DISABLE INNODB REDO_LOG")
        found = outcomes(server.target)
        assert {found[crash, "engine"] for crash in ("process kill", "power loss")} == {"may be lost"}
        server.kill()
        with pytest.raises(SandboxError):
            server.recover({"log_bin": "ON"})
