import pytest

from workers.errors import ServerError, Taken
from workers.servers import undo as module
from workers.servers.target import Target

TARGET = Target("t", "attached", "", "")


class Connection:
    """Knows two variables and takes every statement but setting `stubborn`."""

    unix_socket, host, port = "", "db", 3306

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


@pytest.fixture
def said(monkeypatch):
    """The statements; `sync_binlog` will not go back, `binlog_row_image` no longer exists."""
    statements = []

    def names_to_values(connection, sql, args=()):
        present = {"sync_binlog": "0", "innodb_flush_log_at_trx_commit": "2"}
        return {args[0]: present[args[0]]} if args[0] in present else {}

    def rows(connection, sql, args=()):
        statements.append(sql)
        if "sync_binlog" in sql:
            raise ServerError("No.")
        return []

    monkeypatch.setattr(module, "connect", lambda target, **_: Connection())
    monkeypatch.setattr("workers.servers.ask.names_to_values", names_to_values)
    monkeypatch.setattr("workers.servers.ask.rows", rows)
    return statements


def test_a_variable_that_will_not_go_back_does_not_keep_schemas(said):
    restored = []
    with pytest.raises(ServerError, match="sync_binlog was not restored"):
        module.undo(TARGET, [("sync_binlog", "1")], ["durascope_x"], lambda *one: restored.append(one), lambda: None)
    assert restored == [("schema", "durascope_x")]
    assert "DROP DATABASE IF EXISTS `durascope_x`" in said


def test_a_schema_that_cannot_be_dropped_keeps_neither_others_nor_the_names_of_variables(said, monkeypatch):
    def drop(connection, name):
        if name == "durascope_x":
            raise ServerError("Denied.", "GRANT DROP;")

    monkeypatch.setattr(module.schema, "drop", drop)
    restored, both = [], ["durascope_x", "durascope_y"]
    with pytest.raises(ServerError) as failed:
        module.undo(TARGET, [("sync_binlog", "1")], both, lambda *one: restored.append(one), lambda: None)
    assert restored == [("schema", "durascope_y")]
    assert "sync_binlog was not restored" in failed.value.message
    assert "The schema durascope_x was not dropped: Denied." in failed.value.message
    assert "GRANT DROP;" in failed.value.fix


def test_schemas_are_dropped_only_while_the_server_is_held(said):
    def taken():
        raise Taken("Another experiment holds it.")

    with pytest.raises(Taken):
        module.undo(TARGET, [], ["durascope_x"], lambda *one: None, taken)
    assert said == []


def test_a_variable_that_is_gone_needs_no_restore(said):
    restored = []
    module.undo(TARGET, [("binlog_row_image", "FULL")], [], lambda *one: restored.append(one), lambda: None)
    assert restored == [("variable", "binlog_row_image")]
    assert said == []
