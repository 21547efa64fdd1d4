"""Single charts in other sites' pages: only where the link was made for it, and framing is opened nowhere else."""

import re
from html import unescape

import pytest
from django.test import Client

from dashboard.charts.registry import CHARTS
from dashboard.records.sharing import actions
from dashboard.records.sharing.models import ShareLink
from tests.unit.results import factory, trials
from tests.unit.results.test_comparison import every
from tests.unit.results.test_result_pages import obeys_the_policy
from tests.unit.sharing.test_share_counts import FIREFOX, PREVIEWS

pytestmark = pytest.mark.django_db


def share(one, **known):
    link, token = actions.share(None, one, **known)
    return link, f"/share/{token}/"


def may_be_framed(answer):
    policy = answer["Content-Security-Policy"]
    opened = ("frame-ancestors *" in policy, "X-Frame-Options" not in answer)
    assert len(set(opened)) == 1, "both say the same"
    assert opened[0] or ("frame-ancestors 'none'" in policy and answer["X-Frame-Options"] == "DENY")
    return opened[0]


@pytest.fixture
def embeddable():
    return share(trials.experiment(), embeddable=True)


def test_every_chart_stands_alone_and_may_be_framed(embeddable):
    _, path = embeddable
    for key in CHARTS:
        answer = Client().get(f"{path}embed/{key}/")
        assert answer.status_code == 200 and may_be_framed(answer), key
        assert obeys_the_policy(answer)
        html = answer.content.decode()
        assert html.count("<figure") == 1 and f'data-chart="{key}"' in html and "<nav" not in html
        assert f'href="{path}"' in html and "Table</summary>" in html


def test_an_embedded_chart_needs_and_sets_no_cookies(embeddable):
    _, path = embeddable
    client = Client()
    answer = client.get(f"{path}embed/throughput/")
    assert not answer.cookies and not client.cookies and "csrfmiddlewaretoken" not in answer.content.decode()
    assert answer["Referrer-Policy"] == "no-referrer" and "noindex" in answer["X-Robots-Tag"]


def test_without_the_mark_there_is_no_such_page():
    _, path = share(factory.experiment())
    answer = Client().get(f"{path}embed/throughput/")
    assert answer.status_code == 404 and not may_be_framed(answer)


def test_only_charts_may_be_framed(embeddable, client_in):
    link, path = embeddable
    trial, cell = link.experiment.trials.first().pk, link.experiment.cells.first().pk
    for part in (
        "",
        "charts/throughput.json",
        "trials/",
        f"trials/{trial}/",
        f"cells/{cell}/",
        "embed/no/",
    ):
        assert not may_be_framed(Client().get(path + part)), part
    for page in ("/", "/share/", "/results/compare/", f"/results/{link.experiment_id}/"):
        assert not may_be_framed(client_in.get(page)), page
    actions.revoke(link.created_by, link)
    closed = Client().get(f"{path}embed/throughput/")
    assert closed.status_code == 410 and not may_be_framed(closed)


def test_an_embedded_chart_follows_the_address_and_its_theme(embeddable):
    _, path = embeddable
    seen = Client().get(f"{path}embed/seconds/?threads=0&theme=dark")
    assert 'data-theme="dark"' in seen.content.decode() and "threads=0" in seen.context["picture"].csv
    assert "data-theme" not in Client().get(f"{path}embed/seconds/?theme=%22onload").content.decode().split(">")[1]


def test_a_comparisons_picture_can_be_embedded():
    one = factory.experiment()
    query = f"runs={every(one)}&figure=p99&hide=0"
    _, token = actions.share(None, None, comparison=query, compared=[one], embeddable=True)
    answer = Client().get(f"/share/{token}/embed/compared/")
    assert answer.status_code == 200 and may_be_framed(answer)
    payload = answer.context["picture"].payload
    assert (payload["title"], payload["hidden"]) == ("Latency p99", [0])
    assert Client().get(f"/share/{token}/embed/throughput/").status_code == 404
    assert "runs=" not in answer.content.decode()


def test_the_new_link_is_shown_with_the_html_to_paste(client_in):
    one = trials.experiment(name='"><b>')
    made = client_in.post(f"/share/experiments/{one.pk}/create/", {"days": "7", "embeddable": "on"}).content.decode()
    link = ShareLink.objects.get()
    pasted = [unescape(found) for found in re.findall(r"&lt;iframe .*?&lt;/iframe&gt;", made)]
    assert link.embeddable and len(pasted) >= 9
    assert 'height="480"' in pasted[0] and "/embed/risk/" in pasted[0], "the main chart first"
    for one in pasted:
        address = re.search(r'src="http://testserver([^"]*)"', one)[1]
        assert Client().get(address).status_code == 200
    plain = client_in.post(f"/share/experiments/{link.experiment_id}/create/", {"days": "7"}).content.decode()
    assert "iframe" not in plain


def test_shown_charts_are_counted_apart_from_views(embeddable):
    link, path = embeddable
    Client().get(f"{path}embed/throughput/", headers={"user-agent": FIREFOX})
    Client().get(f"{path}embed/throughput/", headers={"user-agent": PREVIEWS[0]})
    Client().get(f"{path}embed/none/")
    link.refresh_from_db()
    assert (link.views, link.embeds) == (0, 1) and link.used_at
