"""Links to a comparison: made of the compare page's address, opening these points and nothing beside them."""

import re

import pytest
from django.contrib.auth.models import User
from django.core.cache import caches
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dashboard.records.audit.models import Event
from dashboard.records.experiments.models import Experiment, Run
from dashboard.records.sharing import actions
from dashboard.records.sharing.models import ShareLink
from tests.unit.results import factory, trials
from tests.unit.results.test_comparison import every, ids

pytestmark = pytest.mark.django_db


def make(client, query, **said):
    answer = client.post(f"/share/comparisons/?{query}", said)
    found = re.search(r"http://testserver(/share/[\w-]{32}/)", answer.content.decode())
    return answer, found and found[1]


@pytest.fixture
def two():
    return factory.experiment(name="before"), trials.experiment(name="after")


@pytest.fixture
def runs(two):
    return f"{ids(two[0], '1/1')},{ids(two[1], '0/0')}"


@pytest.fixture
def path(client_in, runs):
    return make(client_in, f"runs={runs}&figure=p95&scale=log&hide=1", days="7", note="for Grace")[1]


def test_a_link_to_a_comparison_is_made_of_the_address_and_shown_once(client_in, path, two):
    link = ShareLink.objects.get()
    assert (link.experiment, list(link.compared.order_by("pk"))) == (None, list(two))
    assert "figure=p95" in link.comparison and "hide=1" in link.comparison
    event = Event.objects.get(did="shared")
    assert event.what == "comparison of after, before" and path.split("/")[2] not in str(event.detail)
    assert path.split("/")[2] not in client_in.get("/share/").content.decode()


def test_a_shared_comparison_shows_the_points_as_they_were_shared(path):
    answer = Client().get(path)
    assert answer.status_code == 200 and answer["Referrer-Policy"] == "no-referrer"
    assert [column.variant for column in answer.context["columns"]] == ["1/1", "0/0"]
    payload = answer.context["picture"].payload
    assert (payload["title"], payload["y"]["scale"], payload["hidden"]) == ("Latency p95", "log", [1])
    html = answer.content.decode()
    assert "Add combinations" not in html and "Take out" not in html and "/results/" not in html


def test_a_reader_of_a_shared_comparison_may_choose_another_view(path):
    chart = Client().get(f"{path}?figure=p50&scale=linear&hide=").context["picture"].payload
    assert (chart["title"], chart["y"]["scale"], "hidden" in chart) == ("Latency p50", "linear", False)
    lines = Client().get(f"{path}?by=threads")
    assert [one["kind"] for one in (lines.context["picture"].payload,)] == ["scaling"]


def test_a_reader_of_a_shared_comparison_gets_no_other_runs(path, runs):
    other = factory.experiment(name="not for you")
    for query in (
        f"runs={every(other)}",
        f"runs={runs}&runs={every(other)}",
        f"from={other.pk}",
        f"hide=&runs={every(other)}",
    ):
        caches["shared-pages"].clear()
        caches["shared-queries"].clear()
        answer = Client().get(f"{path}?{query}")
        assert len(answer.context["columns"]) == 2 and "not for you" not in answer.content.decode()
        assert "experiments" not in answer.context and "points" not in answer.context
        rows = Client().get(f"{path}charts/compared.csv?{query}").content.decode()
        assert "not for you" not in rows and len(rows.splitlines()) == 3


def test_a_shared_comparison_leads_to_no_page_of_its_experiments(path, two):
    cell, trial = two[0].cells.first().pk, two[1].trials.first().pk
    for part in (f"cells/{cell}/", f"cells/{cell}/charts/seconds.csv", "trials/", f"trials/{trial}/", "parts/speed/"):
        assert Client().get(path + part).status_code == 404, part
    for chart in ("charts/throughput.json", "charts/risk.csv", "charts/compared.xml"):
        assert Client().get(path + chart).status_code == 404, chart
    html = Client().get(path).content.decode()
    links = set(re.findall(r'(?:href|src|action)="(/(?!static/)[^"?]*)', html))
    assert links <= {path, reverse("help:limits"), *(f"{path}charts/compared.{form}" for form in ("csv", "json"))}


def test_a_link_to_a_result_opens_no_comparison(two):
    _, token = actions.share(None, two[0])
    assert Client().get(f"/share/{token}/charts/compared.csv?runs={every(two[1])}").status_code == 404


def test_a_run_that_did_not_exist_is_not_part_of_the_link(client_in, two):
    """Ids that are free today belong to somebody's run tomorrow."""
    free = Run.objects.order_by("-pk").first().pk + 1
    make(client_in, f"runs={ids(two[0], '1/1')},{free}")
    assert str(free) not in ShareLink.objects.get().comparison.split("&")[0].removeprefix("runs=").split(",")


def test_no_link_is_made_for_an_empty_comparison(client_in):
    for query in ("", "runs=999999", "runs=x"):
        answer = client_in.post(f"/share/comparisons/?{query}", follow=True)
        assert "This comparison has no measurements" in answer.content.decode()
    assert not ShareLink.objects.exists()


def test_a_bad_form_makes_nothing(client_in, runs):
    answer, path = make(client_in, f"runs={runs}", days="x")
    assert (answer.status_code, path) == (200, None) and not ShareLink.objects.exists()


def test_a_deleted_experiments_points_are_gone_from_it(client_in, path, two):
    Experiment.objects.filter(pk=two[1].pk).update(deleted_at=timezone.now())
    answer = Client().get(path)
    assert len(answer.context["columns"]) == 1 and "0/0" not in answer.content.decode().split("<main")[1]
    assert "were left out" in answer.content.decode()
    assert "comparison of before" in client_in.get("/share/").content.decode()
    Experiment.objects.filter(pk=two[0].pk).update(deleted_at=timezone.now())
    assert "This comparison is empty" in Client().get(path).content.decode()


def test_a_shared_comparison_is_listed_with_each_of_its_experiments_and_revoked_there(client_in, path, two):
    link = ShareLink.objects.get()
    for one in two:
        assert "for Grace" in client_in.get(f"/share/experiments/{one.pk}/").content.decode()
    assert "for Grace" not in client_in.get(f"/share/experiments/{factory.experiment().pk}/").content.decode()
    answer = client_in.post(f"/share/links/{link.pk}/revoke/")
    assert answer["Location"] == "/share/"
    gone = Client().get(path)
    assert gone.status_code == 410 and "before" not in gone.content.decode()
    assert Client().get(f"{path}charts/compared.csv").status_code == 410


def test_viewers_make_none(runs):
    viewer = Client()
    viewer.force_login(User.objects.create_user("viewer", password="a long test password"))
    assert viewer.post(f"/share/comparisons/?runs={runs}").status_code == 403
    assert "/share/" not in viewer.get(f"/results/compare/?runs={runs}").content.decode().split("<main")[1]
