"""Test connection, from the button to the answer."""

import pytest
from kombu.exceptions import OperationalError

from dashboard.records.audit.models import Event
from dashboard.records.fleet import task_queue
from dashboard.records.servers import actions
from dashboard.records.servers.models import Preflight
from workers import tasks
from workers.celery import app
from workers.servers.preflight import NOT_REACHED

CHECKS = [
    {"key": "reach", "title": "Reachable", "outcome": "passed", "says": "It answers in 0.2 ms.", "fix": ""},
    {"key": "grant", "title": "Privileges", "outcome": "failed", "says": "PROCESS <is> missing.", "fix": "GRANT 'x';"},
]
DURABILITY = [
    {"crash_class": "power loss", "what": "engine", "outcome": "kept", "says": "flushed", "rests_on": "manual"}
]
FACTS = {"flavour": "mariadb", "version_text": "10.11.6-MariaDB", "words": []}


def ask(client, server):
    return client.post(f"/servers/{server.pk}/test/", follow=True).content.decode()


def test_it_queues_a_test_and_rings(client_in, server, sent_tasks):
    shown = ask(client_in, server)
    preflight = Preflight.objects.get()
    assert sent_tasks == [(task_queue.PREFLIGHT, preflight.pk)]
    assert "waiting for a worker" in shown
    assert f'data-preflight="/servers/preflights/{preflight.pk}.json"' in shown
    assert Event.objects.filter(did="tested").count() == 1


def test_it_rings_for_a_task_that_exists_at_the_redis_of_the_settings():
    assert tasks.preflight.name == task_queue.PREFLIGHT
    assert app.conf.broker_url.startswith("redis")


def test_it_queues_no_second_one_but_rings_again(client_in, server, sent_tasks):
    ask(client_in, server)
    ask(client_in, server)
    assert Preflight.objects.count() == 1 and len(sent_tasks) == 2


def test_it_stays_queued_when_redis_is_down(client_in, server, monkeypatch):
    def silent(*_, **__):
        raise OperationalError("Error 111 connecting to /secret/path")

    monkeypatch.setattr(app, "send_task", silent)
    shown = ask(client_in, server)
    assert "does not answer" in shown and "/secret/path" not in shown
    assert Preflight.objects.get().state == "queued"


def test_it_has_nothing_to_test_on_a_sandbox(client_in, sandbox, sent_tasks):
    assert "no connection to test" in ask(client_in, sandbox)
    assert not sent_tasks and not Preflight.objects.exists()


def test_it_is_claimed_once(server):
    preflight = Preflight.objects.create(server=server)
    assert actions.begin_preflight(preflight.pk, "host:1") == server
    assert actions.begin_preflight(preflight.pk, "host:2") is None
    preflight.refresh_from_db()
    assert (preflight.state, preflight.worker) == ("running", "host:1")


def test_it_cannot_be_claimed_when_it_is_gone(db):
    assert actions.begin_preflight(99) is None


def test_it_drops_the_answer_of_a_worker_that_was_given_up(server):
    preflight = Preflight.objects.create(server=server)
    actions.begin_preflight(preflight.pk)
    slow = Preflight.objects.get()
    Preflight.objects.update(state="queued")
    actions.begin_preflight(preflight.pk)
    actions.finish_preflight(slow, CHECKS, [], {})
    assert Preflight.objects.get().state == "running"
    actions.finish_preflight(Preflight.objects.get(), [], [], {})
    assert (Preflight.objects.get().state, Preflight.objects.get().checks) == ("done", [])


def answered(server):
    preflight = Preflight.objects.create(server=server)
    actions.begin_preflight(preflight.pk)
    preflight.refresh_from_db()
    actions.finish_preflight(preflight, CHECKS, DURABILITY, FACTS)
    return preflight


def test_it_shows_checks_fixes_and_durability(client_in, server):
    answered(server)
    shown = client_in.get(f"/servers/{server.pk}/").content.decode()
    assert "data-preflight" not in shown
    assert "PROCESS &lt;is&gt; missing." in shown and "GRANT &#x27;x&#x27;;" in shown
    assert 'class="check failed"' in shown and 'class="badge failed"' in shown
    assert "power loss" in shown and "10.11.6-MariaDB" in shown
    assert 'class="badge failed"' in client_in.get("/servers/").content.decode()


def test_it_tells_the_script_how_far_it_is(client_in, server):
    preflight = Preflight.objects.create(server=server)
    path = f"/servers/preflights/{preflight.pk}.json"
    assert client_in.get(path).json()["state"] == "queued"
    Preflight.objects.update(state="done", checks=CHECKS)
    answer = client_in.get(path).json()
    assert answer["state"] == "done" and "Reachable" not in answer["html"].split("</ul>")[1]
    assert client_in.get("/servers/preflights/999.json").status_code == 404


def test_it_folds_what_was_not_reached_and_offers_only_statements_to_copy(client_in, server):
    title = "Reachable"
    failed = {"key": "r", "title": title, "outcome": "failed", "says": "No.", "fix": "Start the server."}
    rest = [{"key": t, "title": t, "outcome": "unknown", "says": NOT_REACHED, "fix": ""} for t in ("Clocks", "Engines")]
    preflight = Preflight.objects.create(server=server, state="done", checks=[failed, *rest])
    html = client_in.get(f"/servers/preflights/{preflight.pk}.json").json()["html"]
    assert html.count('<li class="check') == 2 and "Clocks, Engines" in html
    assert "Start the server." in html and "data-copy" not in html
    Preflight.objects.update(checks=CHECKS)
    assert "data-copy" in client_in.get(f"/servers/preflights/{preflight.pk}.json").json()["html"]


@pytest.mark.parametrize(
    ("outcomes", "worst"),
    [
        (["passed", "warned"], "warned"),
        (["failed", "warned"], "failed"),
        (["passed"], "passed"),
        (["passed", "unknown"], "unknown"),
        ([], "unknown"),
    ],
)
def test_it_sums_up_by_the_worst_check(outcomes, worst):
    assert Preflight(checks=[{"outcome": one} for one in outcomes]).outcome == worst
