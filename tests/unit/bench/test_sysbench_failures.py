from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.bench.load_requests import captured, request
from workers.bench import failures
from workers.bench.output import SysbenchOutput
from workers.errors import (
    AccessDenied,
    DurascopeError,
    LoadError,
    MissingPrivilege,
    PlanError,
    ServerError,
    Unreachable,
)

# captured output, status, what it becomes, words of the message, words of what to do
CASES = [
    ("refused_2002", 1, Unreachable, "Nothing listens at db.example:3307", "bind_address"),
    ("unknown_host_2005", 1, Unreachable, "host name of db.example:3307 is not known", "spelling"),
    ("denied_1045", 1, AccessDenied, "does not accept this account or password", "password"),
    ("schema_denied", 1, MissingPrivilege, "may not use that schema", "GRANT ALL PRIVILEGES ON"),
    ("privilege_1142", 1, MissingPrivilege, "UPDATE command denied", "TO 'ro'@'127.0.0.1'"),
    ("no_schema_1049", 1, LoadError, "Unknown database", "Start the experiment again"),
    ("no_table_1146", 1, LoadError, "durascope_rows' doesn't exist", "Start the experiment again"),
    ("too_many_1040", 1, LoadError, "does not allow 400 connections", "max_connections = 450"),
    ("too_many_1040", -11, LoadError, "does not allow 400 connections", "max_connections = 450"),
    ("gone_kill9_2013", 1, Unreachable, "connection to db.example:3307 was lost", "error log"),
    ("gone_shutdown", 1, Unreachable, "connection to db.example:3307 was lost", "error log"),
    ("segfault", -11, LoadError, "segmentation fault", "error log"),
    ("segfault", 139, LoadError, "segmentation fault", "error log"),
    ("good", -9, LoadError, "by signal 9", "memory"),
    ("good", -15, LoadError, "by signal 15", ""),
    ("table_full_1114", 1, ServerError, "disk of db.example:3307 is full", "Free some space"),
    ("disk_full", 1, ServerError, "disk of db.example:3307 is full", "Free some space"),
    ("read_only_1290", 1, ServerError, "--read-only option", "read_only"),
    ("bad_engine", 1, PlanError, "no storage engine innodb", "SHOW ENGINES"),
    ("bad_option", 1, PlanError, "invalid option: --nonsense=3", "parameters"),
    ("bad_threads", 1, PlanError, "Invalid value for the 'threads' option", "parameters"),
    ("bad_script", 1, LoadError, "Cannot find benchmark", ""),
    ("tls_unknown_authority_2026", 1, Unreachable, "could not agree on TLS", "authority"),
]


@pytest.mark.parametrize(("name", "status", "kind", "says", "fix"), CASES)
def test_a_failure_of_sysbench_is_explained_with_its_fix(name, status, kind, says, fix):
    error = failures.explain(captured(name), status, request())
    assert type(error) is kind
    assert says in error.message
    assert fix in error.fix and "s3cret" not in str(error)


@pytest.mark.parametrize(
    "words",
    [
        'error 1030: Got error 28 "No space left on device" from storage engine InnoDB',
        "error 1026: Error writing file (errno: 28)",
        "error 3: No space left on device",
    ],
)
def test_a_full_disk_is_known_by_its_system_error(words):
    text = f"FATAL: mysql_drv_query() returned {words.replace(': ', ' (', 1)}) for query 'INSERT'"
    text = text if "error 3 " not in text else "FATAL: error 1021: Disk full; No space left on device"
    assert "is full" in failures.explain(text, 1, request()).message


@pytest.mark.parametrize(
    ("number", "says", "fix"),
    [
        (1040, "does not allow 400 connections", "SET GLOBAL max_connections = 450;"),
        (1203, "of one account", "SET GLOBAL max_user_connections = 450;"),
        (1226, "own limit", "ALTER USER ... WITH MAX_USER_CONNECTIONS 450;"),
        (2059, "by a way that may not be used", "mysql_native_password"),
        (2061, "without TLS: as the library says", "TLS mode 'required'"),
        (5010, "by a way that may not be used", "confirm the key"),
    ],
)
def test_a_refused_login_says_what_to_change(number, says, fix):
    error = failures.explain(f"FATAL: error {number}: as the library says.\n", 1, request())
    assert says in error.message and fix in error.fix


@pytest.mark.parametrize("status", [-6, 134])
def test_a_sysbench_that_breaks_off_by_itself_has_the_last_word(status):
    """Nobody killed it; and its output is kept with no run, for there is none."""
    text = captured("good") + "free(): invalid pointer\n" + '{"report": "second", "t_s": 12}\n'
    error = failures.explain(text, status, request())
    assert error.message == "sysbench aborted with signal 6; its last line: free(): invalid pointer."
    assert "Resume" in error.fix


@pytest.mark.parametrize(("text", "said"), [("", ""), ("\n {}\n", ""), ("No more.\n", "; its last line: No more")])
def test_an_end_without_a_result_has_the_last_word_too(text, said):
    error = failures.explain(text, 3, request())
    assert error.message == f"sysbench ended with status 3 and without a result{said}."


def test_an_ordinary_error_is_not_a_full_disk():
    error = failures.explain("FATAL: error 1064: near '28'", 1, request())
    assert type(error) is ServerError and "1064" in error.message


def test_the_first_number_is_the_cause():
    text = captured("too_many_1040") + captured("gone_kill9_2013")
    assert "max_connections" in failures.explain(text, 1, request()).fix


@given(st.text(), st.integers(-64, 255))
def test_garbage_gives_an_error_and_never_fails(text, status):
    error = failures.explain(text, status, request())
    assert isinstance(error, DurascopeError) and error.message


@given(st.sampled_from(["error", "MySQL error:", "mysql_drv_query() returned error"]), st.integers(0, 9999), st.text())
def test_any_number_with_any_words_gives_an_error(form, number, words):
    error = failures.explain(f"FATAL: {form} {number:04d}: {words}\nFATAL: {form} {number:04d} ({words})", 1, request())
    assert isinstance(error, DurascopeError) and error.message


def total_of(name: str):
    output = SysbenchOutput()
    for line in captured(name).splitlines():
        output.take(line)
    return output.total


def test_a_good_run_is_not_bogus():
    assert failures.bogus(total_of("good")) is None
    assert failures.bogus(total_of("good_complex")) is None


def test_a_run_that_changed_nothing_is_bogus():
    assert "had 0" in failures.bogus(total_of("zero_rows")).message


def test_a_run_of_deadlocks_is_bogus():
    error = failures.bogus(total_of("deadlocks"))
    assert "conflicts, not commits" in error.message and "table rows" in error.fix


def test_a_run_without_transactions_is_bogus():
    assert "No transaction" in failures.bogus(replace(total_of("good"), transactions=0)).message
