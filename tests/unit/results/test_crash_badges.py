"""Verdict badges: only what this installation measured with the same settings, flavour and version."""

import pytest
from django.template.loader import render_to_string

from dashboard.results.crash.badges import badges
from dashboard.servers.models import Preflight
from tests.unit.results import factory, trials

pytestmark = pytest.mark.django_db
SETTINGS = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"}


def asked(version="10.11.9-MariaDB", flavour="mariadb", **settings):
    server = factory.server("the one in question", host="h")
    facts = {"flavour": flavour, "version_text": version, "settings": {**SETTINGS, **settings}}
    Preflight.objects.create(server=server, state="done", facts=facts)
    return server


@pytest.fixture
def measured():
    one = trials.experiment({}, measured=0, levels={"1/1": 10.0, "1/0": 10.0})
    for variant, sync in zip(one.plan["variants"], ("1", "0"), strict=True):
        variant["settings"] = {"sync_binlog": sync}
    one.save()
    rates = {
        "1/1": {"power-loss": [(0, 0)] * 30, "process-kill": [None], "lying-disk": [(9, 9)]},
        "1/0": {"power-loss": [(2, 900)] * 4},
    }
    trials.add(one, rates, factory.environment_row(innodb_flush_log_at_trx_commit="1"))
    return one


def test_it_tells_what_was_measured_with_the_present_settings(measured):
    found = badges(asked())
    assert [(one.kind, one.state) for one in found] == [("process kill", "unknown"), ("power loss", "passed")]
    assert found[1].says == "power loss: failed in 0 of 30, at most 9.5\N{NO-BREAK SPACE}%"
    assert found[1].url == f"/results/{measured.pk}/"
    assert found[1].experiments == 1


def test_it_tells_failures(measured):
    assert [(one.kind, one.state) for one in badges(asked(sync_binlog="0"))] == [("power loss", "failed")]


@pytest.mark.parametrize(
    "other",
    [
        {"version": "10.6.1-MariaDB"},
        {"flavour": "mysql"},
        {"innodb_flush_log_at_trx_commit": "2"},
        {"sync_binlog": "100"},
    ],
)
def test_it_tells_nothing_of_other_settings_or_versions(measured, other):
    assert badges(asked(**other)) == []


def test_it_tells_nothing_of_an_experiment_whose_detector_failed(measured):
    measured.trials.filter(kind="lying-disk").update(verdict="valid")
    assert badges(asked()) == []


def test_it_tells_nothing_of_another_engine(measured):
    for variant in measured.plan["variants"]:
        variant["engine"] = "rocksdb"
    measured.save()
    assert badges(asked()) == []


def test_it_tells_of_myrocks_by_its_own_variable(measured):
    for variant in measured.plan["variants"]:
        variant["engine"] = "ROCKSDB"
        variant["settings"]["rocksdb_flush_log_at_trx_commit"] = "1"
    measured.save()
    assert badges(asked()) == [], "a server without MyRocks"
    found = badges(asked(rocksdb_flush_log_at_trx_commit="1"))
    assert [(one.kind, one.state) for one in found][1] == ("MyRocks, power loss", "passed")
    assert badges(asked(rocksdb_flush_log_at_trx_commit="1", rocksdb_manual_wal_flush="OFF")) == []


def test_it_knows_innodb_however_it_is_written(measured):
    for variant in measured.plan["variants"]:
        variant["engine"] = "InnoDB"
    measured.save()
    assert len(badges(asked())) == 2


def test_it_tells_nothing_of_a_server_that_never_answered(measured):
    assert badges(factory.server("new", host="n")) == []


def test_its_template_links_to_the_evidence(measured):
    html = render_to_string("results/_verdicts.html", {"verdicts": badges(asked())})
    assert f'href="/results/{measured.pk}/"' in html and "0 of 30" in html
    assert "No crash was tried" in render_to_string("results/_verdicts.html", {"verdicts": []})


def test_it_asks_few_questions(measured, django_assert_max_num_queries):
    server = asked()
    with django_assert_max_num_queries(7):
        badges(server)
