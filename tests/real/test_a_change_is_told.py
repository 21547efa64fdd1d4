"""A server that somebody made slower: its nights show it, a second measurement confirms it, and those who want to know
hear of it once, by mail and by a signed POST. Nights before are stored ones; the difference is real."""

import base64
import hmac
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from dashboard.records.experiments.models import Experiment
from dashboard.records.history.models import Change, Entry, Track
from dashboard.records.notifications import actions as notifications
from dashboard.records.notifications.models import Delivery
from dashboard.records.schedules.models import Night
from dashboard.records.servers.models import Server
from tests.real.clock import Clock, clock_at
from tests.real.lab import Logs, lab, one_cell, pass_to
from tests.real.mailbox import mailbox
from tests.real.parts import until
from tests.unit.history import nights as stored
from tests.unit.notifications.receiver import receiver
from tests.unit.schedules import made
from workers.servers import ask
from workers.servers.connection import connect

pytestmark = pytest.mark.django_db(transaction=True)
DUE = datetime(2026, 6, 11, 2, 30, tzinfo=UTC)
SOON, DAY = timedelta(minutes=2), timedelta(days=1)
CALM = 29  # stored nights before the first real one


@pytest.fixture
def theirs(make_sandbox):
    with make_sandbox({"log_bin": "ON", "sync_binlog": "0"}, name="watched", trace=False) as running:
        yield running


@pytest.fixture
def server(theirs):
    target = theirs.target
    made_one = Server(name="db1", kind="attached", host=target.host, port=target.port, user=target.user)
    made_one.set_password(target.password)
    made_one.save()
    return made_one


@pytest.fixture
def clock(transactional_db):
    with clock_at(DUE - timedelta(hours=2)) as clock:
        yield clock


def calm_nights(server: Server) -> None:
    """As the one that was measured, the nights before it."""
    one = Entry.objects.get()
    for back, factor in enumerate(stored.noise(CALM, spread=0.01), start=1):
        at = one.at - back * DAY
        fields = {"tps": one.tps * factor, "p99_ms": one.p99_ms * factor, "fsyncs": one.fsyncs * factor}
        known = {"environment": one.environment, "fsyncs_from": one.fsyncs_from, "repeats": 1, "track": one.track}
        Entry.objects.create(experiment=stored.experiment(server, at), at=at, **fields, **known)


def time_passes(clock: Clock, logs: Logs, true: Callable[[], bool]) -> None:
    """Until it is true and nothing is measured. While an experiment waits or runs the clock is not set: the worker of
    the experiment would look dead."""

    def step() -> bool:
        if Experiment.objects.filter(state__in=["queued", "running"]).exists():
            return False
        if true():
            return True
        pass_to(clock, clock.now + SOON, logs)
        return False

    until(step)


def _all_noted() -> bool:
    over = Experiment.objects.filter(night__isnull=False, state="done")
    return not over.filter(entries=None).exists() and not Track.objects.filter(unlooked=True).exists()


def _decided() -> bool:
    return Change.objects.filter(figure="fsyncs", decided_at__isnull=False).exists()


def test_a_real_change_is_confirmed_by_a_re_run_and_told_once(clock, server, theirs, tmp_path, sandbox_root):
    made.schedule(server, plan=one_cell(server).as_dict(), looked_at=clock.now)
    with mailbox() as mail, receiver() as hook:
        notifications.add(None, "email", "dbas", "dba@example.org", ["change_point"])
        address = f"http://127.0.0.1:{hook.port}/hook"
        _, secret = notifications.add(None, "webhook", "hook", address, ["change_point"])
        allowed = {"DURASCOPE_WEBHOOK_ALLOW": "http,private"}
        with lab(clock, tmp_path, sandbox_root, beats=2, **mail.environment, **allowed) as logs:
            pass_to(clock, DUE + timedelta(seconds=5), logs)
            until(lambda: Experiment.objects.filter(state="done").exists())
            time_passes(clock, logs, _all_noted)
            calm_nights(server)
            with connect(theirs.target) as link:
                ask.rows(link, "SET GLOBAL sync_binlog = 1")
            night = 0
            while not Change.objects.filter(figure="fsyncs").exists():
                night += 1
                assert night < 6, "two nights are enough, and three always"
                pass_to(clock, DUE + night * DAY + timedelta(seconds=5), logs)
                until(lambda n=night: Night.objects.filter(due_at=DUE + n * DAY, experiment__state="done").exists())
                time_passes(clock, logs, _all_noted)
            time_passes(clock, logs, _decided)
            until(lambda: not Delivery.objects.filter(state="waiting").exists())

    change = Change.objects.get(figure="fsyncs")
    assert change.state == "confirmed" and change.first.at.date() == (DUE + DAY).date()
    assert change.after > change.before + 0.5, "a commit has one fsync more, about"
    assert Night.objects.filter(experiment=change.rerun).exists(), "it was measured again, out of turn"
    assert change.decided_by.experiment_id == change.rerun_id

    assert not Delivery.objects.filter(state="failed").exists()
    posts = [signed(secret, one, clock)["data"] for one in hook.came]
    [told] = [one for one in posts if "fsyncs" in {each["figure"] for each in one["facts"]["changes"]}]
    [message] = [one for one in mail.came if told["title"] in one["Subject"]]
    text = message.get_content()
    assert "Measured again" in text and "sync_binlog" in text and "https://lab.example.org/history/" in text


def signed(secret: str, came: tuple, clock: Clock) -> dict:
    """What came, after the checks that Standard Webhooks asks a receiver to make."""
    _, headers, body = came
    at = int(headers["webhook-timestamp"])
    assert abs(at - clock.now.timestamp()) < 3600
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"{headers['webhook-id']}.{at}.".encode() + body, "sha256")
    assert headers["webhook-signature"] == f"v1,{base64.b64encode(digest).decode()}"
    return json.loads(body)
