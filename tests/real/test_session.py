"""Our sessions do not depend on what an owner's server gives to new sessions."""

import contextlib

import pymysql
import pytest

from tests.real.test_trial_builds import ready
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
    "sql_mode": "'ANSI_QUOTES,PIPES_AS_CONCAT'",
    "time_zone": "'+09:00'",
    "wait_timeout": "7",
    "lc_messages": "'de_DE'",
    "max_join_size": "5",  # switches sql_big_selects off
}
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
        yield server.target


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
