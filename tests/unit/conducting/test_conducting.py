"""How an experiment ends when something goes wrong on the way, without a server."""

import errno

import pytest
from django.db import OperationalError

from dashboard.records.experiments import lifecycle
from dashboard.records.experiments.models import Experiment, Trial
from dashboard.records.holds.models import HostLease
from tests.unit.bench.plans import plan
from tests.unit.conducting import experiments as make
from tests.unit.conducting.experiments import Stage
from workers.bench.plan import PlanTarget
from workers.conducting.cells import LEFT_OUT
from workers.conducting.conduct import conduct
from workers.errors import Cancelled
from workers.host.memory import MemoryUse
from workers.upkeep import housekeeping, memory_watch
from workers.upkeep.heartbeat import heartbeat

pytestmark = pytest.mark.django_db


@pytest.fixture
def conducted():
    """Conduct an experiment on three servers, of which one's stage breaks; returns the experiment."""
    heartbeat.stopping.clear()

    def run(breaks=None, on_stage=lambda stored: None, **ports):
        servers = [make.attached(name, host=f"192.0.2.{n}") for n, name in enumerate(("a", "b", "c"), 1)]
        stored = make.planned(plan(targets=tuple(PlanTarget(one.pk, one.name, False) for one in servers)))

        def stage(job, key):
            on_stage(stored)
            name = job.title(key)
            return Stage(name, breaks if name == "b" else None)

        Stage.closed.clear()
        return conduct(stored.pk, make.worker(), make.ports(stage=stage, **ports))

    yield run
    heartbeat.stopping.clear()


def test_every_stage_is_closed_though_one_breaks_in_an_unforeseen_way(conducted):
    ended = conducted(breaks=ZeroDivisionError("the disk is on fire"))
    assert sorted(Stage.closed) == ["a", "b", "c"]
    assert ended.state == "failed"
    assert "b could not be restored: ZeroDivisionError: the disk is on fire" in ended.error
    assert not HostLease.objects.exists()


def test_a_lost_database_is_the_reason_of_the_experiment(conducted):
    def away(_):
        raise OperationalError("terminating connection due to administrator command\n")

    ended = conducted(on_stage=away)
    assert "own database did not answer: terminating connection due to administrator command." in ended.error
    assert "Unexpected" not in ended.error


def test_a_server_that_cannot_be_restored_is_reported_with_what_the_host_lacks(conducted):
    ended = conducted(breaks=OSError(errno.EMFILE, "Too many open files"))
    assert sorted(Stage.closed) == ["a", "b", "c"]
    assert ended.error == "b could not be restored. The worker has no file descriptor left."
    assert "a worker tries again" in ended.fix and "LimitNOFILE" in ended.fix


def test_an_experiment_names_what_the_host_lacks(conducted):
    def used_up(_):
        raise OSError(errno.EMFILE, "Too many open files")

    ended = conducted(on_stage=used_up)
    assert (ended.state, ended.error) == ("failed", "The worker has no file descriptor left.")
    assert "LimitNOFILE" in ended.fix


def test_a_cancelled_experiment_stops_between_set_ups(conducted):
    ended = conducted(on_stage=lambda stored: Experiment.objects.filter(pk=stored.pk).update(cancel_asked=True))
    assert len(Stage.closed) == 1
    assert ended.state == "cancelled"


def test_a_worker_that_stops_during_set_up_interrupts_its_experiment(conducted):
    ended = conducted(on_stage=lambda stored: heartbeat.stopping.set())
    assert len(Stage.closed) == 1
    assert (ended.state, ended.error) == ("interrupted", "The worker was stopped during the experiment.")


def test_a_worker_near_the_limit_of_its_memory_interrupts_its_experiment(conducted):
    near = MemoryUse(95 << 30, 100 << 30)
    ended = conducted(on_stage=lambda stored: memory_watch.look(lambda: near))
    assert len(Stage.closed) == 1 and ended.state == "interrupted"
    assert "used 95.0 GiB of memory; the limit of its unit or container is 100.0 GiB" in ended.error
    assert "then resume" in ended.fix


def test_a_locked_database_does_not_leave_it_running(conducted):
    refusals, slept = [OperationalError("database is locked")] * 2, []

    def locked(*args):
        if refusals:
            raise refusals.pop()
        return lifecycle.finish(*args)

    assert conducted(finish=locked, sleep=slept.append).state == "done"
    assert slept == [1, 5]


@pytest.mark.parametrize("name", ["report_password", "wsrep_sst_auth", "file_key_management_filekey", "gtid_executed"])
def test_secrets_and_counters_are_left_out_of_environments(name):
    assert LEFT_OUT.search(name)


@pytest.mark.parametrize("name", ["validate_password_policy", "default_password_lifetime", "old_passwords", "log_bin"])
def test_a_variable_that_is_no_secret_is_kept(name):
    assert not LEFT_OUT.search(name)


def test_one_process_conducts_an_experiment_once_at_a_time(conducted):
    """Notified again while it runs: it may have been taken from this worker, be queued again, and be notified here."""
    again = []

    def ring_twice(stored):
        Experiment.objects.filter(pk=stored.pk).update(state="queued", claim=None)
        HostLease.objects.all().delete()
        again.append(conduct(stored.pk, make.worker(), make.ports()))

    conducted(on_stage=ring_twice)
    assert again == [None] and Experiment.objects.get().state == "queued"


def test_what_could_not_be_stored_as_ended_does_not_stay_running(conducted, monkeypatch):
    """The database was away for minutes: this worker lives, and nobody would take the experiment from it."""

    def away(*_):
        raise OperationalError("the database is gone")

    ended = conducted(finish=away)
    assert ended.state == "running"
    monkeypatch.setattr(housekeeping.heartbeat, "worker", ended.worker)
    housekeeping.interrupt_own_forgotten()
    ended.refresh_from_db()
    assert (ended.state, ended.error) == ("interrupted", "The database did not store the end of this experiment.")
    assert not HostLease.objects.exists()


def test_what_runs_here_is_not_taken_from_us(conducted, monkeypatch):
    def tending(stored):
        monkeypatch.setattr(housekeeping.heartbeat, "worker", Experiment.objects.get(pk=stored.pk).worker)
        housekeeping.interrupt_own_forgotten()
        assert Experiment.objects.get(pk=stored.pk).state == "running"

    assert conducted(on_stage=tending).state == "done"


def test_a_server_that_is_not_put_back_is_told_rather_than_a_cancelled_run(conducted):
    def cancelled(*_):
        raise Cancelled("Cancelled.")

    ended = conducted(breaks=ZeroDivisionError("the disk is on fire"), measure=cancelled)
    assert ended.state == "failed" and "b could not be restored" in ended.error
    assert sorted(Stage.closed) == ["a", "b", "c"]


@pytest.mark.parametrize(("breaks", "state"), [(OSError(errno.EMFILE, "Too many files"), "waiting"), (None, "failed")])
def test_nothing_is_crashed_before_every_server_is_put_back(conducted, breaks, state):
    """The trial that is begun fails: its server is not expendable."""

    def with_a_trial(stored):
        how = {"variant": "1/1", "kind": "attached-expendable", "repeat": 1, "seed": 1}
        Trial.objects.get_or_create(experiment=stored, server=stored.cells.first().server, position=0, **how)

    assert conducted(breaks=breaks, on_stage=with_a_trial).trials.get().state == state
