"""What counts as a view of a link, and what does not."""

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from dashboard.pages.results import views as results
from dashboard.pages.sharing.opened import count
from dashboard.records.experiments.models import Experiment
from dashboard.records.sharing import actions
from dashboard.records.sharing.models import ShareLink
from tests.unit.results import trials

pytestmark = pytest.mark.django_db
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
PREVIEWS = (
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "Twitterbot/1.0",
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
    "WhatsApp/2.23.20.0",
    "TelegramBot (like TwitterBot)",
    "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
    "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com",
    "Mattermost-Bot/1.1",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "curl/7.88.1",
)


@pytest.fixture
def shared(monkeypatch):
    """A link, its token, and a result page that costs nothing."""
    monkeypatch.setattr(results, "page", lambda *_, **__: HttpResponse("the result"))
    return actions.share(None, Experiment.objects.create(name="cost", plan={}, seed=1, state="done"))


def views(link):
    link.refresh_from_db()
    return link.views


@pytest.mark.parametrize("agent", [FIREFOX, CHROME, ""])
def test_every_look_at_the_first_page_counts(client, shared, agent):
    link, token = shared
    for n in (1, 2, 3):
        client.get(f"/share/{token}/", headers={"user-agent": agent})
        assert views(link) == n
    assert link.used_at is not None and link.embeds == 0


@pytest.mark.parametrize("agent", PREVIEWS)
def test_previews_that_name_themselves_do_not_count(client, shared, agent):
    link, token = shared
    assert client.get(f"/share/{token}/", headers={"user-agent": agent}).status_code == 200
    assert (views(link), link.used_at) == (0, None)


def test_asking_for_the_head_or_ahead_does_not_count(client, shared):
    link, token = shared
    client.head(f"/share/{token}/")
    client.get(f"/share/{token}/", headers={"sec-purpose": "prefetch;prerender"})
    client.get(f"/share/{token}/", headers={"purpose": "prefetch"})
    assert views(link) == 0


def test_requests_below_a_shared_page_are_not_counted(client, db):
    link, token = actions.share(None, one := trials.experiment(measured=2))
    cell, trial = one.cells.filter(state="done").first(), one.trials.first()
    for path in ("charts/throughput.json", f"cells/{cell.pk}/", "trials/", f"trials/{trial.pk}/"):
        assert client.get(f"/share/{token}/{path}").status_code == 200
    assert client.get(f"/share/{token}/charts/none.csv").status_code == 404
    assert (views(link), link.used_at) == (0, None)


def test_two_at_once_are_two(shared):
    """Both read the link before either counted: neither writes a number that it read."""
    link, _ = shared
    request = RequestFactory().get("/")
    one, other = ShareLink.objects.get(pk=link.pk), ShareLink.objects.get(pk=link.pk)
    count(request, one, "views")
    count(request, other, "views")
    count(request, other, "embeds")
    assert (views(link), link.embeds) == (2, 1)


def test_a_closed_link_counts_nothing(client, shared, admin):
    link, token = shared
    actions.revoke(admin, link)
    client.get(f"/share/{token}/")
    assert views(link) == 0
