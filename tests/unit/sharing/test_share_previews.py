"""What messengers show beside a link, and what they are not told once it is closed."""

import re
import struct
from html import unescape

import pytest
from django.utils import timezone

from dashboard.results.charts.chart import Axis, Chart, Dot, Series, Table
from dashboard.sharing import actions
from dashboard.sharing.glance import glance
from dashboard.sharing.models import ShareLink
from dashboard.sharing.preview import picture
from dashboard.sharing.preview.picture import Glance, png
from tests.unit.results import factory, trials
from tests.unit.results.test_comparison import every

PREVIEW = "preview.png"


def told(html):
    """property -> content of the page's Open Graph tags."""
    found = re.findall(r'<meta (?:property|name)="((?:og|twitter):[\w:]+)" content="([^"]*)">', html)
    return {name: unescape(content) for name, content in found}


def size(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", data[16:24])


@pytest.fixture
def shared(db):
    link, token = actions.share(None, trials.experiment(name="What safety <costs>"))
    return link, f"/share/{token}/"


def test_the_page_tells_its_finding_and_its_picture(client, shared):
    link, path = shared
    answer = client.get(path)
    tags = told(answer.content.decode())
    assert tags["og:title"] == answer.context["crash"]["finding"].sentence
    assert re.search(r"times as fast as 1/1 \([\d.]+ to [\d.]+\), and lost a median of", tags["og:title"])
    assert "Lost nothing" in tags["og:description"] or "lost nothing" in tags["og:description"]
    assert (tags["og:url"], tags["og:image"]) == (f"http://testserver{path}", f"http://testserver{path}{PREVIEW}")
    drawn = client.get(path + PREVIEW)
    assert (drawn.status_code, drawn["Content-Type"]) == (200, "image/png")
    assert size(drawn.content) == (int(tags["og:image:width"]), int(tags["og:image:height"])) == (1200, 630)
    assert "noindex" in drawn["X-Robots-Tag"] and "private" in drawn["Cache-Control"]
    link.refresh_from_db()
    assert link.views == 1, "the picture is no view"


def test_a_result_without_crashes_and_a_comparison_have_one_too(client, db):
    one = factory.experiment()
    _, token = actions.share(None, one)
    assert "times as fast as" in told(client.get(f"/share/{token}/").content.decode())["og:title"]
    assert size(client.get(f"/share/{token}/{PREVIEW}").content) == (1200, 630)
    for query in ("by=points", "by=threads&scale=log&hide=1", "figure=group"):
        _, token = actions.share_comparison(None, f"runs={every(one)}&{query}", [one])
        assert "times the throughput of" in told(client.get(f"/share/{token}/").content.decode())["og:title"]
        assert size(client.get(f"/share/{token}/{PREVIEW}").content) == (1200, 630)


def test_nothing_measured_yet_is_said_not_drawn(client, db):
    _, token = actions.share(None, factory.experiment(measured=0, state="running"))
    assert told(client.get(f"/share/{token}/").content.decode())["og:title"] == "Nothing has been measured yet."
    assert size(client.get(f"/share/{token}/{PREVIEW}").content) == (1200, 630)


@pytest.mark.parametrize("closed", ["revoked_at", "expires_at"])
def test_a_closed_link_tells_nothing(client, shared, closed):
    link, path = shared
    ShareLink.objects.filter(pk=link.pk).update(**{closed: timezone.now()})
    for part in ("", PREVIEW):
        answer = client.get(path + part)
        html = answer.content.decode()
        assert answer.status_code == 410 and answer["Content-Type"].startswith("text/html")
        assert told(html) == {} and "safety" not in html and "0/0" not in html


def test_only_share_links_have_a_preview(client_in, shared):
    link, _ = shared
    assert told(client_in.get(f"/results/{link.experiment_id}/").content.decode()) == {}
    assert told(client_in.get("/results/compare/").content.decode()) == {}


def test_it_gives_away_no_name(db):
    """Server names are replaced in the words and in the picture's labels, before anything is drawn."""
    servers = [factory.server("sekrit one"), factory.server("sekrit two")]
    link, token = actions.share(None, factory.experiment(servers=servers, name="on sekrit one"))
    seen = glance(link, token)
    said = [seen.sentence, seen.name, seen.chart.title, *(one.name for one in seen.chart.series)]
    assert not [one for one in said if "sekrit" in one]
    assert any("Server A" in one.name for one in seen.chart.series)


def test_the_same_content_is_drawn_once(client, shared, monkeypatch):
    _, path = shared
    first = client.get(path + PREVIEW)
    monkeypatch.setattr(picture, "Canvas", None)  # whoever draws now fails
    again = client.get(path + PREVIEW)
    assert again.content == first.content and again["ETag"] == first["ETag"]
    unchanged = client.get(path + PREVIEW, headers={"if-none-match": first["ETag"]})
    assert (unchanged.status_code, unchanged.content) == (304, b"")


def chart(kind="scaling", series=(), **known):
    axes = {"x": Axis("threads", scale="log2"), "y": Axis("per second", "/s")} | known
    return Chart(key="x", title="A title", kind=kind, table=Table(()), series=tuple(series), **axes)


ODD = (
    Series("ö 数据 " * 20, 11, (Dot(1, 5.0, 4.0, 6.0), Dot(64, 1e9)), dash=1),
    Series("", 0, (Dot(1, None), Dot(64, 0.0))),
    Series("bound", 0, (Dot(1, 1.0), Dot(64, 1e9)), ceiling=True),
)
CATEGORIES = Axis("x", scale="category", categories=tuple(f"{n}: a variant" for n in range(16)))


@pytest.mark.parametrize(
    "drawn",
    [
        chart(),
        chart("nights"),
        chart(series=ODD),
        chart(series=ODD, y=Axis("per second", "ms", scale="log")),
        chart(series=[Series("one", 0, (Dot(8, 0.0),))]),
        chart(series=[Series(str(n), n, (Dot(8, 1.0),)) for n in range(40)]),
        chart("bars", x=CATEGORIES, series=[Series(name, 0, (Dot(name, None),)) for name in CATEGORIES.categories]),
        chart("risk", series=[Series("1/1", 0, (Dot(0, 1.0, mark="0 of 3"),)), Series("0/0", 1, (Dot(1e6, 2.0),))]),
        chart("risk", series=[Series("1/1", 0, (Dot(0, None),))]),
    ],
)
def test_it_draws_whatever_there_is(drawn):
    for sentence in ("", "A short one.", "many words " * 80, "w" * 500, "µs × 2 – ¼ 数据\n\t\x00"):  # noqa: RUF001
        assert size(png(Glance(sentence, "a name " * 30, drawn))) == (1200, 630)


def test_a_picture_shows_what_it_is_given():
    """The positive control: other words, other figures and hidden series make other pictures."""
    one = chart(series=[Series("1/1", 0, (Dot(1, 5.0), Dot(8, 50.0))), Series("0/0", 1, (Dot(1, 6.0), Dot(8, 60.0)))])
    faster = chart(series=[Series("1/1", 0, (Dot(1, 5.0), Dot(8, 55.0))), one.series[1]])
    pictures = {png(Glance("Said.", "name", drawn)) for drawn in (one, faster)} | {png(Glance("Other.", "name", one))}
    assert len(pictures) == 3
