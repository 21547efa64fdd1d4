"""Test connection, from the button to the answer."""

from dataclasses import asdict

import pytest
from kombu.exceptions import OperationalError

from dashboard.records.audit.models import Event
from dashboard.records.fleet import task_queue
from dashboard.records.servers import actions
from dashboard.records.servers.models import Preflight
from workers import tasks
from workers.celery import app
from workers.servers.answered import AnsweredFacts
from workers.servers.durability import DurabilityStatement
from workers.servers.preflight import NOT_REACHED, PreflightCheck

CHECKS = [
    PreflightCheck("reach", "Reachable", "passed", "It answers in 0.2 ms.", ""),
    PreflightCheck("grant", "Privileges", "failed", "PROCESS <is> missing.", "GRANT 'x';"),
]
STORED = [asdict(check) for check in CHECKS]
DURABILITY = [DurabilityStatement(crash_class="power loss", what="engine", outcome="kept", says="flushed", rests_on="")]
FACTS = AnsweredFacts(flavour="mariadb", version_text="10.11.6-MariaDB")


def ask(client, server):
    return client.post(f"/servers/{server.pk}/test/", follow=True).content.decode()


def test_the_button_queues_a_test_and_tells_a_worker(client_in, server, sent_tasks):
    shown = ask(client_in, server)
    preflight = Preflight.objects.get()
    assert sent_tasks == [(task_queue.PREFLIGHT, preflight.pk)]
    assert "waiting for a worker" in shown
    assert f'data-preflight="/servers/preflights/{preflight.pk}.json"' in shown
    assert Event.objects.filter(did="tested").count() == 1


def test_the_task_exists_and_is_sent_to_the_redis_of_the_settings():
    assert tasks.preflight.name == task_queue.PREFLIGHT
    assert app.conf.broker_url.startswith("redis")


def test_a_second_press_queues_no_second_test_but_tells_a_worker_again(client_in, server, sent_tasks):
    ask(client_in, server)
    ask(client_in, server)
    assert Preflight.objects.count() == 1 and len(sent_tasks) == 2


def test_a_test_stays_queued_when_redis_is_down(client_in, server, monkeypatch):
    def silent(*_, **__):
        raise OperationalError("Error 111 connecting to /secret/path")

    monkeypatch.setattr(app, "send_task", silent)
    shown = ask(client_in, server)
    assert "does not answer" in shown and "/secret/path" not in shown
    assert Preflight.objects.get().state == "queued"


def test_a_sandbox_has_no_connection_to_test(client_in, sandbox, sent_tasks):
    assert "no connection to test" in ask(client_in, sandbox)
    assert not sent_tasks and not Preflight.objects.exists()


def test_a_test_is_claimed_once(server):
    preflight = Preflight.objects.create(server=server)
    assert actions.begin_preflight(preflight.pk, "host:1") == server
    assert actions.begin_preflight(preflight.pk, "host:2") is None
    preflight.refresh_from_db()
    assert (preflight.state, preflight.worker) == ("running", "host:1")


def test_a_deleted_test_cannot_be_claimed(db):
    assert actions.begin_preflight(99) is None


def test_the_answer_of_a_worker_that_was_given_up_is_dropped(server):
    preflight = Preflight.objects.create(server=server)
    actions.begin_preflight(preflight.pk)
    slow = Preflight.objects.get()
    Preflight.objects.update(state="queued")
    actions.begin_preflight(preflight.pk)
    actions.finish_preflight(slow, CHECKS)
    assert Preflight.objects.get().state == "running"
    actions.finish_preflight(Preflight.objects.get(), [])
    assert (Preflight.objects.get().state, Preflight.objects.get().checks) == ("done", [])


def answered(server):
    preflight = Preflight.objects.create(server=server)
    actions.begin_preflight(preflight.pk)
    preflight.refresh_from_db()
    actions.finish_preflight(preflight, CHECKS, DURABILITY, FACTS)
    return preflight


def test_the_page_shows_checks_fixes_and_durability(client_in, server):
    answered(server)
    shown = client_in.get(f"/servers/{server.pk}/").content.decode()
    assert "data-preflight" not in shown
    assert "PROCESS &lt;is&gt; missing." in shown and "GRANT &#x27;x&#x27;;" in shown
    assert 'class="check failed"' in shown and 'class="badge failed"' in shown
    assert "power loss" in shown and "10.11.6-MariaDB" in shown
    assert 'class="badge failed"' in client_in.get("/servers/").content.decode()


def test_the_script_is_told_the_state_of_the_test(client_in, server):
    preflight = Preflight.objects.create(server=server)
    path = f"/servers/preflights/{preflight.pk}.json"
    assert client_in.get(path).json()["state"] == "queued"
    Preflight.objects.update(state="done", checks=STORED)
    answer = client_in.get(path).json()
    assert answer["state"] == "done" and "Reachable" not in answer["html"].split("</ul>")[1]
    assert client_in.get("/servers/preflights/999.json").status_code == 404


def test_checks_without_an_answer_are_one_line_and_only_statements_can_be_copied(client_in, server):
    failed = PreflightCheck("r", "Reachable", "failed", "No.", "Start the server.")
    rest = [PreflightCheck(title, title, "unknown", NOT_REACHED, "") for title in ("Clocks", "Engines")]
    checks = [asdict(check) for check in (failed, *rest)]
    preflight = Preflight.objects.create(server=server, state="done", checks=checks)
    html = client_in.get(f"/servers/preflights/{preflight.pk}.json").json()["html"]
    assert html.count('<li class="check') == 2 and "Clocks, Engines" in html
    assert "Start the server." in html and "data-copy" not in html
    Preflight.objects.update(checks=STORED)
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
def test_the_outcome_is_that_of_the_worst_check(outcomes, worst):
    checks = [asdict(PreflightCheck("key", "Title", one, "", "")) for one in outcomes]
    assert Preflight(checks=checks).outcome == worst
