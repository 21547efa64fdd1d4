"""The durability report follows the settings of a real server."""

from workers.servers import variables
from workers.servers.connection import connect
from workers.servers.durability import report
from workers.servers.look import read
from workers.servers.present import UNKNOWN, settings_in_words


def outcomes(facts):
    return {(one.crash_class, one.what): one.outcome for one in report(facts)}


def test_the_report_follows_the_servers_settings(sandbox):
    changes = []
    with connect(sandbox.target) as connection:
        try:
            wanted = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"}
            variables.apply(connection, read(connection), wanted, lambda *change: changes.append(change))
            assert set(outcomes(read(connection)).values()) == {"kept"}
            wanted = {"innodb_flush_log_at_trx_commit": "0", "sync_binlog": "0"}
            variables.apply(connection, read(connection), wanted, lambda *change: changes.append(change))
            lost = outcomes(read(connection))
        finally:
            variables.restore(connection, changes, lambda name: None, lambda: None)
    assert lost["process kill", "engine"] == lost["power loss", "binlog"] == "may be lost"
    assert lost["process kill", "binlog"] == "kept"


def test_the_settings_of_a_real_server_are_put_in_words(sandbox):
    with connect(sandbox.target) as connection:
        words = {name: said for name, _, said in settings_in_words(read(connection))}
    assert {"innodb_flush_log_at_trx_commit", "sync_binlog", "innodb_doublewrite"} <= set(words)
    assert UNKNOWN not in words.values()
