"""Pages and rounds ask the database as often with many servers and schedules as with a few."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dashboard.records.experiments.models import Experiment
from dashboard.records.schedules import nights
from dashboard.records.schedules.models import Schedule
from dashboard.records.servers.models import Preflight, Server
from tests.unit.api.tokens import script
from tests.unit.results import factory
from workers.upkeep import housekeeping

pytestmark = pytest.mark.django_db
REPLICATION = {"server_id": 1, "port": 3306, "sources": [], "replicas": [], "members": None}
FACTS = {
    "flavour": "mariadb",
    "version_text": "10.11.6-MariaDB",
    "engines": {"innodb": "DEFAULT"},
    "settings": {"sync_binlog": "1", "innodb_flush_log_at_trx_commit": "1"},
    "replication": REPLICATION,
}
PAGES = [
    "/",
    "/servers/",
    "/servers/audit/",
    "/nights/",
    "/experiments/",
    "/experiments/new/",
    "/nights/new/",
    "/workers/",
]


def more(count):
    """Servers with a connection test and a schedule, and a queued experiment of each."""
    have = Server.objects.count()
    names = [f"db{n}" for n in range(have, have + count)]
    made = Server.objects.bulk_create(Server(name=name, kind="attached", host="192.0.2.7") for name in names)
    now = timezone.now()
    Preflight.objects.bulk_create(Preflight(server=one, state="done", done_at=now, facts=FACTS) for one in made)
    plan = factory.plan([made[0]]).as_dict()
    person = User.objects.get_or_create(username="runs nights")[0]
    Schedule.objects.bulk_create(
        Schedule(
            name=one.name, plan={**plan, "targets": [{"server_id": one.pk, "name": one.name, "is_sandbox": False}]},
            cron="30 2 * * *", zone="UTC", runs_as=person, looked_at=now,
        )
        for one in made
    )  # fmt: skip


def asked(act):
    with CaptureQueriesContext(connection) as queries:
        act()
    return len(queries)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_asks_as_often_with_many_servers(client_in, page):
    more(3)
    client_in.get(page)
    few = asked(lambda: client_in.get(page))
    more(30)
    client_in.get(page)  # the audit remembers the outcomes until a server or a test changes
    assert asked(lambda: client_in.get(page)) <= few


def test_the_page_of_a_server_asks_nothing_of_each_other_one(client_in):
    more(3)
    page = f"/servers/{Server.objects.order_by('pk')[0].pk}/"
    few = asked(lambda: client_in.get(page))
    more(30)
    assert asked(lambda: client_in.get(page)) == few


@pytest.mark.parametrize("address", ["/api/v1/schedules", "/api/v1/audit", "/api/v1/servers"])
def test_a_list_of_the_api_asks_as_often_for_20_rows_as_for_2(admin, address):
    """The servers are production, so a schedule is told with the one that nobody confirmed."""
    reader, counts = script(admin, "see"), []
    for count in (2, 18):
        more(count)
        Server.objects.update(label="production")
        reader.get(address)  # the first use of a token is written down
        counts.append(asked(lambda: reader.get(address)))
    told = reader.get(address).json()
    assert len(told.get("items") or told["lines"]) == 20 and counts[0] == counts[1]
    assert all(one.get("unconfirmed", "db") for one in told.get("items", ()))


def test_the_round_of_schedules_asks_nothing_about_those_that_are_not_due():
    more(2)
    quiet = timezone.now().replace(hour=12) + timedelta(days=1)

    def round_of_all():
        Schedule.objects.update(looked_at=quiet)
        return asked(lambda: nights.watch(quiet + timedelta(minutes=1), print, lambda _: ""))

    round_of_all()
    few = round_of_all()
    more(30)
    assert round_of_all() == few


def test_housekeeping_sends_a_few_of_many_queued_experiments_with_one_query():
    long_ago, sent = timezone.now() - timedelta(hours=1), []
    for n in range(25):
        factory.experiment({"1/1": 1.0}, threads=(1,), repeats=1, measured=0, state="queued", name=f"waits {n}")
    Experiment.objects.update(created_at=long_ago)
    assert asked(lambda: housekeeping._send_experiments(sent.append)) == 1
    assert len(sent) == len(set(sent)) == housekeeping.SENT_AGAIN


def test_of_very_many_servers_lists_show_a_part_and_forms_offer_a_few(client_in):
    more(230)
    first = Server.objects.order_by("pk")[0]
    shown = client_in.get("/servers/").content.decode()
    assert shown.count("/servers/") < 130 and "page 1 of 3" in shown
    assert "db229" in client_in.get("/servers/?words=db229").content.decode()
    assert "No server matches" in client_in.get("/servers/?words=nothing").content.decode()
    form = client_in.get(f"/experiments/new/?server={first.pk}").content.decode()
    assert form.count('name="servers"') == 31 and "Of 230 servers the newest 30 are offered" in form
    assert f'value="{first.pk}"' in form, "the server that was chosen on its page"
    listed = client_in.get(f"/experiments/?server={first.pk}")
    assert listed.status_code == 200 and listed.content.decode().count("<option") < 100
