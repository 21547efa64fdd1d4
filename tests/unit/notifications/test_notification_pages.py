"""Channels as people set them up: shown once, tried, paused, deleted; nothing secret is seen again."""

import re

import pytest
from django.core.validators import validate_email

from dashboard.environment import mail_settings
from dashboard.installation import vault
from dashboard.pages.notifications.views import ChannelForm
from dashboard.records.accounts.role import Role
from dashboard.records.audit.models import Event
from dashboard.records.fleet import task_queue
from dashboard.records.notifications import actions, post
from dashboard.records.notifications.models import Channel, Delivery
from tests.unit.notifications.receiver import receiver
from tests.unit.schedules.made import somebody

pytestmark = pytest.mark.django_db
HOOK = "https://hooks.example.org/services/T0KEN"
# By its form an e-mail address. On an administrator's page its name would be a button that makes somebody another one.
BUTTON = """"<button/formaction='/people/2/role/'name='role'value='administrator'>Save</button>"@x.org"""


@pytest.fixture
def dba(client):
    user = somebody()
    client.force_login(user)
    return user


@pytest.fixture(autouse=True)
def notified(monkeypatch):
    heard = []
    monkeypatch.setattr(task_queue, "send", lambda task, row_id, *_: heard.append((task, row_id)))
    return heard


def text(answer):
    return re.sub(r"\s+", " ", answer.content.decode())


def add(client, address=HOOK, kind="webhook", name="hook"):
    return client.post(f"/notifications/new/{kind}/", {"name": name, "address": address, "events": ["night_failed"]})


def test_a_secret_is_shown_once_and_an_address_never_again(client, dba):
    answer = add(client)
    (secret,) = re.findall(r"whsec_[A-Za-z0-9+/=]{44}", text(answer))
    assert answer["Cache-Control"] == "no-store"
    one = Channel.objects.get()
    assert vault.open_sealed(one.secret_sealed) == secret and vault.open_sealed(one.address_sealed) == HOOK
    for page in ("/notifications/", f"/notifications/{one.pk}/"):
        shown = text(client.get(page))
        assert "whsec_" not in shown and "T0KEN" not in shown and "hooks.example.org" in shown
    said = str(list(Event.objects.values_list("detail", flat=True)))
    assert "T0KEN" not in said and "whsec_" not in said


def test_a_new_secret_replaces_the_old_one(client, dba):
    add(client)
    one = Channel.objects.get()
    before = vault.open_sealed(one.secret_sealed)
    (fresh,) = re.findall(r"whsec_[A-Za-z0-9+/=]{44}", text(client.post(f"/notifications/{one.pk}/secret/")))
    one.refresh_from_db()
    assert before != fresh == vault.open_sealed(one.secret_sealed)


@pytest.mark.parametrize(
    ("kind", "address", "says"),
    [
        ("email", "nobody", "not an e-mail address"),
        ("webhook", "http://x.example/", "must begin with https"),
        ("webhook", "x", "not the address"),
        ("email", BUTTON, "without the signs"),
        ("webhook", "https://x.org<button/formaction='/people/2/role/'>/", "without the signs"),
        ("webhook", 'https://hooks.example.org/?a="', "without the signs"),
    ],
)
def test_an_address_that_will_not_do_is_refused(client, dba, kind, address, says):
    answer = add(client, address, kind)
    assert answer.status_code == 422 and says in text(answer) and not Channel.objects.exists()


@pytest.mark.parametrize("kind", ["email", "webhook"])
def test_markup_in_an_address_is_escaped(client, dba, kind):
    validate_email(BUTTON)
    one = Channel.objects.create(name="x", kind=kind, address_sealed=vault.seal(BUTTON), shown=BUTTON)
    for page in ("/notifications/", f"/notifications/{one.pk}/"):
        shown = text(client.get(page))
        assert "&lt;button/formaction=&#x27;/people/2/role/" in shown
        assert "<button/" not in shown


def test_an_unknown_kind_is_not_found_and_a_name_is_not_given_twice(client, dba):
    assert client.get("/notifications/new/pigeon/").status_code == 404
    add(client)
    assert "Another channel has this name" in text(add(client))


def test_the_second_of_two_clicks_at_once_is_told_that_the_name_is_taken(client, dba, monkeypatch):
    """Both looked before either had added its channel."""
    monkeypatch.setattr(ChannelForm, "clean_name", lambda form: form.cleaned_data["name"])
    add(client)
    again = add(client)
    assert again.status_code == 422 and "Another channel has this name" in text(again)
    other = Channel.objects.create(name="other", kind="email", address_sealed=vault.seal("a@b.org"), shown="a@b.org")
    taken = {"name": Channel.objects.exclude(pk=other.pk).get().name, "address": "", "events": []}
    changed = client.post(f"/notifications/{other.pk}/", taken)
    assert changed.status_code == 422 and "Another channel has this name" in text(changed)
    other.refresh_from_db()
    assert other.name == "other" and Channel.objects.count() == 2


def test_an_address_left_empty_stays(client, dba):
    add(client)
    one = Channel.objects.get()
    form = {"name": "other", "address": "", "events": ["night_missed", "change_point"]}
    client.post(f"/notifications/{one.pk}/", form)
    one.refresh_from_db()
    assert (one.name, one.events, vault.open_sealed(one.address_sealed)) == (
        "other", ["night_missed", "change_point"], HOOK,
    )  # fmt: skip


def test_a_test_goes_the_whole_way_and_its_end_is_shown(
    client, dba, notified, settings, django_capture_on_commit_callbacks
):
    settings.WEBHOOK_ALLOW = ["http", "private"]
    with receiver() as got:
        add(client, f"http://127.0.0.1:{got.port}/hook")
        one = Channel.objects.get()
        with django_capture_on_commit_callbacks(execute=True):
            assert "is queued" in text(client.post(f"/notifications/{one.pk}/test/", follow=True))
        ((task, pk),) = notified
        assert task == task_queue.DELIVERY
        post.deliver(pk, Delivery.objects.get().next_at)
        assert got.came[0][0] == "/hook" and b'"type": "test"' in got.came[0][2]
    assert "sent</span>" in text(client.get("/notifications/"))


def test_a_failed_delivery_is_shown_with_the_reason(client, dba):
    add(client, "https://localhost/")
    one = Channel.objects.get()
    actions.send_test(dba, one)
    row = Delivery.objects.get()
    post.deliver(row.pk, row.next_at)
    shown = text(client.get("/notifications/"))
    assert "failed</span>" in shown and "is in a private network" in shown


def test_a_channel_is_paused_resumed_and_deleted(client, dba):
    add(client)
    one = Channel.objects.get()
    assert "Resume" in text(client.post(f"/notifications/{one.pk}/pause/", follow=True))
    assert "Pause" in text(client.post(f"/notifications/{one.pk}/resume/", follow=True))
    client.post(f"/notifications/{one.pk}/delete/")
    assert not Channel.objects.exists()


def test_a_viewer_is_not_shown_where_news_goes(client):
    client.force_login(somebody("guest", Role.VIEWER))
    assert client.get("/notifications/").status_code == 403
    assert "/notifications/" not in text(client.get("/nights/"))


def test_the_page_names_the_settings_that_are_missing(client, dba, settings):
    settings.ADDRESS, settings.EMAIL_HOST = "", ""
    add(client, "dba@example.org", "email")
    shown = text(client.get("/notifications/"))
    assert "DURASCOPE_ADDRESS" in shown and "DURASCOPE_SMTP_HOST" in shown


def test_the_mail_server_comes_from_the_environment():
    assert mail_settings({})["EMAIL_HOST"] == ""
    given = mail_settings({"DURASCOPE_SMTP_HOST": "m", "DURASCOPE_SMTP_TLS": "tls"})
    assert (given["EMAIL_PORT"], given["EMAIL_USE_SSL"], given["EMAIL_USE_TLS"]) == (465, True, False)
    for name, wrong in (("TLS", "maybe"), ("PORT", "x"), ("PORT", "0"), ("PORT", "65536")):
        with pytest.raises(ValueError, match=f"DURASCOPE_SMTP_{name}"):
            mail_settings({f"DURASCOPE_SMTP_{name}": wrong})
