"""A server may call itself anything: what is stored is bounded, and no page breaks, also on rows of 0.2.0."""

from dataclasses import replace

import pytest

from dashboard.records.experiments import storing_runs
from dashboard.records.experiments.models import Environment
from dashboard.records.servers import actions
from dashboard.records.servers.models import Preflight
from workers.servers.answered import AnsweredFacts
from workers.servers.preflight import PreflightCheck

FLUSH, SYNC = "innodb_flush_log_at_trx_commit", "sync_binlog"
HOSTILE = "1/</script><script>alert(1)</script>\x1b[31m\r\n"
FACTS = AnsweredFacts("mariadb", "10.11.6-MariaDB", {"innodb": "DEFAULT"}, {FLUSH: "2", SYNC: "0"})
PAGES = ("/experiments/new/", "/servers/", "/servers/{}/", "/servers/{}/edit/", "/audit/", "/")


def stored(server, facts):
    """As 0.2.0 stored it."""
    return Preflight.objects.create(
        server=server, state="done", facts={"flavour": "mariadb", "version_text": "10.11.6-MariaDB", **facts}
    )


@pytest.mark.parametrize(
    "facts",
    [
        {"settings": {FLUSH: HOSTILE, SYNC: HOSTILE}},
        {"settings": {FLUSH: "1/2", SYNC: "3"}},
        {"settings": {FLUSH: "x" * (1 << 20), SYNC: "1"}},
        {"version_text": "10.11.19-MariaDB" + "A" * (13 << 20)},
        {"engines": {HOSTILE: HOSTILE}, "words": [[FLUSH, "y" * (1 << 20), HOSTILE]], "max_connections": "9" * 5000},
    ],
    ids=["script", "slash", "long setting", "long version", "engines and words"],
)
def test_no_page_breaks_on_what_was_stored(client_in, server, facts):
    stored(server, facts)
    for page in PAGES:
        answer = client_in.get(page.format(server.pk))
        assert answer.status_code == 200, page
        assert len(answer.content) < 300_000 and b"\x1b" not in answer.content, page
        assert b"<script>alert(1)" not in answer.content, page


def test_the_pair_of_an_honest_server_is_offered(client_in, server):
    stored(server, {"settings": {FLUSH: "2", SYNC: "1000"}})
    assert "2/1000" in client_in.get("/experiments/new/").content.decode()


def test_what_a_test_found_is_bounded_when_it_is_stored(server):
    preflight = Preflight.objects.create(server=server)
    actions.begin_preflight(preflight.pk)
    preflight.refresh_from_db()
    long = HOSTILE + "x" * (1 << 20)
    facts = replace(FACTS, version_text=long, settings={FLUSH: long, long: "1"}, replication={"values": {"a": long}})
    actions.finish_preflight(preflight, [PreflightCheck("a", "A", "passed", long, long)], (), facts)
    preflight.refresh_from_db()
    assert len(repr((preflight.facts, preflight.checks))) < 30_000
    assert "\x1b" not in repr(preflight.facts) + preflight.checks[0]["says"]
    assert preflight.known.settings[FLUSH].startswith("1/")


def test_so_is_the_environment_of_a_measurement(db):
    row = storing_runs.environment_row({"server": {"flavour": "mariadb", "version": HOSTILE + "A" * (13 << 20)}})
    assert len(row.data["server"]["version"]) < 1100
    earlier = Environment.objects.create(digest="0", data={"server": {"version": "A" * (13 << 20)}})
    assert len(earlier.known.server.version) < 1100
