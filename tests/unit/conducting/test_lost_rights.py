"""Whoever queued an experiment is asked for the right again: when a worker takes it, and before each cell and trial."""

import pytest
from django.contrib.auth.models import User

from dashboard.records.accounts.models import Person
from dashboard.records.accounts.role import Role
from dashboard.records.experiments.models import Experiment, Trial
from dashboard.records.holds.models import HostLease
from tests.unit.api.tokens import somebody
from tests.unit.bench.plans import plan
from tests.unit.conducting import experiments as make
from workers.bench.plan import CrashPlan, PlanTarget
from workers.conducting.conduct import conduct
from workers.conducting.crash_trials import crash_all
from workers.conducting.job import Job
from workers.errors import PlanError, SandboxError

pytestmark = pytest.mark.django_db
LOSSES = {
    "deactivated": lambda user: User.objects.filter(pk=user.pk).update(is_active=False),
    "demoted": lambda user: Person.objects.filter(user=user).update(role=Role.VIEWER),
    "deleted": lambda user: User.objects.filter(pk=user.pk).delete(),
}


@pytest.fixture
def maria(db):
    return somebody(Role.OPERATOR, "Maria")


@pytest.fixture
def queued(maria):
    server = make.attached()
    stored = make.planned(plan(targets=(PlanTarget(server.pk, server.name, False),)))
    Experiment.objects.filter(pk=stored.pk).update(queued_by=maria, by_command_line=False)
    return stored


def conducted(stored, on_cell=lambda: None):
    """Conduct it; `on_cell` is called while each cell is measured."""

    def measure(*_):
        on_cell()
        return make.measurement()

    return conduct(stored.pk, make.worker(), make.ports(measure=measure))


def counted(stored) -> dict[str, int]:
    states = list(stored.cells.values_list("state", flat=True))
    return {state: states.count(state) for state in set(states)}


def test_a_person_with_the_right_measures_all_cells(queued):
    assert conducted(queued).state == "done"
    assert set(counted(queued)) == {"done"}


@pytest.mark.parametrize("lost", LOSSES)
def test_an_experiment_fails_at_its_start_if_its_person_lost_the_right(queued, maria, lost):
    LOSSES[lost](maria)
    ended = conducted(queued)
    assert ended.state == "failed" and "may not run experiments any more" in ended.error and ended.fix
    assert "Maria" not in ended.error, "guests read it"
    assert set(counted(queued)) == {"waiting"}, "another operator can resume it"
    assert not HostLease.objects.exists()


@pytest.mark.parametrize("lost", LOSSES)
def test_the_next_cell_is_not_measured_for_who_lost_the_right(queued, maria, lost):
    ended = conducted(queued, on_cell=lambda: LOSSES[lost](maria))
    assert ended.state == "failed" and "may not run experiments any more" in ended.error
    assert counted(queued)["done"] == 1, "the cell that ran is kept"
    assert set(counted(queued)) == {"done", "waiting"}


def test_the_command_line_needs_no_account(queued):
    Experiment.objects.update(queued_by=None, by_command_line=True)
    assert conducted(queued).state == "done"


def test_no_trial_begins_for_who_lost_the_right(queued, maria):
    """A sandbox's trials too."""
    box = make.Server.objects.create(name="box", kind="sandbox", build="system-mariadb")
    for position in range(2):
        Trial.objects.create(
            experiment=queued, server=box, position=position, variant="1/1", kind="process-kill", repeat=1, seed=1
        )
    worker = make.worker()
    Experiment.objects.update(state="running", worker=worker)
    queued.refresh_from_db()

    def crash(setup, *_):
        LOSSES["demoted"](maria)
        raise SandboxError("The server went away.")

    ports = make.ports(find=lambda key: None, crash=crash)
    crashes = plan(crash=CrashPlan(kinds=("process-kill",), trials=2))
    with pytest.raises(PlanError, match="may not run experiments any more"):
        crash_all(Job(queued, worker, crashes, {box.pk: box}, ports))
    assert [trial.state for trial in queued.trials.order_by("position")] == ["failed", "waiting"]
