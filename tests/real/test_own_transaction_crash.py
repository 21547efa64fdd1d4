"""A person's own transaction, crashed: what is lost is seen, and so is a transaction of which only a part is left."""

from collections.abc import Iterator

import pytest

from tests.own_transactions import EXAMPLE
from tests.real import trials
from tests.real.disks import needs_disk
from tests.real.trials import bad, crash, crash_unflushed, forgetful
from workers.crash.chain import Begun
from workers.crash.run import crash_steps, run_trial
from workers.errors import SandboxError
from workers.sandbox import builds
from workers.servers import ask
from workers.servers.connection import connect
from workers.transaction.read import read

BUILDS = ("system-mariadb", "mysql-8.0.33")  # what is not installed is skipped
OWN = read(EXAMPLE)
MAY_TEAR = "binlog-unreadable"


@pytest.fixture(params=BUILDS)
def build(request):
    try:
        return builds.find(request.param)
    except SandboxError as absent:
        pytest.skip(str(absent))


@needs_disk
def test_a_power_loss_loses_nothing_at_1_1(sandbox_root, build):
    """The negative control."""
    result = crash(sandbox_root, "power-loss", 1, 1, own=OWN, build=build)
    assert set(bad(result)) <= {MAY_TEAR}
    assert len(result.evidence.engine.whole) >= result.acknowledged > 0


@needs_disk
def test_a_power_loss_loses_commits_at_0_0(sandbox_root, build):
    """The positive control."""
    result = crash_unflushed(sandbox_root, forgetful(0), "power-loss", own=OWN, build=build)
    assert "lost-engine" in bad(result) and "torn" not in bad(result)
    assert result.verdict == "invalid"


@needs_disk
def test_a_lying_disk_is_found_out(sandbox_root):
    result = crash(sandbox_root, "lying-disk", 1, 1, own=OWN)
    assert result.verdict == "invalid"


def test_a_graceful_restart_loses_nothing_at_0_0(sandbox_root):
    result = crash(sandbox_root, "graceful-restart", 0, 0, own=OWN)
    assert bad(result) == {} and result.verdict == "valid"


def test_a_kill_loses_whole_transactions_of_the_engine(sandbox_root):
    result = crash_unflushed(sandbox_root, forgetful(), load_s=1.0, own=OWN)
    assert {"lost-engine", "binlog-only"} <= set(bad(result)) <= {"lost-engine", "binlog-only", MAY_TEAR}


def test_a_large_statement_is_committed_and_compared(sandbox_root):
    """300,000 bytes: no socket's buffer holds it. The server is not strict, and stores NULL for an empty text."""
    text = EXAMPLE.replace("length = 40", "length = 1000").replace("VARCHAR(40)", "MEDIUMTEXT")
    large = text.replace("'new', :note", f"'', CONCAT({','.join([':note'] * 300)})")
    own = read(large.replace("state VARCHAR(10) NOT NULL", "state VARCHAR(10)"))
    settings = trials.settings(1, 1) | {"sql_mode": "EMPTY_STRING_IS_NULL"}
    result = crash(sandbox_root, "graceful-restart", own=own, settings=settings)
    assert bad(result) == {} and result.verdict == "valid" and result.acknowledged > 0


# Each is done to a transaction of its own: {0} to {3} are orders that were paid.
TAMPERED = {
    "the row of the second statement is gone": "DELETE FROM items WHERE order_id = {0}",
    "the third statement was not done": "UPDATE orders SET state = 'new' WHERE id = {1}",
    "a content was changed": "UPDATE items SET amount = amount + 1 WHERE order_id = {2}",
    "a row is there twice": (
        "INSERT INTO items (order_id, product, amount) SELECT order_id, product, amount FROM items WHERE order_id = {3}"
    ),
    "the rows of the ledger are gone": "DELETE FROM one WHERE n = 1 ORDER BY client DESC LIMIT 1",
    "a row is there that nobody sent": (
        "INSERT INTO items (order_id, product, amount) VALUES (1 << 40 | 5 << 40 | 999999999, 'plum', 1)"
    ),
}
PAID = "SELECT id FROM orders WHERE state = 'paid' ORDER BY id LIMIT 4"


def tampered(sandbox_root, *statements: str) -> tuple[str, dict[str, int]]:
    """A graceful restart, then the changes, then the checks: the verdict, and what each invalid check counts."""

    def steps(begun: Begun) -> Iterator[Begun]:
        for state in crash_steps(begun):
            if type(state).__name__ == "Recovered":
                with connect(state.server.target) as link:
                    link.select_db(state.schema)
                    ask.rows(link, "SET SESSION sql_log_bin = 0")
                    paid = [order for (order,) in ask.rows(link, PAID)]
                    for sql in statements:
                        ask.rows(link, sql.format(*paid))
            yield state

    asked = trials.setup(sandbox_root, "graceful-restart", 1, 1, own=OWN, load_s=0.3, clients=4)
    result = run_trial(asked, lambda step: None, lambda: False, steps=steps)
    assert not result.failed_at, result.error
    return result.verdict, {check.key: check.count for check in result.checks if check.outcome == "invalid"}


def test_half_transactions_are_called_and_each_is_counted(sandbox_root):
    verdict, found = tampered(sandbox_root, *TAMPERED.values())
    called = {"torn": 4, "lost-engine": 3, "altered": 2, "never-sent": 1}
    assert (verdict, {check: found.get(check) for check in called}) == ("invalid", called), found


def test_a_row_from_before_the_load_is_not_judged(sandbox_root):
    assert tampered(sandbox_root, "UPDATE customers SET name = 'x' LIMIT 1") == ("valid", {})
