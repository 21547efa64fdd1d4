"""A worker that was taken for dead and comes back: whatever it still writes or changes on a server is refused, also
when the same worker has claimed the experiment again."""

import threading
from datetime import timedelta
from functools import partial

import pytest
from django.db import connections
from django.utils import timezone

from dashboard.records.experiments import claiming, leases, lifecycle, storing_runs
from dashboard.records.experiments.actions import queue_unfinished
from dashboard.records.experiments.models import Experiment, Run
from dashboard.records.holds.models import HostLease, PendingRestore
from tests.unit.conducting import experiments as make
from workers.crash.attached import AttachedServer
from workers.crash.setup_and_result import Attached
from workers.errors import ServerError, Taken
from workers.servers import schema, undo
from workers.servers.target import Target
from workers.upkeep import housekeeping, restores

pytestmark = pytest.mark.django_db
TARGET = Target("t", "attached", "", "")


@pytest.fixture(params=["another worker", "the same worker"])
def returned(request):
    """(the experiment as the returned worker knows it, its cell, as the new holder knows it, the new one's cell)"""
    lost = make.worker()
    new = lost if request.param == "the same worker" else make.worker()
    stored = make.experiment(make.attached())
    before = lifecycle.begin(stored.pk, lost, ["db"])
    cell = claiming.claim(before.cells, before)
    lost.beat_at = timezone.now() - timedelta(minutes=1)
    lost.save()
    housekeeping.interrupt_those_of_dead_workers()
    queue_unfinished(stored)
    lost.beat_at = timezone.now()
    lost.save()
    after = lifecycle.begin(stored.pk, new, ["db"])
    return before, cell, after, claiming.claim(after.cells, after)


def test_a_returned_worker_gives_no_lease_of_the_new_holder_back(returned):
    before, _, after, _ = returned
    assert not lifecycle.finish(before, "cancelled")
    assert HostLease.objects.filter(experiment=after).exists()
    after.refresh_from_db()
    assert after.state == "running"
    assert after.cells.filter(state="waiting").exists()


def test_a_returned_worker_claims_no_cell_of_the_new_holder(returned):
    before, _, after, _ = returned
    assert claiming.claim(before.cells, before) is None
    assert claiming.claim(after.cells, after) is not None


def test_a_returned_worker_ends_no_cell_of_the_new_holder(returned):
    _, old, _, new = returned
    assert old.pk == new.pk
    claiming.end(old, "cancelled")
    new.refresh_from_db()
    assert new.state == "running"


def test_a_returned_worker_stores_no_run_under_the_new_holders_claim(returned):
    _, old, _, new = returned
    assert storing_runs.save_run(old, make.measurement(1), make.environment(), None) is None
    assert storing_runs.save_run(new, make.measurement(2), make.environment(), None) is not None
    assert Run.objects.get().transactions == 2


def test_a_returned_worker_is_told_to_stop(returned):
    before, _, after, _ = returned
    assert lifecycle.is_cancelled(before)
    assert not lifecycle.is_cancelled(after)


@pytest.mark.django_db(transaction=True)
def test_a_thread_that_asks_whether_it_was_cancelled_leaves_no_connection(monkeypatch):
    """The thread that asks meanwhile ends with the trial. The thread of the task keeps its connection."""
    experiment, closed = Experiment(pk=1), []
    wrapper = type(connections["default"])
    close = wrapper.close

    def told(one):
        closed.append(threading.current_thread().name)
        close(one)

    connections["default"].ensure_connection()  # an earlier test may have closed it
    monkeypatch.setattr(wrapper, "close", told)
    lifecycle.is_cancelled(experiment)
    asks = threading.Thread(target=lifecycle.is_cancelled, args=(experiment,), name="asks")
    asks.start()
    asks.join()
    assert closed == ["asks"]


def test_no_cell_stays_running_when_its_experiment_ends():
    stored = make.experiment(make.attached())
    held = lifecycle.begin(stored.pk, make.worker(), ["db"])
    claiming.claim(held.cells, held)
    assert lifecycle.finish(held, "failed", "Something unexpected.")
    assert sorted(stored.cells.values_list("state", flat=True)) == ["interrupted", "waiting"]
    assert not HostLease.objects.exists()


def test_a_returned_worker_writes_nothing_to_the_live_page(returned):
    before, _, after, _ = returned
    lifecycle.say(after, "measuring")
    lifecycle.say(before, "restoring db1")
    after.refresh_from_db()
    assert after.activity == "measuring"


def test_a_returned_worker_stores_no_probe(returned):
    before, _, after, _ = returned
    server_id = after.cells.first().server_id
    with pytest.raises(Taken):
        storing_runs.save_probe(before, server_id, {})
    assert storing_runs.save_probe(after, server_id, {}).data == {}


def test_a_returned_worker_adds_no_pending_restore_and_so_changes_nothing(returned):
    before, _, after, _ = returned
    server = after.cells.first().server
    with pytest.raises(Taken):
        restores.note(server, before, "variable", "sync_binlog", "1")
    assert not PendingRestore.objects.exists()
    restores.note(server, after, "variable", "sync_binlog", "1")
    assert PendingRestore.objects.get().experiment == after


def test_a_returned_worker_removes_no_pending_restore_of_the_new_holder(returned):
    before, _, after, _ = returned
    server = after.cells.first().server
    restores.note(server, after, "variable", "sync_binlog", "1")
    with pytest.raises(Taken):
        restores.done(server, partial(claiming.require_claim, before), "variable", "sync_binlog")
    assert PendingRestore.objects.get().restored_at is None
    restores.done(server, partial(claiming.require_claim, after), "variable", "sync_binlog")
    assert PendingRestore.objects.get().restored_at is not None


class Asked:
    """A connection that keeps the statements; every variable is "0"."""

    unix_socket, host, port = "", "db", 3306

    def __init__(self):
        self.statements = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def take(self, sql):
        self.statements.append(sql)
        return []


@pytest.fixture
def asked(monkeypatch):
    connection = Asked()
    monkeypatch.setattr(undo, "connect", lambda target, **_: connection)
    monkeypatch.setattr("workers.servers.ask.names_to_values", lambda connection, sql, args: {args[0]: "0"})
    monkeypatch.setattr("workers.servers.ask.rows", lambda connection, sql, *_: connection.take(sql))
    return connection


def test_a_returned_worker_restores_nothing_on_a_server_that_is_measured_again(returned, asked):
    before, _, after, _ = returned
    server = after.cells.first().server
    restores.note(server, after, "variable", "sync_binlog", "1")
    with pytest.raises(Taken):
        restores.restore(server, partial(claiming.require_claim, before))
    assert asked.statements == [] and PendingRestore.objects.get().restored_at is None
    with pytest.raises(ServerError, match="sync_binlog was not restored"):  # this server reports 0 whatever it is told
        restores.restore(server, partial(claiming.require_claim, after))
    assert asked.statements == ["SET GLOBAL sync_binlog = %s"]


def test_a_schema_of_its_own_is_not_dropped_by_it(returned, asked):
    before, _, after, _ = returned
    server = after.cells.first().server
    restores.note(server, after, "schema", "durascope_1", "")
    with pytest.raises(Taken):
        restores.restore(server, partial(claiming.require_claim, before))
    assert asked.statements == []
    restores.restore(server, partial(claiming.require_claim, after))
    assert asked.statements == [schema.USERS, "DROP DATABASE IF EXISTS `durascope_1`"]


def test_who_was_putting_things_back_and_was_stopped_for_minutes_puts_nothing_back_any_more(asked):
    server = make.attached()
    unrestored = make.experiment(server)
    Experiment.objects.filter(pk=unrestored.pk).update(state="failed")
    make.pending_restore(server, unrestored, "variable", "sync_binlog", "1")
    with leases.to_restore(server, unrestored) as require_claim:
        HostLease.objects.update(taken_at=timezone.now() - 2 * leases.RESTORE_LIMIT)
        leases.delete_stale()
        assert lifecycle.begin(make.experiment(server).pk, make.worker(), leases.hosts_of(server))
        with pytest.raises(Taken):
            restores.restore(server, require_claim)
    assert asked.statements == [] and PendingRestore.objects.get().restored_at is None


def test_a_returned_worker_starts_no_server(tmp_path):
    def taken():
        raise Taken("it is another's")

    started = tmp_path / "started"
    down = AttachedServer(Attached(TARGET, "", (), ("touch", str(started)), lambda: None, taken))
    with pytest.raises(Taken):
        down.bring_up()
    assert not started.exists()


def test_a_worker_that_others_take_for_dead_takes_no_experiment():
    waiting = make.experiment(make.attached())
    silent = make.worker(beat_at=timezone.now() - timedelta(minutes=1))
    assert lifecycle.begin(waiting.pk, silent, ["db"]) is None
    assert lifecycle.begin(waiting.pk, make.worker(), ["db"]) is not None
