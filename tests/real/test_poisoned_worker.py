"""A live worker tests connections that once hung it for ever, while its experiment goes on."""

from contextlib import closing

import pytest

from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet.models import Worker
from dashboard.records.servers.actions import ask_preflight
from dashboard.records.servers.models import Preflight, Server
from tests.real.hostile.liar import Liar
from tests.real.hostile.scenarios import DISKS, disks, field
from tests.real.hostile.wire import DECIMAL
from tests.real.lab import one_cell, started
from tests.real.parts import until
from tests.real.registered import attached
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.target import Target

WILDCARDS = "%" * 30 + "x"
DIGITS = {
    **disks(DECIMAL, b"1E99999999"),
    "Threads_connected": field(DECIMAL, b"9" * (12 << 20)),
}


@pytest.fixture
def poisoned_account(sandbox):
    """Of a real MariaDB: it may read schemas whose names match thirty wildcards."""
    user, password = "durascope_wild", "a long password"
    with connect(sandbox.target) as link:
        ask.rows(link, f"CREATE USER {user}@'%%' IDENTIFIED BY %s", [password])
        ask.rows(link, f"GRANT SELECT ON `{WILDCARDS}`.* TO {user}@'%'")
        ask.rows(link, f"CREATE USER {user}@localhost IDENTIFIED BY %s", [password])
        ask.rows(link, f"GRANT SELECT ON `{WILDCARDS}`.* TO {user}@localhost")
        yield Target("x", "attached", user, password, host="127.0.0.1", port=sandbox.target.port)
        ask.rows(link, f"DROP USER {user}@'%', {user}@localhost")


def test_an_experiment_goes_on_beside_poisoned_connection_tests(
    transactional_db, crew, sandbox, sandbox_root, settings, poisoned_account
):
    settings.SANDBOX_ROOT = str(sandbox_root)
    crew.of(1)
    experiment = started(one_cell(Server.objects.create(name="Box", kind="sandbox", build="system-mariadb"), 10))
    until(lambda: "measuring" in Experiment.objects.get(pk=experiment.pk).activity)
    with closing(Liar(sandbox.target, DIGITS)) as liar:
        wild = attached(sandbox, "wild", poisoned_account)
        digits = attached(sandbox, "digits", liar.target)
        for server in (wild, digits):
            ask_preflight(None, server)
        until(lambda: Preflight.objects.filter(state="done").count() == 2)
    until(lambda: Experiment.objects.get(pk=experiment.pk).state not in ("queued", "running"))
    ended = Experiment.objects.get(pk=experiment.pk)
    assert (ended.state, ended.error) == ("done", "")
    assert [one.stuck for one in Worker.objects.all()] == [[]]
    assert {one.claimed for one in Preflight.objects.all()} == {1}
    assert outcome(wild, "privileges") == "failed", "thirty wildcards do not cover our schemas"
    assert outcome(wild, "version") == "passed"
    assert outcome(digits, "version") == "warned", "a proxy, by its greeting"
    assert outcome(digits, "connections") == "unknown"
    assert DISKS in DIGITS


def outcome(server: Server, key: str) -> str:
    return next(one.outcome for one in server.preflights.get().checked if one.key == key)
