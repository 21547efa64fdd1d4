"""An experiment without a name is named after its servers and its question."""

from dataclasses import replace

import pytest
from django.urls import reverse

from dashboard.records.accounts.role import Role
from dashboard.records.experiments.models import Experiment
from dashboard.records.experiments.naming import MOST, named, usual_name
from dashboard.records.servers.models import Server
from tests.unit.api.tokens import script, somebody
from tests.unit.bench.plans import plan
from tests.unit.experiments.test_form import filled
from tests.unit.results import factory
from workers.bench.plan import CrashPlan, PlanTarget, Variant


def of(*variants, trials=0, servers=("db7",)):
    targets = tuple(PlanTarget(n, name) for n, name in enumerate(servers, start=1))
    crash = CrashPlan(trials=trials, kinds=("power-loss",))
    return replace(plan(), name="", targets=targets, variants=tuple(Variant(one, {}) for one in variants), crash=crash)


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (of("1/1"), "db7: what does 1/1 cost?"),
        (of("1/1", "2/0", "0/0"), "db7: what do 1/1, 2/0 and 0/0 cost?"),
        (of("1/1", "0/0", trials=3), "db7: what do 1/1 and 0/0 cost, and what do they lose?"),
        (of("1/1", trials=1), "db7: what does 1/1 cost, and what does it lose?"),
        (of("1/1", "0/0", servers=("a", "b")), "a, b: what do 1/1 and 0/0 cost?"),
        (of(*map(str, range(5))), "db7: what do 5 settings cost?"),
    ],
)
def test_the_usual_name(made, name):
    assert usual_name(made) == named(made).name == name


def test_a_name_that_was_given_stays_and_a_long_one_is_cut():
    assert named(replace(of("1/1"), name="mine")).name == "mine"
    assert len(usual_name(of("1/1", servers=("x" * 80, "y" * 80)))) == MOST


@pytest.mark.django_db
def test_form_and_api_name_a_plan_that_has_no_name(client_in, admin):
    box = Server.objects.create(name="box", kind="sandbox", build="system-mariadb")
    assert client_in.post(reverse("experiments:new"), filled(box, name="")).status_code == 302
    wanted = Experiment.objects.get().plan
    whole = {name: value for name, value in wanted.items() if name not in ("name", "targets", "crash", "seed")}
    answer = script(somebody(Role.OPERATOR)).post(
        "/api/v1/experiments", {"servers": [box.pk], "plan": whole}, "application/json"
    )
    assert answer.status_code == 201, answer.content
    names = set(Experiment.objects.values_list("name", flat=True))
    assert names == {"box: what do 1/1 and 0/0 cost?"}


@pytest.mark.django_db
def test_run_again_with_changes_does_not_keep_the_usual_name(client_in):
    one = factory.experiment()
    address = f"{reverse('experiments:new')}?from={one.pk}"
    assert client_in.get(address).context["form"].initial["name"] == "What safety costs"
    one.plan["name"] = "db7 in rack 3: what do 1/1, 2/0 and 0/0 cost?"
    one.save()
    assert client_in.get(address).context["form"].initial["name"] == ""
