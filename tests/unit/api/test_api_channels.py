"""Where notifications go, by script: listed, tried, and what became of a message."""

import pytest

from dashboard.records.accounts.role import Role
from dashboard.records.fleet import task_queue
from dashboard.records.notifications import actions, post
from dashboard.records.notifications.models import Delivery
from tests.unit.api.tokens import script, somebody

pytestmark = pytest.mark.django_db


def test_a_channel_is_tried_and_its_message_followed(monkeypatch):
    monkeypatch.setattr(task_queue, "send", lambda *_: None)
    maria = script(somebody(Role.OPERATOR, "maria"))
    _, secret = actions.add(None, "webhook", "hook", "https://hooks.example.org/secret-path", ["change_point"])
    listed = maria.get("/api/v1/channels")
    [channel] = listed.json()["items"]
    assert channel["shown"] == "https://hooks.example.org/…" and channel["events"] == ["change_point"]
    assert "secret-path" not in listed.content.decode() and secret not in listed.content.decode()
    asked = maria.post(f"/api/v1/channels/{channel['id']}/tests")
    assert asked.status_code == 202 and asked.json()["state"] == "waiting"
    row = Delivery.objects.get()
    post._failed(row, post.Undeliverable("The channel was deleted."), row.created_at)
    Delivery.objects.update(state="failed", error="No such host.")
    told = maria.get(f"/api/v1/deliveries/{row.pk}").json()
    assert (told["state"], told["error"], told["key"]) == ("failed", "No such host.", str(row.key))
    assert maria.get("/api/v1/deliveries", {"state": "failed"}).json()["items"] == [told]
    assert maria.get("/api/v1/deliveries", {"state": "sent"}).json()["count"] == 0


def test_a_viewer_does_not_see_channels():
    assert script(somebody(Role.VIEWER)).get("/api/v1/channels").status_code == 403
