"""Our sessions do not depend on what an owner's server gives to new sessions."""

import contextlib
from dataclasses import replace

import pymysql
import pytest

from tests.real.test_trial_builds import ready
from workers.errors import ServerError
from workers.sandbox.server import Sandbox
from workers.servers import ask, look
from workers.servers.connection import connect
from workers.servers.session import NEEDED

BUILDS = ("system-mariadb", "mariadb-11.8", "mysql-5.6.14", "mysql-8.0.33", "mysql-9.7")
OWNERS = {
    "autocommit": "0",
    "completion_type": "1",
    "sql_select_limit": "3",
    "sql_safe_updates": "1",
    "foreign_key_checks": "0",
    "unique_checks": "0",
    "sql_mode": "'ANSI_QUOTES,PIPES_AS_CONCAT'",
    "time_zone": "'+09:00'",
    "wait_timeout": "7",
    "lc_messages": "'de_DE'",
    "max_join_size": "5",  # switches sql_big_selects off
}
DEFAULTS = "SET GLOBAL TRANSACTION ISOLATION LEVEL READ UNCOMMITTED, READ ONLY"  # of each new session's transactions
ACCOUNT = {"user": "durascope_u", "password": "aB3-aB3-aB3"}  # init_connect runs for accounts without SUPER only
OF_SOME = {"max_execution_time": "7", "max_statement_time": "7", "idle_transaction_timeout": "7"}
READ_BACK = {
    "completion_type": "NO_CHAIN",
    "sql_mode": "STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION",
    "time_zone": "+00:00",
    "lc_messages": "en_US",
}


@pytest.fixture(scope="module", params=BUILDS)
def hindering(request, sandbox_root):
    with Sandbox.create(sandbox_root, ready(request.param), {}, name="hindering", trace=False) as server:
        with connect(server.target) as link:
            for name, value in (OWNERS | OF_SOME).items():
                with contextlib.suppress(pymysql.Error) if name in OF_SOME else contextlib.nullcontext():
                    link.cursor().execute(f"SET GLOBAL {name} = {value}")
            link.cursor().execute(DEFAULTS)
            for statement in (
                "CREATE DATABASE durascope_s",
                "CREATE TABLE durascope_s.t (id INT NOT NULL PRIMARY KEY) ENGINE=InnoDB",
                f"CREATE USER {ACCOUNT['user']}@'%' IDENTIFIED BY '{ACCOUNT['password']}'",
                f"GRANT ALL ON `durascope\\_%`.* TO {ACCOUNT['user']}@'%'",
            ):
                link.cursor().execute(statement)
        yield server.target


def of_the_server(target):
    """A session that sets nothing."""
    return pymysql.connect(
        unix_socket=target.socket, user=target.user, password=target.password, ssl_disabled=True, autocommit=None
    )


def seen(link):
    return ask.rows(link, "SELECT id FROM durascope_s.t")


def test_rows_that_nobody_committed_are_not_read(hindering):
    with connect(hindering) as writes, connect(hindering) as reads, of_the_server(hindering) as control:
        ask.rows(writes, "BEGIN")
        ask.rows(writes, "INSERT INTO durascope_s.t VALUES (1)")
        with control.cursor() as cursor:
            cursor.execute("SET sql_big_selects = 1")
            cursor.execute("SELECT id FROM durascope_s.t")
            assert cursor.fetchall() == ((1,),), "the control: this server's own sessions read them"
        assert seen(reads) == []
        ask.rows(writes, "ROLLBACK")


def test_a_transaction_that_init_connect_began_is_over(hindering):
    """Else a statement is answered and not committed."""
    with connect(hindering) as owner:
        ask.rows(owner, "SET GLOBAL init_connect = 'SET autocommit = 1; START TRANSACTION READ WRITE'")
        try:
            with connect(replace(hindering, **ACCOUNT)) as link:
                ask.rows(link, "INSERT INTO durascope_s.t VALUES (2)")
            control = of_the_server(replace(hindering, **ACCOUNT))
            with control, contextlib.suppress(pymysql.Error):  # 5.6.14 refuses it
                control.cursor().execute("INSERT INTO durascope_s.t VALUES (3)")
        finally:
            ask.rows(owner, "SET GLOBAL init_connect = ''")
        assert seen(owner) == [(2,)]
        ask.rows(owner, "DELETE FROM durascope_s.t")


def test_an_init_connect_that_fails_is_named(hindering):
    with connect(hindering) as owner:
        ask.rows(owner, "SET GLOBAL init_connect = 'SELECT nonsense'")
        try:
            with pytest.raises(ServerError) as refused, connect(replace(hindering, **ACCOUNT)):
                pass
        finally:
            ask.rows(owner, "SET GLOBAL init_connect = ''")
        assert "init_connect" in f"{refused.value.message} {refused.value.fix}"


def test_a_session_is_as_our_statements_need_it(hindering):
    with connect(hindering) as link:
        for name, value in NEEDED.items():
            assert ask.text(link, f"SELECT @@SESSION.{name}") == READ_BACK.get(name, str(value)), name
        limits = ask.names_to_values(link, "SHOW SESSION VARIABLES WHERE variable_name LIKE '%time%'")
        assert {float(limits.get(name, "0")) for name in OF_SOME} == {0.0}
        assert ask.text(link, "SELECT @@SESSION.character_set_client") == "utf8mb4"
        assert look.read(link).variables["version"]


def test_the_control_a_session_of_the_server_cannot_even_read_the_variables(hindering):
    with pymysql.connect(
        unix_socket=hindering.socket, user=hindering.user, password=hindering.password, ssl_disabled=True
    ) as link:
        with pytest.raises(pymysql.Error) as refused:
            link.cursor().execute("SHOW GLOBAL VARIABLES")
        assert refused.value.args[0] == 1104
