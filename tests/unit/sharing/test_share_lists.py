"""The lists of links: of one experiment and of the whole installation; their filter, their notes, the way back."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from dashboard.records.audit.models import Event
from dashboard.records.experiments.models import Experiment
from dashboard.records.sharing import actions
from dashboard.records.sharing.models import ShareLink

pytestmark = pytest.mark.django_db


def experiment(name="cost <b>"):
    return Experiment.objects.create(name=name, plan={}, seed=1, state="done")


@pytest.fixture
def three(admin):
    """An open link, an expired one, a revoked one; of two experiments."""
    first, second = experiment("first <b>"), experiment("second")
    opened, _ = actions.share(admin, first, days=7, note="open <i>")
    expired, _ = actions.share(admin, second, days=1, note="expired one")
    ShareLink.objects.filter(pk=expired.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    revoked, _ = actions.share(None, first, note="revoked one")
    actions.revoke(admin, revoked)
    return {"first": first, "second": second, "open": opened, "expired": expired, "revoked": revoked}


def text(answer):
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_page_of_all_links_says_what_each_opens(client_in, three):
    html = text(client_in.get("/share/"))
    assert html.count("data-confirm=") == 1, "one is open"
    for part in ("first &lt;b&gt;", f'href="/results/{three["second"].pk}/"', "open &lt;i&gt;", "by admin", "never"):
        assert part in html
    for state in ("open", "expired", "revoked"):
        assert f">{state}</span>" in html


def test_the_list_can_show_the_open_links_only(client_in, three):
    html = text(client_in.get("/share/?open=1"))
    assert "open &lt;i&gt;" in html and "expired one" not in html and "revoked one" not in html
    own = text(client_in.get(f"/share/experiments/{three['first'].pk}/?open=1"))
    assert "open &lt;i&gt;" in own and "revoked one" not in own
    ShareLink.objects.update(revoked_at=timezone.now())
    assert "No link is open. Choose Show all" in text(client_in.get("/share/?open=1"))


def test_an_experiments_list_has_its_own_links_only(client_in, three):
    html = text(client_in.get(f"/share/experiments/{three['second'].pk}/"))
    assert "expired one" in html and "revoked one" not in html


def test_links_of_a_deleted_experiment_are_nowhere(client_in, three):
    opened, token = actions.share(None, three["first"], note="goes with it")
    Experiment.objects.filter(pk=three["first"].pk).update(deleted_at=timezone.now())
    html = text(client_in.get("/share/"))
    assert "goes with it" not in html and "expired one" in html
    assert Client().get(f"/share/{token}/").status_code == 404
    assert client_in.post(f"/share/links/{opened.pk}/revoke/").status_code == 404


def test_a_long_list_has_pages_and_few_queries(client_in, three, django_assert_max_num_queries):
    for n in range(60):
        actions.share(None, three["first"], note=f"note {n:03}")
    with django_assert_max_num_queries(12):
        html = text(client_in.get("/share/?open=1"))
    assert "note 059" in html and "note 005" not in html
    assert 'href="?open=1&amp;page=2"' in html
    assert "note 005" in text(client_in.get("/share/?open=1&page=2"))


def test_a_note_is_changed_and_written_down(client_in, admin, three):
    link = three["open"]
    answer = client_in.post(f"/share/links/{link.pk}/note/", {"note": "for Grace", "next": "/share/?open=1"})
    assert answer["Location"] == "/share/?open=1"
    link.refresh_from_db()
    assert link.note == "for Grace"
    event = Event.objects.get(did="changed the note of a link")
    assert (event.who, event.detail["before"], event.detail["after"]) == (admin, "open <i>", "for Grace")
    client_in.post(f"/share/links/{link.pk}/note/", {"note": "for Grace"})
    assert Event.objects.filter(did="changed the note of a link").count() == 1, "the same note is no change"


def test_a_note_that_is_too_long_is_refused_and_the_old_one_stays(client_in, three):
    answer = client_in.post(f"/share/links/{three['open'].pk}/note/", {"note": "x" * 201}, follow=True)
    assert "at most 200 letters" in text(answer)
    three["open"].refresh_from_db()
    assert three["open"].note == "open <i>"


@pytest.mark.parametrize("elsewhere", ["https://example.com/", "//example.com/", "/\\example.com", "javascript:1", ""])
def test_the_way_back_leads_nowhere_else(client_in, three, elsewhere):
    answer = client_in.post(f"/share/links/{three['open'].pk}/revoke/", {"next": elsewhere})
    assert answer["Location"] == f"/share/experiments/{three['first'].pk}/"


def test_viewers_see_no_links_and_change_none(three):
    viewer = Client()
    viewer.force_login(User.objects.create_user("viewer", password="a long test password"))
    assert viewer.get("/share/").status_code == 403
    for action in ("note", "revoke"):
        assert viewer.post(f"/share/links/{three['open'].pk}/{action}/", {"note": "mine"}).status_code == 403
    three["open"].refresh_from_db()
    assert (three["open"].note, three["open"].is_open) == ("open <i>", True)


def test_a_link_opens_exactly_one_thing(three):
    """The database refuses what no code should ask for."""
    for opens in ({}, {"experiment": three["first"], "comparison": "runs=1"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            ShareLink.objects.create(token_hash="x", **opens)
