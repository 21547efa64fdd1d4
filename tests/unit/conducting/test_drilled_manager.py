"""Which failover manager a trial runs, and why it is not run."""

import sys

import pytest
from django.contrib.auth.models import User

from dashboard.records.accounts.role import Role
from dashboard.records.audit.models import Event
from dashboard.records.experiments.models import Experiment
from dashboard.records.servers.models import Server
from tests.unit.api.tokens import somebody
from tests.unit.bench.plans import plan
from tests.unit.conducting import experiments as make
from workers.bench.plan import CrashPlan, PlanTarget, Variant
from workers.conducting import drilled_manager
from workers.errors import PlanError
from workers.topology.topology import parse

pytestmark = pytest.mark.django_db
HERE, MANAGED = [sys.executable, "-v"], parse("async+policy=manager")


@pytest.fixture
def maria(db):
    return somebody(Role.OPERATOR, "Maria")


@pytest.fixture
def box(maria, settings):
    settings.CRASH_PROGRAMS, settings.FAILOVER_COMMAND = (sys.executable,), ()
    return Server.objects.create(
        name="box", kind="sandbox", build="system-mariadb", owner=maria, commands_by=maria, failover_command=HERE
    )


@pytest.fixture
def queued(box, maria):
    crash = CrashPlan(("primary-host-loss",), trials=1, control_trials=0)
    drill = (Variant("drill", {}, topology="async+policy=manager"),)
    stored = make.planned(plan(targets=(PlanTarget(box.pk, "box"),), variants=drill, crash=crash))
    Experiment.objects.filter(pk=stored.pk).update(queued_by=maria, by_command_line=False)
    stored.trials.create(server=box, position=0, variant="drill", kind="primary-host-loss", repeat=1, seed=1)
    return Experiment.objects.get(pk=stored.pk)


def refused(queued, box):
    box.refresh_from_db()
    with pytest.raises(PlanError) as why:
        drilled_manager.require(queued, box)
    return str(why.value)


def test_the_owners_command_is_run_and_kept_in_the_audit_log(queued, box):
    row = queued.trials.get()
    assert drilled_manager.drilled(row, MANAGED) == tuple(HERE)
    event = Event.objects.get(did="ran the failover manager")
    assert (event.what, event.name) == ("box", "Maria")
    assert event.detail == {"experiment": queued.pk, "trial": row.pk, "command": HERE}


def test_other_policies_run_nothing(queued):
    assert drilled_manager.drilled(queued.trials.get(), parse("async")) == ()
    assert not Event.objects.filter(did="ran the failover manager").exists()


def test_without_an_owners_command_the_installations_is_run(queued, box, settings):
    box.failover_command, settings.FAILOVER_COMMAND = [], ("/bin/sh",)
    assert drilled_manager.require(queued, box) == ("/bin/sh",)


def test_a_failover_manager_is_refused_with_the_reason(queued, box, settings):
    settings.CRASH_PROGRAMS = ()
    assert "DURASCOPE_CRASH_PROGRAMS does not list" in refused(queued, box)
    settings.CRASH_PROGRAMS = ("/nowhere/manager",)
    Server.objects.filter(pk=box.pk).update(failover_command=["/nowhere/manager"])
    assert "its program is not on the worker's host" in refused(queued, box)
    Server.objects.filter(pk=box.pk).update(failover_command=[])
    assert "box has no failover manager" in refused(queued, box)


def test_who_lost_the_server_runs_it_no_more(queued, box, maria):
    Server.objects.filter(pk=box.pk).update(owner=somebody(Role.OPERATOR, "Otto"))
    said = refused(queued, box)
    assert "may not run it" in said and "Maria" not in said, "guests read it"
    User.objects.filter(pk=maria.pk).delete()
    assert "may not run it" in refused(Experiment.objects.get(pk=queued.pk), box)
