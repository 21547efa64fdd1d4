"""Global variables are set, read back and restored, on a connection that plays a server."""

import pytest

from workers.errors import MissingPrivilege, PlanError, ServerError
from workers.servers import variables
from workers.servers.facts import Facts


class Server:
    """Holds variables and does what it is told, but for `stubborn` ones, which stay as they are."""

    unix_socket, host, port = "", "db", 3306

    def __init__(self, **held):
        self.held, self.stubborn, self.refuses, self.statements = held, set(), {}, []

    def names_to_values(self, connection, sql, args):
        [name] = args
        return {name: self.held[name]} if name in self.held else {}

    def rows(self, connection, sql, args=()):
        name = sql.removeprefix("SET GLOBAL ").removesuffix(" = %s")
        if name in self.refuses:
            raise self.refuses[name]
        self.statements.append((sql, *args))
        if name not in self.stubborn:
            self.held[name] = str(args[0])
        return []


@pytest.fixture
def server(monkeypatch):
    made = Server(sync_binlog="1", innodb_flush_log_at_trx_commit="1", binlog_format="ROW", log_bin="ON")
    monkeypatch.setattr("workers.servers.ask.names_to_values", made.names_to_values)
    monkeypatch.setattr("workers.servers.ask.rows", made.rows)
    return made


def facts(server):
    return Facts("mariadb", (10, 11, 0), "10.11.0", dict(server.held), {})


def apply(server, settings, before_change=lambda name, old: None):
    return variables.apply(server, facts(server), settings, before_change)


def test_a_number_is_set_as_a_number_and_a_word_as_a_word(server):
    found = apply(server, {"sync_binlog": "0", "binlog_format": "MIXED"})
    assert server.statements == [("SET GLOBAL sync_binlog = %s", 0), ("SET GLOBAL binlog_format = %s", "MIXED")]
    assert found == {"sync_binlog": "0", "binlog_format": "MIXED"}


def test_the_old_value_is_written_down_before_the_change(server):
    seen = []
    apply(server, {"sync_binlog": "0"}, lambda name, old: seen.append((name, old, list(server.statements))))
    assert seen == [("sync_binlog", "1", [])]


def test_a_setting_that_this_server_does_not_know_is_refused_before_any_change(server):
    del server.held["binlog_format"]
    with pytest.raises(PlanError, match=r"binlog_format does not exist on this server \(10\.11\.0\)"):
        apply(server, {"sync_binlog": "0", "binlog_format": "MIXED"})
    assert server.statements == []


def test_a_variable_with_the_wanted_value_is_not_set(server):
    apply(server, {"sync_binlog": "1"}, lambda name, old: pytest.fail("nothing changes"))
    assert server.statements == []


def test_a_server_that_reports_another_value_is_refused(server):
    server.stubborn.add("sync_binlog")
    with pytest.raises(ServerError, match="sync_binlog was set to 0, but the server reports '1'"):
        apply(server, {"sync_binlog": "0"})


def test_a_setting_that_needs_a_restart_is_refused(server):
    with pytest.raises(PlanError, match=r"needs a restart\. Nothing was changed"):
        apply(server, {"log_bin": "OFF"})
    assert server.statements == []


def restore(server, *changes):
    restored = []
    variables.restore(server, changes, restored.append, lambda: None)
    return restored


def test_the_last_change_is_restored_first(server):
    server.held |= {"sync_binlog": "0", "innodb_flush_log_at_trx_commit": "2"}
    assert restore(server, ("sync_binlog", "1"), ("innodb_flush_log_at_trx_commit", "1")) == [
        "innodb_flush_log_at_trx_commit", "sync_binlog",
    ]  # fmt: skip
    assert server.held["sync_binlog"] == server.held["innodb_flush_log_at_trx_commit"] == "1"


def test_a_variable_with_its_old_value_or_gone_is_restored_without_a_statement(server):
    del server.held["binlog_format"]
    assert restore(server, ("sync_binlog", "1"), ("binlog_format", "ROW")) == ["binlog_format", "sync_binlog"]
    assert server.statements == []


def test_a_failed_restore_names_the_statements_to_run(server):
    server.held |= {"sync_binlog": "0", "innodb_flush_log_at_trx_commit": "2"}
    server.refuses["sync_binlog"] = ServerError("No.")
    server.refuses["innodb_flush_log_at_trx_commit"] = MissingPrivilege("Not allowed.", "GRANT SUPER ON *.* TO me;")
    with pytest.raises(ServerError) as refused:
        restore(server, ("sync_binlog", "1"), ("innodb_flush_log_at_trx_commit", "1"))
    assert refused.value.fix == "GRANT SUPER ON *.* TO me; SET GLOBAL sync_binlog = '1';"
    assert "sync_binlog was not restored to '1': No." in refused.value.message


def test_a_variable_that_is_not_there_cannot_be_read(server):
    assert variables.read(server, "sync_binlog") == "1"
    with pytest.raises(PlanError, match="binlog_row_image does not exist on db:3306"):
        variables.read(server, "binlog_row_image")
