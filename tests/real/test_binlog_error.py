"""A server that cannot write its binary log: what binlog_error_action decides, and what the durability report and the
connection test say before and after."""

import pytest

from tests.real.test_trial_builds import ready
from workers.errors import ServerError
from workers.host.until import until
from workers.sandbox.server import Sandbox
from workers.servers import ask, preflight
from workers.servers.connection import connect
from workers.servers.durability import report
from workers.servers.look import read

NO_NEW_FILES = 0o500


def killed(connection):
    return {one.what: one.outcome for one in report(read(connection)) if one.crash_class == "process kill"}


def binlog_check(server):
    return next(one.outcome for one in preflight.run(server.target).checks if one.key == "binlog")


@pytest.mark.parametrize(
    ("build", "action", "outcome"),
    [
        ("mysql-8.0.33", "IGNORE_ERROR", "may be lost"),
        ("mysql-8.0.33", "ABORT_SERVER", "kept"),
        ("mysql-5.6.14", "", "kept"),  # the setting came later: it goes on
        ("system-mariadb", "", "kept"),
    ],
)
def test_after_an_error_the_server_stops_or_goes_on_without_a_binary_log(sandbox_root, build, action, outcome):
    with Sandbox.create(sandbox_root, ready(build), {"log_bin": "ON"}, name="no-binlog") as server:
        assert binlog_check(server) in ("passed", "warned")
        with connect(server.target) as connection:
            if action:
                ask.rows(connection, f"SET GLOBAL binlog_error_action = {action}")
            found = killed(connection)
            assert (found["engine"], found["binlog"]) == ("kept", outcome)
            ask.rows(connection, "CREATE DATABASE durascope_x")
            ask.rows(connection, "CREATE TABLE durascope_x.t (id INT PRIMARY KEY)")
            mode = server.datadir.stat().st_mode
            server.datadir.chmod(NO_NEW_FILES)
            try:
                with pytest.raises(ServerError):
                    ask.rows(connection, "FLUSH BINARY LOGS")
            finally:
                server.datadir.chmod(mode)
        if action == "ABORT_SERVER":
            assert until(lambda: not server.running, 60, 0.1)
            return
        with connect(server.target) as connection:
            ask.rows(connection, "INSERT INTO durascope_x.t VALUES (1)")
            ask.rows(connection, "COMMIT")
            assert ask.text(connection, "SELECT @@log_bin") == "1", "the variable still says that it is on"
            assert ask.rows(connection, "SHOW MASTER STATUS") == []
            found = killed(connection)
            assert (found["engine"], found["binlog"], found["agreement"]) == ("kept", "may be lost", "may be lost")
        assert binlog_check(server) == "failed"
