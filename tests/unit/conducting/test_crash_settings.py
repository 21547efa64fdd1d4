"""A trial's server gets the values that a measurement's server gets."""

import pytest

from dashboard.records.experiments.models import Experiment, Trial
from dashboard.records.servers.models import Server
from tests.unit.bench.plans import plan
from tests.unit.conducting import experiments as make
from tests.unit.sandbox.test_options import MARIADB
from workers.bench.plan import CrashPlan, PlanTarget, Variant
from workers.conducting.crash_trials import crash_all
from workers.conducting.job import Job
from workers.errors import SandboxError
from workers.sandbox import options

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("written", ["true", "on ", "Yes", "1"])
def test_a_binary_log_is_on_in_every_spelling(written):
    box = Server.objects.create(name="box", kind="sandbox", build="system-mariadb")
    variant, crash = Variant("v", {"log_bin": written, "innodb_doublewrite": "1"}), CrashPlan(("process-kill",), 1)
    crashes = plan(targets=(PlanTarget(box.pk, "box"),), variants=(variant,), crash=crash)
    stored, worker, given = make.planned(crashes), make.worker(), []
    Trial.objects.create(experiment=stored, server=box, position=0, variant="v", kind="process-kill", repeat=1, seed=1)
    Experiment.objects.update(state="running", worker=worker)
    stored.refresh_from_db()

    def crash(setup, *_):
        given.append(setup.settings)
        raise SandboxError("The server went away.")

    crash_all(Job(stored, worker, crashes, {box.pk: box}, make.ports(find=lambda key: MARIADB, crash=crash)))
    assert given == [{"log_bin": "ON", "innodb_doublewrite": "ON"}]
    assert "log_bin=binlog" in options.portable_cnf(MARIADB, given[0])
