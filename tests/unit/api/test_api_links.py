"""Share links by the API: of results and of comparisons, listed, annotated, revoked."""

import pytest
from django.test import Client

from dashboard.records.accounts.role import Role
from dashboard.records.experiments.models import Run
from dashboard.records.sharing import actions
from dashboard.records.sharing.models import ShareLink
from tests.unit.api.tokens import script, somebody
from tests.unit.results import factory

pytestmark = pytest.mark.django_db
LINKS = "/api/v1/links"


@pytest.fixture
def maria():
    return script(somebody(Role.OPERATOR, "maria"))


@pytest.fixture
def one():
    return factory.experiment(name="before")


def runs_of(one):
    return list(Run.objects.filter(cell__experiment=one, cell__threads=8).values_list("pk", flat=True))


def test_a_comparison_is_shared_and_opens_these_points(maria, one):
    asked = {"runs": runs_of(one), "figure": "p99", "scale": "log", "days": None, "note": "all", "embeddable": True}
    made = maria.post(LINKS, asked, "application/json")
    assert made.status_code == 201 and made["Cache-Control"] == "no-store"
    told = made.json()
    assert (told["experiment_id"], told["title"], told["embeddable"]) == (None, "comparison of before", True)
    page = Client().get(told["address"].removeprefix("http://testserver"))
    assert page.context["picture"].payload["title"] == "Latency p99"
    assert len(page.context["columns"]) == len(factory.VARIANTS)


@pytest.mark.parametrize(("runs", "status"), [([4711], 409), ([], 422), ([0], 422), ([1] * 201, 422), ("1", 422)])
def test_a_link_to_runs_that_cannot_be_shared_is_refused(maria, one, runs, status):
    assert maria.post(LINKS, {"runs": runs}, "application/json").status_code == status
    assert not ShareLink.objects.exists()


def test_links_are_listed_all_together_and_for_each_experiment(maria, one, admin):
    other = factory.experiment(name="after")
    closed, _ = actions.share(admin, other, note="closed")
    actions.revoke(admin, closed)
    actions.share(None, one, days=1, note="of one")
    maria.post(LINKS, {"runs": runs_of(one) + runs_of(other), "note": "of both"}, "application/json")

    def notes(path):
        return [link["note"] for link in maria.get(path).json()["items"]]

    assert notes(LINKS) == ["of both", "of one", "closed"]
    assert notes(f"{LINKS}?open=true") == ["of both", "of one"]
    assert notes(f"/api/v1/experiments/{other.pk}/links") == ["of both", "closed"]
    assert notes(f"/api/v1/experiments/{other.pk}/links?open=true") == ["of both"]
    told = maria.get(LINKS).json()["items"][-1]
    assert (told["state"], told["is_open"], told["created_by"], told["embeds"]) == ("revoked", False, "admin", 0)
    assert "address" not in told and "token" not in str(told)


def test_a_note_is_changed(maria, one):
    link, _ = actions.share(None, one, note="old")
    assert maria.patch(f"{LINKS}/{link.pk}", {"note": "new"}, "application/json").json()["note"] == "new"
    assert maria.patch(f"{LINKS}/{link.pk}", {"note": "x" * 201}, "application/json").status_code == 422
    assert maria.patch(f"{LINKS}/{link.pk}", {}, "application/json").status_code == 422
    link.refresh_from_db()
    assert link.note == "new"
