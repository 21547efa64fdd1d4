"""Every refusal of server, network or TLS becomes an error of ours that says what to do."""

import socket
import ssl

import pymysql
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.errors import AccessDenied, MissingPrivilege, ServerError, Unreachable
from workers.servers.driver_errors import BY_NUMBER, explain, named, read

WHERE = "db.example:3306"


def wrapped(cause):
    """As PyMySQL wraps what went wrong on the way."""
    error = pymysql.OperationalError(2003, "Can't connect")
    error.original_exception = cause
    return error


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (ConnectionRefusedError(111, "Connection refused"), "Nothing listens"),
        (TimeoutError("timed out"), "did not answer in time"),
        (socket.gaierror(-2, "Name or service not known"), "is not known"),
        (FileNotFoundError(2, "No such file"), "no socket file"),
        (PermissionError(13, "Permission denied"), "may not open"),
        (ssl.SSLCertVerificationError("wrong"), "certificate"),
        (ssl.SSLError("handshake"), "No encrypted connection"),
        (ConnectionResetError(104, "reset"), "was lost"),
        (OSError(113, "No route to host"), "No route to host"),
    ],
)
def test_an_unreachable_server_is_reported_with_the_cause(cause, words):
    error = explain(wrapped(cause), WHERE)
    assert isinstance(error, Unreachable)
    assert words in error.message and WHERE in error.message and error.fix


@pytest.mark.parametrize("cause", [ConnectionRefusedError(111, "Connection refused"), FileNotFoundError(2, "No file")])
def test_nobody_is_asked_to_start_a_sandbox(cause):
    error = explain(wrapped(cause), "/box/sock", sandbox="box")
    assert isinstance(error, Unreachable) and "sandbox box does not answer at /box/sock" in error.message
    assert "bind_address" not in str(error) and "Start the server" not in str(error)


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (1040, Unreachable),
        (1129, Unreachable),
        (2006, Unreachable),
        (2013, Unreachable),
        (2026, Unreachable),
        (1045, AccessDenied),
        (1130, AccessDenied),
        (1227, MissingPrivilege),
        (1044, MissingPrivilege),
        (1142, MissingPrivilege),
        (1290, ServerError),
    ],
)
def test_the_servers_error_numbers_become_errors_of_their_kind(number, kind):
    error = explain(pymysql.OperationalError(number, "as the server says"), WHERE)
    assert type(error) is kind
    assert WHERE in error.message and error.fix


@pytest.mark.parametrize(
    ("number", "kind", "word"),
    [
        (1203, Unreachable, "max_user_connections"),
        (1226, Unreachable, "WITH MAX_USER_CONNECTIONS"),
        (1129, Unreachable, "performance_schema.host_cache"),  # MySQL 8.4 has no FLUSH HOSTS
        (1184, Unreachable, "init_connect"),
        (3032, Unreachable, "offline_mode = OFF"),
        (4031, Unreachable, "was lost"),
        (1969, ServerError, "max_statement_time"),
        (3024, ServerError, "max_execution_time"),
        (1251, AccessDenied, "old_passwords=0"),
        (1275, AccessDenied, "old_passwords=0"),
        (1524, AccessDenied, "mysql_native_password=ON"),
        (2059, AccessDenied, "mysql_native_password=ON"),
        (3159, AccessDenied, "TLS mode 'required'"),
    ],
)
def test_an_error_that_somebody_can_end_says_how(number, kind, word):
    error = explain(pymysql.OperationalError(number, "as the server says"), WHERE)
    assert type(error) is kind and word in str(error)


def test_the_narrowest_privilege_that_the_server_names_is_granted():
    said = "Access denied; you need (at least one of) the SUPER, BINLOG ADMIN privilege(s) for this operation"
    error = explain(pymysql.OperationalError(1227, said), WHERE, lambda: "'du'@'10.%'")
    assert error.fix == "GRANT BINLOG ADMIN ON *.* TO 'du'@'10.%';"


def test_mysql_names_no_privilege_for_the_list_of_prepared_transactions():
    error = explain(pymysql.OperationalError(1401, "XAER_RMERR"), WHERE, lambda: "'du'@'10.%'")
    assert (type(error), error.fix) == (MissingPrivilege, "GRANT XA_RECOVER_ADMIN ON *.* TO 'du'@'10.%';")


def test_super_is_granted_where_nothing_narrower_is_named():
    said = "Access denied; you need (at least one of) the SUPER privilege(s) for this operation"
    assert explain(pymysql.OperationalError(1227, said), WHERE).fix.startswith("GRANT SUPER ON *.*")


def test_the_spelling_of_mysql_is_read_too():
    said = (
        "Access denied; you need (at least one of) the SUPER or SYSTEM_VARIABLES_ADMIN privilege(s) for this operation"
    )
    assert "GRANT SYSTEM_VARIABLES_ADMIN ON" in explain(pymysql.OperationalError(1227, said), WHERE).fix


def test_a_refused_performance_schema_is_granted():
    said = "SELECT command denied to user 't'@'localhost' for table 'file_summary_by_event_name'"
    fix = explain(pymysql.OperationalError(1142, said), WHERE).fix
    assert fix.startswith("GRANT SELECT ON performance_schema.*")


@pytest.mark.parametrize(("number", "table"), [(1142, "orders"), (1044, "setup_actors")])
def test_the_schemas_of_durascope_are_granted_when_anything_else_was_refused(number, table):
    said = f"SELECT command denied to user 't'@'localhost' for table '{table}'"
    assert explain(pymysql.OperationalError(number, said), WHERE).fix.startswith(
        r"GRANT ALL PRIVILEGES ON `durascope\_%`"
    )


@pytest.mark.parametrize(
    ("args", "said"),
    [((), "error 0: ."), (("It is gone.",), "error 0: It is gone."), ((1064,), "error 1064: ."),
     ((1064, "syntax.", "more"), "error 1064: syntax.")],
)  # fmt: skip
def test_an_error_with_any_number_of_arguments_is_told(args, said):
    assert explain(pymysql.MySQLError(*args), WHERE).message == f"{WHERE} answered with {said}"


def test_one_text_can_belong_to_several_error_numbers(tmp_path):
    file = tmp_path / "errors.toml"
    file.write_text('[[errors]]\nnumbers = [7, 8]\nkind = "Unreachable"\nsays = "{where} is gone."\nfix = ""\n')
    found = read(file)
    assert {number: one.filled(where=WHERE).message for number, one in found.items()} == dict.fromkeys(
        (7, 8), f"{WHERE} is gone."
    )


def test_errors_without_a_number_are_read_by_name(tmp_path):
    file = tmp_path / "errors.toml"
    file.write_text('[named.gone]\nkind = "Unreachable"\nsays = "{where} is gone."\nfix = "Start it."\n')
    error = named(file)["gone"].filled(where=WHERE)
    assert (type(error), error.message, error.fix) == (Unreachable, f"{WHERE} is gone.", "Start it.")


def test_an_unknown_error_number_is_passed_on():
    error = explain(pymysql.ProgrammingError(1064, "syntax"), WHERE)
    assert type(error) is ServerError and "1064" in error.message and "syntax" in error.message


@given(st.sampled_from([*BY_NUMBER, 0, 9999]), st.text())
def test_every_error_gets_a_message(number, words):
    assert explain(pymysql.OperationalError(number, words), WHERE).message


@given(st.lists(st.one_of(st.text(), st.integers(), st.none()), max_size=3))
def test_an_error_of_any_shape_gets_a_message(args):
    assert explain(pymysql.MySQLError(*args), WHERE).message
