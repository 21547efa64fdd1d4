"""The variant that a server had when its experiment was created is marked on the result, for guests too."""

import re

import pytest
from django.utils import timezone

from dashboard.findings.conclusion import summary
from dashboard.findings.present import present_variants, untested
from dashboard.portable.write import file_of
from dashboard.records.experiments import actions, present
from dashboard.records.servers.models import Preflight
from dashboard.records.sharing import actions as sharing
from tests.unit.portable import files
from tests.unit.results import factory, trials
from workers.bench.plan import Plan, PlanTarget, Variant

FLUSH = "innodb_flush_log_at_trx_commit"
RATES = {"1/1": {"power-loss": [(0, 0)] * 30}, "1/0": {"power-loss": [(0, 90)] * 3}}


def settings(pair):
    return dict(zip((FLUSH, "sync_binlog"), pair.split("/"), strict=True))


def reached(server, has):
    Preflight.objects.create(server=server, state="done", done_at=timezone.now(), facts={"settings": has})


def measured(has):
    """An experiment with crash trials on a server that has these settings; None: it was never reached."""
    one = trials.experiment(RATES, levels={"1/1": 1000.0, "1/0": 2000.0}, replica=False)
    variants = [{**variant, "settings": settings(variant["name"])} for variant in one.plan["variants"]]
    plan = Plan.from_dict({**one.plan, "variants": variants})
    if has is not None:
        reached(factory.server(), has)
    one.plan = present.with_present(plan).as_dict()
    one.save(update_fields=["plan"])
    return one


def guest(client, one):
    _, token = sharing.share(None, one)
    return client.get(f"/share/{token}/")


def marked(chart):
    return [series["name"] for series in chart["series"] if series["mine"]]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("pair", "begins", "lost"),
    [
        ("1/1", "Keep 1/1: nothing lost in 30 power losses.", "1/0"),
        ("1/0", "Use 1/1 instead of the present 1/0: nothing lost in 30 power losses.", "The present setting 1/0"),
    ],
)
def test_the_recommendation_speaks_of_the_setting_that_the_server_has(client, client_in, pair, begins, lost):
    one = measured(settings(pair))
    page, seen = client_in.get(f"/results/{one.pk}/"), guest(client, one)
    for answer in (page, seen):
        found = answer.context["crash"].answer.recommendation
        assert found.choice.startswith(begins)
        told = rf"{lost} is (1\.9\d|2\.0) times as fast as 1/1 \(95\s% [a-z ]+ [\d. to]+\), but it lost"
        assert any(re.match(told, each) for each in found.reasons)
        assert marked(answer.context["risk"].payload) == [pair]
        assert answer.content.decode().count("present setting</span>") == 1
    assert f"as on the server ({pair})" in page.content.decode()
    assert any(each.startswith(begins) for each in summary(one))


@pytest.mark.django_db
@pytest.mark.parametrize("has", [None, settings("2/0"), {FLUSH: "1"}])
def test_no_variant_is_marked_where_the_server_has_other_settings_or_was_never_reached(client_in, has):
    page = client_in.get(f"/results/{measured(has).pk}/")
    assert page.context["crash"].answer.recommendation.choice.startswith("Use 1/1: nothing lost")
    assert marked(page.context["risk"].payload) == []
    told = f"The present setting of the server ({FLUSH}=2, sync_binlog=0) was not tested."
    assert (told in page.context["crash"].answer.more) == (has == settings("2/0"))


@pytest.mark.django_db
def test_the_choice_of_the_reader_comes_first(client_in):
    one = measured(settings("1/0"))
    assert marked(client_in.get(f"/results/{one.pk}/?mine=0").context["risk"].payload) == ["1/1"]
    assert marked(client_in.get(f"/results/{one.pk}/?mine=").context["risk"].payload) == ["1/0"]


@pytest.mark.django_db
def test_a_new_experiment_keeps_what_its_servers_have_and_only_what_variants_name(monkeypatch):
    server = factory.server()
    reached(server, {**settings("1/0"), "innodb_flush_log_at_timeout": "1"})
    monkeypatch.setattr(actions, "problems", lambda *_, **__: [])
    made = actions.create(factory.plan([server, factory.server("never reached")]), None)
    kept = Plan.from_dict(made.plan).targets
    assert [target.present for target in kept] == [{"sync_binlog": "0"}, None]


@pytest.mark.django_db
def test_a_file_keeps_it():
    original = files.experiment()
    original.plan["targets"][0]["present"] = {"sync_binlog": "1"}
    original.save(update_fields=["plan"])
    again = files.imported(file_of(original))
    assert next(target.present for target in Plan.from_dict(again.plan).targets) == {"sync_binlog": "1"}


def plan(has, *variants):
    target = PlanTarget(1, "db1", is_sandbox=False, present=has)
    return Plan("p", (target,), variants, (), (1,), 1, 0, 1, 1, 1)


def test_of_several_that_fit_the_one_that_says_most_is_meant():
    as_it_is, one, other = Variant("as it is", {}), Variant("on", {"log_bin": "1"}), Variant("off", {"log_bin": "OFF"})
    assert present_variants(plan({"log_bin": "ON"}, as_it_is, one, other)) == {1: "on"}
    assert present_variants(plan({}, as_it_is)) == {1: "as it is"}
    assert present_variants(plan(None, as_it_is)) == {1: ""}
    assert untested(plan({"log_bin": "ON"}, other), 1) == "log_bin=ON"
    both = Variant("both", {"log_bin": "OFF", "sync_binlog": "1"})
    for has, variant in (({"log_bin": "ON"}, one), (None, other), ({"sync_binlog": "1"}, both)):
        assert untested(plan(has, variant), 1) == ""
