"""The audit of real servers: several versions, a primary whose replica differs, accounts with USAGE only."""

import re
import shutil
import subprocess
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import call_command

from dashboard.findings.audit.audit import audit
from dashboard.findings.audit.subject import pasted, read_now
from dashboard.records.servers.models import Server
from tests.real.registered import attached
from workers.crash.replica_link import Link
from workers.sandbox import builds
from workers.sandbox.server import Sandbox
from workers.servers import ask, look, reading
from workers.servers.compared import compared
from workers.servers.connection import connect
from workers.servers.durability import report
from workers.servers.inventory.read import read as read_file
from workers.servers.pasted.named_version import named_version
from workers.servers.pasted.read import read

pytestmark = pytest.mark.django_db
COMMON = {"log_bin": "ON", "gtid_strict_mode": "ON", "log_slave_updates": "ON"}
FIRST = {**COMMON, "server_id": "81", "innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"}
SECOND = {**COMMON, "server_id": "82", "innodb_flush_log_at_trx_commit": "0", "sync_binlog": "0"}
HARMLESS = re.compile(r"(SHOW|SELECT|SET NAMES|SET (SESSION )?autocommit|SET SESSION TRANSACTION)\b", re.IGNORECASE)
CLIENT = shutil.which("mariadb") or ""
PASSWORD = "only-Usage-1"


@pytest.fixture(scope="module")
def pair(make_sandbox):
    primary, replica = make_sandbox(FIRST, name="audit-primary"), make_sandbox(SECOND, name="audit-replica")
    link = Link(primary, replica)
    link.begin()
    link.start()
    assert link.follow(30).state == "caught up"
    return primary, replica


@pytest.fixture(scope="module")
def mysql(sandbox_root):
    settings = {"innodb_flush_log_at_trx_commit": "2", "sync_binlog": "1", "log_bin": "ON"}
    try:
        build = builds.find("mysql-8.0.33")
    except builds.SandboxError as absent:
        pytest.skip(str(absent))
    with Sandbox.create(sandbox_root, build, settings, name="audit-mysql") as made:
        yield made


def with_usage_only(target):
    """The same server through an account without any privilege."""
    with connect(target) as connection:
        ask.rows(connection, "SET SESSION sql_log_bin = 0")
        for host in ("%", "localhost"):
            ask.rows(connection, f"DROP USER IF EXISTS 'few'@'{host}'")
            ask.rows(connection, f"CREATE USER 'few'@'{host}' IDENTIFIED BY '{PASSWORD}'")
    return replace(target, user="few", password=PASSWORD)


def command(*arguments):
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("audit", *arguments, stdout=out, stderr=StringIO())
    return ended.value.code, out.getvalue()


def test_a_fleet_of_several_versions_is_read_at_once(pair, mysql):
    servers = {"db1": pair[0], "db2": pair[1], "db3": mysql}
    rows = [attached(server, name) for name, server in servers.items()]
    rows.append(Server.objects.create(name="gone", kind="attached", host="127.0.0.1", port=1, user="u"))
    readings = reading.read_all([one.target() for one in rows])
    found = audit(read_now(rows, readings, None))
    lines = {line.name: line for line in found.lines}
    assert [line.name for line in found.lines] == ["db2", "db3", "db1", "gone"]
    assert {name: line.killed.outcome for name, line in lines.items()} == {
        "db1": "kept", "db2": "may be lost", "db3": "kept", "gone": "unknown",
    }  # fmt: skip
    assert lines["db3"].power_loss.outcome == "may be lost" and lines["db3"].version.startswith("MySQL 8.0.33")
    assert lines["db1"].failover.outcome == "may be lost" and "Nothing listens" in lines["gone"].finding
    (one,) = found.replicas
    different = {each.setting: (each.one, each.other) for each in one.differences}
    assert (one.one, one.other) == ("db1", "db2")
    assert different.items() >= {"innodb_flush_log_at_trx_commit": ("1", "0"), "sync_binlog": ("1", "0")}.items()


def test_an_account_with_usage_only_is_enough_and_no_statement_writes(pair):
    """The general log holds everything that the server was told."""
    few = with_usage_only(pair[1].target)
    server = attached(pair[1], "db2", few)
    with connect(pair[1].target) as admin:
        ask.rows(admin, "SET GLOBAL log_output = 'TABLE'")
        before = look.read(admin)
        ask.rows(admin, "SET GLOBAL general_log = ON")
        status, out = command("--server", "db2")
        ask.rows(admin, "SET GLOBAL general_log = OFF")
        found = ask.rows(
            admin, "SELECT argument FROM mysql.general_log WHERE user_host LIKE 'few%' AND command_type = 'Query'"
        )
        after = look.read(admin)
        ask.rows(admin, "SET GLOBAL log_output = 'FILE'")
    told = [ask.as_text(row[0]) for row in found]
    assert len(told) >= 4 and not [one for one in told if not HARMLESS.match(one)]
    assert status == 1 and "Server killed: may be lost; Power loss: may be lost; Failover: unknown" in out
    assert {**after.variables} == {**before.variables} and PASSWORD not in out
    server.delete()


def test_a_printed_variable_list_and_an_option_file_give_the_same_report_as_the_server(pair, tmp_path):
    with connect(pair[1].target) as connection:
        facts = look.read(connection)
        printed = "".join(f"{name}\t{value}\n" for name, value in facts.variables.items())
    text = read(printed)
    assert report(text.facts) == report(facts) and compared(text.facts.variables) == compared(facts.variables)
    file = "[mysqld]\n" + "".join(f"{name.replace('_', '-')} = {value}\n" for name, value in SECOND.items())
    from_file = read(file, named_version(f"MariaDB {facts.version[0]}.{facts.version[1]}"))
    assert [(one.crash_class, one.what, one.outcome) for one in report(from_file.facts)] == [
        (one.crash_class, one.what, one.outcome) for one in report(facts)
    ]
    (tmp_path / "vars.txt").write_text(printed)
    status, out = command(str(tmp_path / "vars.txt"))
    assert status == 1 and audit([pasted("x", text)]).lines[0].finding in out


@pytest.mark.skipif(not CLIENT, reason="mariadb is not installed (package mariadb-client)")
@pytest.mark.parametrize("form", ["--batch", "--table", "--vertical"])
def test_the_output_of_the_client_gives_the_same_values_as_the_server(pair, form):
    target = pair[0].target
    where = ["--socket", target.socket] if target.socket else ["--host", target.host, "--port", str(target.port)]
    asked = [
        CLIENT,
        "--no-defaults",
        "--skip-ssl",
        "--user",
        target.user,
        *where,
        form,
        "--execute",
        "SHOW GLOBAL VARIABLES",
    ]
    printed = subprocess.run(asked, env={"MYSQL_PWD": target.password}, capture_output=True, text=True, check=True)
    with connect(target) as connection:
        facts = look.read(connection)
    found = read(printed.stdout).facts
    assert (found.flavour, found.version_text) == (facts.flavour, facts.version_text)
    told = {name: value for name, value in facts.variables.items() if name != look.BINLOG_OPEN}  # asked for apart
    assert compared(found.variables) == compared(told) and report(found) == report(facts)


def test_the_replica_of_a_registered_primary_is_found(pair):
    """Registered, it is found no more."""
    attached(pair[0], "db1")
    out = StringIO()
    call_command("server", "replicas", "--dry-run", stdout=out)
    assert f":{pair[1].target.port}): password missing." in out.getvalue()
    attached(pair[1], "db2")
    out = StringIO()
    call_command("server", "replicas", "--dry-run", stdout=out)
    assert "No server was found" in out.getvalue()


def test_a_login_file_is_decrypted_as_the_server_encrypts(pair):
    """AES_ENCRYPT is the function that mysql_config_editor writes each line with."""
    key, lines = bytes(range(100, 120)), ["[db1]\n", "user = app\n", "host = db1.example.org\n", 'password = "x y"\n']
    with connect(pair[0].target) as connection:
        sealed = [ask.value(connection, "SELECT HEX(AES_ENCRYPT(%s, UNHEX(%s)))", [line, key.hex()]) for line in lines]
    content = bytes(4) + key
    for part in (bytes.fromhex(ask.as_text(one)) for one in sealed):
        content += len(part).to_bytes(4, "little") + part
    (found,) = read_file(content)
    assert (found.name, found.host, found.user, found.password) == ("db1", "db1.example.org", "app", "x y")
