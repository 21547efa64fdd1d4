"""Each guardrail stops a run on real servers and everything is restored; a calm server is not stopped.

The servers are reached with the account that the product prints. tests/bench/guardrails.py times the restoring.
"""

import pytest

from dashboard.records.audit.models import Event
from dashboard.records.experiments.models import Experiment
from dashboard.records.holds.models import PendingRestore
from tests.real.disks import needs_disk
from tests.real.guarded import TROUBLES, GuardedPair, Run, pair_of, planned, registered, seen
from tests.real.slow import WAITS
from workers.crash.replica_link import Link
from workers.sandbox import builds
from workers.servers import ask
from workers.servers.connection import connect

pytestmark = needs_disk
CHANGED = "SELECT @@GLOBAL.innodb_flush_log_at_trx_commit, @@GLOBAL.sync_binlog"
BUILDS = MARIADB, MYSQL = ("system-mariadb", "mysql-8.0.33")
P99 = "p99, slower than a busy machine"
TRIPS = [
    *((MARIADB, trouble) for trouble in ("lag", "applier", "threads", "disk", P99)),
    *((MYSQL, trouble) for trouble in ("lag", P99)),
]


@pytest.fixture(scope="module", params=BUILDS)
def pair(request, sandbox_root):
    try:
        build = builds.find(request.param)
    except builds.SandboxError as absent:
        pytest.skip(str(absent))
    with pair_of(sandbox_root, build, WAITS if build.flavour == "mariadb" else {}) as made:
        yield made


@pytest.fixture
def server(pair: GuardedPair, worker):
    """The primary; the replica is registered, and has everything."""
    followed = Link(pair.primary, pair.replica).follow(60)
    assert followed.state == "caught up", followed.error
    return registered(pair)


def assert_stopped(experiment: Experiment, before, sandbox, says: str) -> None:
    """It ended as a stopped experiment does, said why, and left the server as it was."""
    assert (experiment.state, says in experiment.error) == ("interrupted", True), experiment.error
    assert "Settings were restored" in experiment.fix
    assert state_of(sandbox) == before
    restored = PendingRestore.objects.filter(experiment=experiment)
    assert {one.kind for one in restored} == {"variable", "schema"} and all(one.restored_at for one in restored)
    assert seen(experiment).trip and Event.objects.filter(did="stopped by a guardrail").exists()
    assert list(experiment.cells.values_list("state", flat=True)) == ["interrupted"]


def state_of(sandbox):
    with connect(sandbox.target) as link:
        return ask.rows(link, CHANGED), ask.rows(link, r"SHOW DATABASES LIKE 'durascope\_%%'")


def test_a_calm_server_is_measured_to_the_end_and_each_figure_is_kept(server, worker):
    experiment = Run(planned(server, seconds=4, max_lag_s=30, max_p99_ms=30_000), worker).ended()
    assert (experiment.state, experiment.error) == ("done", "")
    record = seen(experiment)
    assert record.trip is None
    assert not record.unwatched, "the account that the page prints may list the replicas"
    assert set(record.sampled) == {"at_s", *(one.key for one in record.limits)}
    assert len(record.limits) == 4 and len(record.sampled["at_s"]) >= 5
    assert all(value is not None for column in record.sampled.values() for value in column[2:])
    assert max(record.sampled["replica_1_lag_s"][2:]) < 30


@pytest.mark.parametrize(("pair", "trouble"), TRIPS, indirect=["pair"])
def test_a_passed_limit_stops_the_run(pair, server, worker, trouble):
    """The lag is that of an applier that runs and waits: the heartbeat sees it."""
    before, made = state_of(pair.primary), TROUBLES[trouble]
    run = Run(planned(server, **made.limits), worker)
    run.until_it_measures()
    with made.begin(pair):
        experiment = run.ended()
    assert_stopped(experiment, before, pair.primary, made.says)


@pytest.mark.parametrize("pair", [MARIADB], indirect=True)
def test_a_limit_that_is_passed_already_refuses_the_start_with_the_value(pair, server, worker):
    before = state_of(pair.primary)
    experiment = Run(planned(server, min_free_gb=900_000), worker).ended()
    assert experiment.state == "failed"
    assert "The load was not started: free disk space of " in experiment.error
    assert "the limit is 900,000 GiB" in experiment.error
    assert state_of(pair.primary) == before
    assert list(experiment.cells.values_list("state", flat=True)) == ["waiting"]


@pytest.mark.parametrize("pair", [MARIADB], indirect=True)
def test_a_server_that_cannot_be_read_stops_the_run(pair, server, worker):
    """The replica ends in the middle."""
    before = state_of(pair.primary)
    run = Run(planned(server, max_lag_s=60), worker)
    run.until_it_measures()
    pair.replica.stop()
    try:
        assert_stopped(run.ended(), before, pair.primary, "replica lag of db2 is not known: ")
    finally:
        pair.replica.restart({})
