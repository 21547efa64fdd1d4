"""The survival board: what is tested and what concluded, in which order, and that names do no harm."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dashboard.findings.board.board import board
from dashboard.findings.board.nights import NIGHTS, few_nights
from dashboard.findings.board.rows import rows
from dashboard.findings.board.takes import by_settings
from dashboard.findings.board.tested import KINDS
from dashboard.findings.board.values import CrashVerdict
from dashboard.pages.front import board_page
from dashboard.records.experiments.kind_names import HISTORIES
from dashboard.records.experiments.models import Trial
from dashboard.records.servers.models import Preflight, Server
from tests.markup import flat
from tests.unit.findings.test_audit import registered, replication, settings
from tests.unit.history import nights
from tests.unit.results import factory, trials
from workers.bench.plan import CONTROLS
from workers.bench.trial_kinds import TRIAL_KINDS
from workers.servers.replication import Peer

pytestmark = pytest.mark.django_db
POWER = 1


def sandbox(name="Sandbox"):
    return Server.objects.create(name=name, kind="sandbox", build="system-mariadb")


def labelled(name, label, *asked):
    server = registered(name, *asked)
    Server.objects.filter(pk=server.pk).update(label=label)
    return server


def told(made=None):
    """The servers of the board by name."""
    newest = {made.plan["targets"][0]["server_id"]: made.pk} if made else {}
    return {one.name: one for one in board(newest).servers}


def power(made):
    return next(iter(told(made).values())).verdicts[POWER]


def test_settings_alone_conclude():
    registered("db1", settings("1", "0"))
    one = told()["db1"].verdicts
    assert [each.outcome for each in one] == ["kept", "lost", "none"]
    assert {each.certainty for each in one} == {"concluded"}
    assert one[POWER].look == "would-lost" and one[POWER].changes == ("sync_binlog=1",)


def test_a_server_that_was_not_read_is_unknown():
    factory.server("db1")
    assert {one.outcome for one in told()["db1"].verdicts} == {"unknown"}


@pytest.mark.parametrize(
    ("losses", "outcome", "look"),
    [
        ([(0, 0)] * 100, "kept", "kept"),
        ([(0, 0)] * 3, "kept", "few"),
        ([(0, 0), (5, 5)], "lost", "lost"),
        ([(0, 0), None], "unknown", "unknown"),
        ([None], "unknown", "unknown"),
    ],
)
def test_trials_of_a_sandbox_say_how_sure_they_are(losses, outcome, look):
    made = trials.experiment({"1/1": {"power-loss": losses}}, servers=[sandbox()], measured=0)
    assert (power(made).outcome, power(made).look) == (outcome, look)


def test_a_sandbox_names_the_settings_that_lost_and_those_that_kept():
    found = power(trials.experiment(servers=[sandbox()], measured=0))
    assert (found.lost_with, found.kept_with) == (("0/0", "2/0"), ("1/1",))


def test_nothing_counts_where_the_self_test_failed():
    lying = {"1/1": {"power-loss": [(5, 5)] * 3, "lying-disk": [(0, 0)]}}
    assert power(trials.experiment(lying, servers=[sandbox()], measured=0)).outcome == "unknown"


def present(losses, sync="1", has="1"):
    """Trials with that sync_binlog, on a server of one's own that has another one now."""
    server = registered("db1", settings("1", has))
    made = trials.experiment({"1/1": {"power-loss": losses}}, servers=[server], measured=0)
    made.plan["variants"][0]["settings"] = {"sync_binlog": sync}
    made.save()
    return power(made)


def test_a_trial_counts_for_a_server_that_has_its_settings():
    assert present([(5, 5)]).look == "lost"


def test_a_trial_with_other_settings_does_not_count():
    assert present([(5, 5)], sync="0").look == "would-kept"


def test_a_few_trials_without_a_loss_do_not_refute_the_settings():
    assert present([(0, 0)] * 100, sync="0", has="0").look == "would-lost"


def test_each_kind_of_trial_has_its_crash():
    """Crashes of a replica, histories and controls say nothing of the commits of a server under load."""
    others = {*HISTORIES, *CONTROLS, "replica-crash-points", "no-fault"}
    others |= {one for one in TRIAL_KINDS if one.startswith("replica-")}
    assert KINDS.keys() == TRIAL_KINDS.keys() - others


def test_production_comes_first_then_the_worst_and_a_sandbox_last():
    made = trials.experiment({"0/0": {"power-loss": [(5, 5)]}}, servers=[sandbox()], measured=0)
    labelled("test-killed", "test", settings("0"))
    labelled("kept", "production", settings())
    labelled("redo", "production", settings("2", "1"))
    labelled("binlog", "production", settings("2", "0"))
    labelled("stage", "staging", settings())
    assert list(told(made)) == ["binlog", "redo", "kept", "stage", "test-killed", "Sandbox"]


@pytest.mark.parametrize(
    ("flush", "sync", "more", "much", "number"),
    [
        ("1", "1", {}, "nothing", 0),
        ("2", "1", {}, "seconds", 1),
        ("2", "1", {"innodb_flush_log_at_timeout": "5"}, "seconds", 5),
        ("1", "0", {}, "no limit", 0),
        ("2", "100", {}, "groups", 100),
    ],
)
def test_settings_say_how_much_a_power_loss_takes(flush, sync, more, much, number):
    registered("db1", settings(flush, sync, **more))
    found = rows(board({}), board({}).servers, timezone.now())[0].takes
    assert (found.much, found.number, found.is_tested) == (much, number, False)


def test_an_unknown_outcome_takes_an_unknown_amount():
    assert by_settings(CrashVerdict("unknown"), {"sync_binlog": "1"}).much == "not known"


def taken(lost, **fields):
    made = trials.experiment({"2/0": {"power-loss": [lost]}}, servers=[sandbox()], measured=0)
    Trial.objects.filter(experiment=made).update(**fields)
    found = board({made.plan["targets"][0]["server_id"]: made.pk})
    return rows(found, found.servers, timezone.now())[0].takes


def test_a_trial_says_how_much_it_lost():
    one = taken((10, 900), lost_engine_ms=400.0, lost_binlog_ms=1900.0, acknowledged=1000)
    assert (one.much, one.number, one.log) == ("seconds", 1.9, "binary log")


def test_a_load_that_was_lost_whole_is_the_least_that_is_lost():
    assert taken((10, 1000), lost_binlog_ms=1900.0, acknowledged=1000).much == "whole load"


def test_a_loss_without_its_time_is_not_known():
    assert taken((10, 10), lost_engine_ms=None, lost_binlog_ms=None).much == "not known"


def test_a_row_tells_role_version_last_look_and_the_change():
    sources = (Peer("db1.example.org", 3306, 1, state="follows", by_gtid=True),)
    at = timezone.now() - timedelta(hours=3)
    registered("db1", settings("2", "0"), replication(1), done_at=at)
    registered("db2", settings("2", "0"), replication(2, sources), done_at=at)
    found = board({})
    by_name = {one.server.name: one for one in rows(found, found.servers, at)}
    one = by_name["db1"]
    assert (one.flushes, one.version, one.looked_at) == ("2/0", "MySQL 8.0.36", at)
    assert one.changes == ("innodb_flush_log_at_trx_commit=1", "sync_binlog=1")
    assert one.has_replica and by_name["db2"].replica_of == "db1"


def test_fourteen_nights_hold_the_nights_without_a_measurement():
    server = factory.server("db1")
    made = nights.history(server, [1000.0, 900.0, 800.0])
    found = few_nights([server.pk], made[-1].at)[server.pk]
    assert len(found.tps) == NIGHTS and found.tps[-3:] == (1000.0, 900.0, 800.0)
    assert found.tps[:-3] == (None,) * (NIGHTS - 3) and found.last_tps == 800
    assert few_nights([server.pk], made[-1].at + timedelta(days=NIGHTS)) == {}


def page(client, **asked):
    return flat(client.get(reverse("home"), asked).text)


def test_the_headline_counts_and_the_list_filters(client_in):
    labelled("loses", "production", settings("2", "0"))
    labelled("keeps", "test", settings())
    factory.server("silent")
    html = page(client_in)
    assert "1 of 3 servers may lose commits on power loss." in html
    assert "Production: <b>1 of 1</b>. 0 tested, 2 concluded from settings, 1 unknown." in " ".join(html.split())
    assert "set <code>sync_binlog=1</code>" in html
    lost = page(client_in, crash="power", outcome="lost")
    listed = lost.partition('class="board-rows"')[2]
    assert ">loses</a>" in listed and ">keeps</a>" not in listed and ">silent</a>" not in listed
    assert ">keeps</a>" in page(client_in, label="x", outcome="'", page="-1").partition('class="board-rows"')[2]


def test_above_the_most_squares_the_counts_open_as_lists(client_in, monkeypatch):
    monkeypatch.setattr(board_page, "MOST_SQUARES", 2)
    for name, label in (("a", "production"), ("b", "production"), ("c", "test")):
        labelled(name, label, settings("2", "0"))
    html = page(client_in)
    assert 'class="squares"' not in html
    assert 'href="?label=production&amp;crash=power&amp;outcome=lost"><b>2</b>' in html
    listed = page(client_in, label="production", crash="power", outcome="lost").partition('class="board-rows"')[2]
    assert ">a</a>" in listed and ">b</a>" in listed and ">c</a>" not in listed


def test_a_long_list_has_pages(client_in, monkeypatch):
    monkeypatch.setattr(board_page, "ROWS_A_PAGE", 2)
    for name in "abc":
        factory.server(name)
    assert ">c</a>" in page(client_in, page="2").partition('class="board-rows"')[2]


def test_names_are_escaped(client_in):
    registered("<script>alert(1)</script>", settings())
    html = page(client_in)
    assert "<script>alert" not in html and "&lt;script&gt;alert(1)&lt;/script&gt;: Server killed" in html


def test_a_guest_sees_nothing_of_it():
    registered("db1", settings("2", "0"))
    answer = Client().get(reverse("home"))
    assert answer.status_code == 302 and "db1" not in answer.text


def test_a_viewer_is_not_offered_an_experiment():
    registered("db1", settings("2", "0"))
    viewer = Client()
    viewer.force_login(User.objects.create_user("viewer", password="a long test password"))
    assert "may lose commits" in page(viewer) and "New experiment" not in page(viewer)


def test_many_servers_ask_as_much_as_few(client_in, django_assert_max_num_queries):
    names = [f"server {n}" for n in range(300)]
    Server.objects.bulk_create(Server(name=name, kind="attached", host=name, label="production") for name in names)
    facts = {"flavour": "mysql", "version_text": "8.0.36", "settings": settings("2", "0")}
    made = Server.objects.all()
    Preflight.objects.bulk_create(
        Preflight(server=one, state="done", done_at=timezone.now(), facts=facts) for one in made
    )
    page(client_in)
    with django_assert_max_num_queries(28):
        assert "300 of 300 servers may lose commits" in page(client_in)
