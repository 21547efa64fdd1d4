"""What messengers show beside a link, and what they are not told once it is closed."""

import re
import struct
import xml.etree.ElementTree as ET
from html import unescape

import pytest
from django.core.cache import caches
from django.utils import timezone

from dashboard.pages.sharing.embedding import glance
from dashboard.pages.sharing.preview import SIZE, picture, picture_svg
from dashboard.records.servers.models import Server
from dashboard.records.sharing import actions
from dashboard.records.sharing.models import ShareLink
from tests.unit.results import factory, trials
from tests.unit.results.test_comparison import every

TOKEN, MOST_BYTES = "x" * 32, 200_000
SVG = "{http://www.w3.org/2000/svg}"


def told(html):
    """property -> content of the page's Open Graph tags."""
    found = re.findall(r'<meta (?:property|name)="((?:og|twitter):[\w:]+)" content="([^"]*)">', html)
    return {name: unescape(content) for name, content in found}


@pytest.fixture
def shared(db):
    link, token = actions.share(None, trials.experiment(name="What safety <costs>"))
    return link, f"/share/{token}/"


def test_the_page_tells_its_finding(client, shared):
    _, path = shared
    answer = client.get(path)
    tags = told(answer.content.decode())
    told_of_it = " ".join(answer.context["crash"].answer.sentences)
    title = "Use 1/1. Every other setting lost commits."
    assert (tags["og:title"], tags["og:description"]) == (title, told_of_it), "its settings say no flushing"
    assert told_of_it.startswith("1/1 lost nothing") and "0/0 is" in told_of_it
    assert (tags["og:url"], tags["twitter:card"]) == (f"http://testserver{path}", "summary")


def test_a_result_without_crashes_and_a_comparison_tell_theirs_too(client, db):
    one = factory.experiment()
    _, token = actions.share(None, one)
    tags = told(client.get(f"/share/{token}/").content.decode())
    assert "Crashes untested" in tags["og:title"] and "times as fast as" in tags["og:description"]
    _, token = actions.share(None, None, comparison=f"runs={every(one)}&by=points", compared=[one])
    assert "times the throughput of" in told(client.get(f"/share/{token}/").content.decode())["og:title"]


def test_the_preview_says_that_no_measurement_exists_yet(client, db):
    _, token = actions.share(None, factory.experiment(measured=0, state="running"))
    assert told(client.get(f"/share/{token}/").content.decode())["og:title"] == "Nothing has been measured yet."


def test_the_picture_is_speed_against_loss_with_the_address_of_the_installation(client, shared, settings):
    _, path = shared
    assert "og:image" not in told(client.get(path).content.decode()), "messengers need a whole address"
    settings.ADDRESS = "https://lab.example.org"
    caches["shared-pages"].clear()
    tags = told(client.get(path).content.decode())
    assert tags["og:image"] == f"https://lab.example.org{path}picture.png"
    assert tags["twitter:card"] == "summary_large_image"
    assert tags["og:image:alt"] == "Speed against commits lost. Use 1/1. Every other setting lost commits."
    answer = client.get(f"{path}picture.png")
    assert answer["Content-Type"] == "image/png" and answer["Referrer-Policy"] == "no-referrer"
    assert answer.content[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", answer.content[16:24]) == SIZE
    assert 10_000 < len(answer.content) < MOST_BYTES


def test_other_values_make_another_picture(shared):
    link, _ = shared
    before = picture(link.experiment, TOKEN)
    assert picture(link.experiment, TOKEN) == before
    link.experiment.trials.filter(variant="0/0").update(lost_engine=7, lost_binlog=7)
    assert picture(link.experiment, TOKEN) != before


def test_the_picture_names_each_setting_and_says_the_headline(shared):
    link, _ = shared
    said = [" ".join(one.text.split()) for one in ET.fromstring(picture_svg(link.experiment, TOKEN)).iter(f"{SVG}text")]
    assert {"1/1", "2/0", "0/0", "Use 1/1. Every other setting lost commits."} < set(said)


@pytest.mark.parametrize("name", ["<script>&\"'", "語" * 100, "a\x07b\x00", "x" * 300, "]]>"])
def test_no_name_breaks_the_picture(shared, name):
    experiment = shared[0].experiment
    experiment.name = name
    for variant in experiment.plan["variants"]:
        variant["name"] = variant["name"].replace("2/0", name[:80])
    experiment.trials.filter(variant="2/0").update(variant=name.replace("\x00", "")[:80])
    drawn = picture(experiment, TOKEN)
    assert drawn and len(drawn) < MOST_BYTES and "<script" not in picture_svg(experiment, TOKEN)


def test_the_picture_refers_to_nothing_outside(shared):
    svg = picture_svg(shared[0].experiment, TOKEN).replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "://" not in svg and "<image" not in svg and not re.search(r'(?:href|src)="(?!#)', svg)


def test_the_picture_names_no_server(db):
    one = trials.experiment(name="on sekrit one")
    Server.objects.update(name="sekrit one")
    assert "Server A" in picture_svg(one, TOKEN) and "sekrit" not in picture_svg(one, TOKEN)


def test_a_result_without_crashes_and_a_comparison_have_no_picture(client, db, settings):
    settings.ADDRESS = "https://lab.example.org"
    one = factory.experiment()
    links = actions.share(None, one), actions.share(None, None, comparison=f"runs={every(one)}", compared=[one])
    for _, token in links:
        assert "og:image" not in told(client.get(f"/share/{token}/").content.decode())
        assert client.get(f"/share/{token}/picture.png").status_code == 404


@pytest.mark.parametrize("closed", ["revoked_at", "expires_at"])
def test_a_closed_link_tells_nothing(client, shared, closed):
    link, path = shared
    ShareLink.objects.filter(pk=link.pk).update(**{closed: timezone.now()})
    answer = client.get(path)
    html = answer.content.decode()
    assert answer.status_code == 410 and told(html) == {} and "safety" not in html and "0/0" not in html
    assert client.get(f"{path}picture.png").status_code == 410


def test_only_share_links_have_a_preview(client_in, shared):
    link, _ = shared
    assert told(client_in.get(f"/results/{link.experiment_id}/").content.decode()) == {}
    assert told(client_in.get("/results/compare/").content.decode()) == {}


def test_a_preview_gives_away_no_name(db):
    servers = [factory.server("sekrit one"), factory.server("sekrit two")]
    link, token = actions.share(None, factory.experiment(servers=servers, name="on sekrit one"))
    seen = glance(link, token)
    said = [seen.sentence, seen.name, seen.chart.title, *(one.name for one in seen.chart.series)]
    assert not [one for one in said if "sekrit" in one]
    assert any("Server A" in one.name for one in seen.chart.series)


def test_a_preview_says_when_the_settings_of_its_sentences_flush(client, shared):
    link, path = shared
    experiment = link.experiment
    for variant in experiment.plan["variants"]:
        flush, sync = variant["name"].split("/")
        variant["settings"] = {"innodb_flush_log_at_trx_commit": flush, "sync_binlog": sync}
    experiment.save()
    said = told(client.get(path).content.decode())["og:description"]
    assert "1/1: both logs flushed at each commit. 0/0: redo log written and flushed once a second" in said
    assert "2/0:" not in said, "no sentence names it"
