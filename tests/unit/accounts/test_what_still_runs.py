"""Whoever takes the right to run from a person is offered to end what that person's right started."""

import pytest

from dashboard.pages.accounts import running
from dashboard.records.accounts.role import Role
from dashboard.records.accounts.roles import NotAllowed
from dashboard.records.audit.models import Event
from dashboard.records.experiments.models import Experiment
from dashboard.records.schedules import actions as schedules
from dashboard.records.schedules.models import Schedule
from tests.unit.api.tokens import somebody
from tests.unit.conducting import experiments as make
from tests.unit.schedules import made

pytestmark = pytest.mark.django_db


@pytest.fixture
def maria(db):
    return somebody(Role.OPERATOR, "maria")


@pytest.fixture
def started(maria):
    """One experiment queued, one running, one over; a schedule, and one that is paused already."""
    one = make.attached(owner=maria)
    found = {}
    for state in ("queued", "running", "done"):
        found[state] = make.experiment(one)
        Experiment.objects.filter(pk=found[state].pk).update(
            state=state, name=f"her {state} one", queued_by=maria, by_command_line=False
        )
    plan = made.small_plan(one)
    for name in ("nightly", "paused before"):
        schedules.make(maria, schedules.When(name, "0 3 * * *", "UTC", None), plan)
    schedules.pause(maria, Schedule.objects.get(name="paused before"))
    return found


@pytest.mark.parametrize(("what", "form"), [("deactivate", {}), ("role", {"role": "viewer"})])
def test_taking_the_right_offers_to_end_what_runs(client_in, maria, started, what, form):
    page = client_in.post(f"/people/{maria.pk}/{what}/", form, follow=True).content.decode()
    assert "maria may not run experiments any more" in page
    assert "her queued one" in page and "her running one" in page and "nightly" in page
    assert "her done one" not in page and "paused before" not in page
    shown = client_in.post(f"/people/{maria.pk}/end/", follow=True).content.decode()
    assert (
        "Cancelled or paused: 2 experiments and 1 schedule." in shown
        and "Experiments and schedules with this person's rights" not in shown
    )
    states = {state: Experiment.objects.get(pk=one.pk) for state, one in started.items()}
    assert states["queued"].state == "cancelled" and states["running"].cancel_asked and states["done"].state == "done"
    assert Schedule.objects.get(name="nightly").paused_at
    assert Event.objects.filter(did="cancelled", name="admin").count() == 2
    assert Event.objects.filter(did="paused schedule", name="admin").count() == 1


def test_a_person_who_keeps_the_right_causes_no_warning(client_in, maria, started):
    page = client_in.post(f"/people/{maria.pk}/role/", {"role": "administrator"}, follow=True).content.decode()
    assert "may not run experiments" not in page
    assert "Experiments and schedules with this person's rights" in page


def test_only_administrators_end_it(maria, started):
    with pytest.raises(NotAllowed):
        running.end(somebody(Role.OPERATOR, "eve"), maria)
    assert not Event.objects.filter(did="cancelled").exists()


def test_the_experiments_page_says_that_its_right_is_lost(client_in, maria, started):
    address = f"/experiments/{started['running'].pk}/"
    started["running"].plan = made.small_plan(make.attached("db2")).as_dict()
    started["running"].save(update_fields=["plan"])
    assert "may not run experiments any more" not in client_in.get(address).content.decode()
    client_in.post(f"/people/{maria.pk}/deactivate/")
    shown = client_in.get(address).content.decode()
    assert "may not run experiments any more" in shown and "Stop it to end it at once" in shown
