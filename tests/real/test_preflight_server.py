"""*Test connection* on real servers: one that is ready, and ones that are not."""

from dataclasses import replace

import pytest

from workers.errors import MissingPrivilege
from workers.servers import ask, preflight, replication
from workers.servers.checks import CHECKS, PreflightAnswer
from workers.servers.connection import connect
from workers.servers.facts import Facts
from workers.servers.flavours import grants
from workers.servers.look import read


def by_key(result):
    return {check.key: check for check in result.checks}


@pytest.fixture
def account(sandbox):
    """Makes an account with these statements; gone afterwards."""
    with connect(sandbox.target) as connection:

        def make(*statements):
            for statement in statements:
                ask.rows(connection, statement)
            return replace(sandbox.target, user="pf", password="x")

        yield make
        ask.rows(connection, "DROP USER IF EXISTS 'pf'@'localhost'")


@pytest.fixture(scope="module")
def poor_server(make_sandbox):
    """No binlog, few connections, read only."""
    settings = {"log_bin": "OFF", "max_connections": "12", "read_only": "ON", "binlog_format": "STATEMENT"}
    return make_sandbox(settings, name="poor")


def test_a_ready_server_passes_every_check(sandbox):
    result = preflight.run(sandbox.target)
    checks = by_key(result)
    assert isinstance(result.facts, Facts) and list(checks) == list(CHECKS)
    passed = {key for key, check in checks.items() if check.outcome == "passed"}
    assert passed >= {
        *("tls", "version", "privileges", "engines", "binlog", "connections", "clock", "replicas"),
        "read_only",
    }
    assert checks["performance_schema"].outcome == "warned"
    # A busy machine answers slowly, which is a warning. tests/unit/servers/test_checks.py checks from when on.
    assert checks["reachability"].outcome in ("passed", "warned") and "median of 20" in checks["reachability"].says


def test_a_poor_server_gets_a_warning_with_its_fix_for_each_fault(poor_server):
    checks = by_key(preflight.run(poor_server.target))
    assert checks["binlog"].outcome == "warned" and "log_bin" in checks["binlog"].fix
    assert checks["connections"].outcome == "warned" and "max_connections" in checks["connections"].fix
    assert checks["read_only"].outcome == "failed"


def test_the_statement_of_the_fix_fixes_it(poor_server):
    fix = by_key(preflight.run(poor_server.target))["read_only"].fix
    with connect(poor_server.target) as connection:
        ask.rows(connection, fix)
        try:
            assert by_key(preflight.run(poor_server.target))["read_only"].outcome == "passed"
        finally:
            ask.rows(connection, "SET GLOBAL read_only = ON")


def test_missing_privileges_are_listed_and_the_printed_grants_fix_them(account, sandbox):
    target = account("CREATE USER 'pf'@'localhost' IDENTIFIED BY 'x'")
    check = by_key(preflight.run(target))["privileges"]
    assert check.outcome == "failed" and "BINLOG ADMIN" in check.says
    account(*check.fix.splitlines())
    assert by_key(preflight.run(target))["privileges"].outcome == "passed"


def test_the_printed_account_can_do_everything_it_is_for(account, sandbox):
    with connect(sandbox.target) as connection:
        create, *rest = grants(read(connection), "pf", "localhost")
    target = account(create.replace("'...'", "'x'"), *rest)
    assert by_key(preflight.run(target))["privileges"].outcome == "passed"
    with connect(target) as connection:
        assert replication.read(connection, read(connection)).unread == (), "the topology can be read"
        ask.rows(connection, "CREATE DATABASE `durascope_pf`")
        ask.rows(connection, "CREATE TABLE durascope_pf.t (id INT PRIMARY KEY)")
        ask.rows(connection, "DROP DATABASE `durascope_pf`")
        for name in ("sync_binlog", "innodb_flush_log_at_trx_commit", "binlog_commit_wait_count", "binlog_checksum"):
            ask.rows(connection, f"SET GLOBAL {name} = @@GLOBAL.{name}")
        with pytest.raises(MissingPrivilege):
            ask.rows(connection, "CREATE DATABASE `durascopeXpf`")


def test_an_account_that_may_not_change_variables_gets_a_warning(account):
    target = account(
        "CREATE USER 'pf'@'localhost' IDENTIFIED BY 'x'",
        "GRANT PROCESS, BINLOG MONITOR, SLAVE MONITOR, REPLICATION MASTER ADMIN ON *.* TO 'pf'@'localhost'",
        "GRANT SELECT ON performance_schema.* TO 'pf'@'localhost'",
        r"GRANT ALL ON `durascope\_%`.* TO 'pf'@'localhost'",
    )
    check = by_key(preflight.run(target))["privileges"]
    assert check.outcome == "warned" and check.fix == "GRANT BINLOG ADMIN, SUPER ON *.* TO 'pf'@'localhost';"


def test_replicas_are_unknown_to_an_account_that_may_not_see_them(account):
    target = account("CREATE USER 'pf'@'localhost' IDENTIFIED BY 'x'")
    check = by_key(preflight.run(target))["replicas"]
    assert check.outcome == "unknown" and "PROCESS" in check.fix


def test_an_attached_replica_is_seen(sandbox):
    """A binlog dump, asked for as a replica does (COM_BINLOG_DUMP)."""
    with connect(sandbox.target) as replica:
        ask.rows(replica, "SET @master_binlog_checksum = @@global.binlog_checksum, @mariadb_slave_capability = 4")
        file, position = ask.rows(replica, "SHOW MASTER STATUS")[0][:2]
        payload = position.to_bytes(4, "little") + (0).to_bytes(2, "little") + (77).to_bytes(4, "little")
        replica._execute_command(0x12, payload + file.encode())
        assert replica._read_packet()
        check = by_key(preflight.run(sandbox.target))["replicas"]
    assert check.outcome == "warned" and "1 attached" in check.says


def test_an_address_without_a_server_fails_the_check_of_reachability(sandbox):
    result = preflight.run(replace(sandbox.target, socket="/nowhere/sock"))
    first, *rest = result.checks
    assert result.facts is None
    assert (first.key, first.outcome) == ("reachability", "failed") and first.fix
    assert {(check.outcome, check.says) for check in rest} == {("unknown", "Not reached.")}


def test_a_check_that_breaks_is_unknown(sandbox, monkeypatch):
    def broken(scene):
        raise ZeroDivisionError("oops")

    monkeypatch.setitem(CHECKS, "clock", ("Clocks", broken))
    monkeypatch.setitem(
        CHECKS, "disk", ("Disk", lambda scene: PreflightAnswer("passed", str(ask.value(scene.connection, "nonsense"))))
    )
    checks = by_key(preflight.run(sandbox.target))
    assert checks["clock"].outcome == checks["disk"].outcome == "unknown"
    assert "ZeroDivisionError" in checks["clock"].says and "1064" in checks["disk"].says


def test_the_password_is_in_no_result(sandbox):
    assert sandbox.target.password not in repr(preflight.run(sandbox.target))
