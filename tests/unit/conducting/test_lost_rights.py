"""Whoever queued an experiment is asked for the right again: when a worker takes it, and before each cell and trial."""

import pytest
from django.contrib.auth.models import User

from dashboard.accounts.models import Person
from dashboard.accounts.roles import Role
from dashboard.experiments import claiming
from dashboard.experiments.models import Cell, Experiment, Trial
from dashboard.findings import conclusion
from dashboard.holds.models import HostLease
from tests.unit.api.tokens import somebody
from tests.unit.bench.plans import plan
from tests.unit.conducting import experiments as make
from tests.unit.conducting.test_conducting import Stage
from workers.bench.plan import PlanTarget
from workers.conducting import conduct as module
from workers.conducting import crash_trials, trial_results

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


@pytest.fixture
def conducted(monkeypatch):
    """Conduct it; `on_cell` is called while each cell is measured."""
    monkeypatch.setattr(module.live.Telling, "_write", lambda *_, **__: None)
    monkeypatch.setattr(conclusion, "remember", lambda experiment: None)
    monkeypatch.setattr(module._Conductor, "_stage", lambda conductor, stand: Stage("only", None))

    def run(stored, on_cell=lambda: None):
        def measure(conductor, row):
            on_cell()
            claiming.end(row, Cell.State.DONE)

        monkeypatch.setattr(module._Conductor, "_measure", measure)
        return module.conduct(stored.pk, make.worker())

    return run


def counted(stored) -> dict[str, int]:
    states = list(stored.cells.values_list("state", flat=True))
    return {state: states.count(state) for state in set(states)}


def test_who_has_the_right_measures(queued, conducted):
    assert conducted(queued).state == "done"
    assert set(counted(queued)) == {"done"}


@pytest.mark.parametrize("lost", LOSSES)
def test_nothing_begins_for_who_lost_the_right_while_it_waited(queued, maria, conducted, lost):
    LOSSES[lost](maria)
    ended = conducted(queued)
    assert ended.state == "failed" and "may not run experiments any more" in ended.error and ended.mend
    assert "Maria" not in ended.error, "guests read it"
    assert set(counted(queued)) == {"waiting"}, "another operator can resume it"
    assert not HostLease.objects.exists()


@pytest.mark.parametrize("lost", LOSSES)
def test_the_next_cell_is_not_measured_for_who_lost_the_right(queued, maria, conducted, lost):
    ended = conducted(queued, on_cell=lambda: LOSSES[lost](maria))
    assert ended.state == "failed" and "may not run experiments any more" in ended.error
    assert counted(queued)["done"] == 1, "the cell that ran is kept"
    assert set(counted(queued)) == {"done", "waiting"}


def test_the_command_line_needs_no_account(queued, conducted):
    Experiment.objects.update(queued_by=None, by_command_line=True)
    assert conducted(queued).state == "done"


def test_no_trial_begins_for_who_lost_the_right(queued, monkeypatch):
    """A sandbox's trials too."""
    box = make.Server.objects.create(name="box", kind="sandbox", build="system-mariadb")
    for position in range(2):
        Trial.objects.create(
            experiment=queued, server=box, position=position, variant="v", kind="process-kill", repeat=1, seed=1
        )
    worker = make.worker()
    Experiment.objects.update(state="running", worker=worker)
    queued.refresh_from_db()
    crashed, asked = [], []

    def must_be_allowed():
        asked.append(1)
        if crashed:
            raise module.PlanError("lost")

    def crash(row, *_):
        crashed.append(row.position)
        claiming.end(row, Trial.State.DONE)

    monkeypatch.setattr(crash_trials, "_crash", crash)
    watch = crash_trials.Watch(lambda _: None, lambda: False, lambda: "cancelled", must_be_allowed)
    with pytest.raises(module.PlanError, match="lost"):
        crash_trials.crash_all(queued, plan(), {box.pk: box}, watch)
    assert crashed == [0]
    assert trial_results.claim(queued).position == 1, "it still waits"
