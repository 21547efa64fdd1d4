"""The way of a message: queued with what it tells of, claimed once, tried again, given up, logged."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.core import mail
from django.db import connection, transaction

from dashboard.installation import vault
from dashboard.records.fleet import task_queue
from dashboard.records.notifications import actions, post
from dashboard.records.notifications.channels import CHANNELS
from dashboard.records.notifications.channels import mail as by_mail
from dashboard.records.notifications.events import EVENTS, News, notify
from dashboard.records.notifications.models import Channel, Delivery
from dashboard.records.notifications.undelivered import Undeliverable, Undelivered

NOW = datetime(2100, 1, 1, tzinfo=UTC)
EVENT = News("change_point", "Slower\nby half", "At 8 threads.", "/nights/1/", {"p": 0.01})
pytestmark = pytest.mark.django_db


@pytest.fixture
def channel():
    made, _ = actions.add(None, "email", "dbas", "dba@example.org", ["change_point"])
    return made


@pytest.fixture
def notified(monkeypatch):
    heard = []
    monkeypatch.setattr(task_queue, "send", lambda task, row_id, *_: heard.append((task, row_id)))
    return heard


@pytest.fixture
def sends(monkeypatch):
    """What channels of e-mail were given; put an exception in to have it raised."""
    given = []

    def send(address, secret, message):
        given.append(message)
        if isinstance(outcome[0], Exception):
            raise outcome[0]

    outcome = [None]
    way = CHANNELS["email"]
    monkeypatch.setitem(CHANNELS, "email", replace(way, send=send))
    return given, outcome


def test_only_channels_that_want_it_are_told(channel, notified, django_capture_on_commit_callbacks):
    actions.add(None, "email", "others", "o@example.org", ["night_failed"])
    actions.add(None, "email", "asleep", "s@example.org", ["change_point"])
    actions.pause(None, Channel.objects.get(name="asleep"))
    with django_capture_on_commit_callbacks(execute=True):
        assert notify(EVENT) == 1
    row = Delivery.objects.get()
    assert (row.to, row.title, row.state) == ("dbas", "Slower by half", "waiting")
    assert notified == [(task_queue.DELIVERY, row.pk)]


def test_an_unknown_kind_is_a_mistake_of_the_caller(channel):
    with pytest.raises(KeyError):
        notify(News("nonsense", "", "", "/"))


@pytest.mark.django_db(transaction=True)
def test_an_event_that_is_rolled_back_is_not_delivered(notified):
    actions.add(None, "email", "dbas", "dba@example.org", ["change_point"])
    with pytest.raises(RuntimeError), transaction.atomic():
        notify(EVENT)
        raise RuntimeError
    assert not Delivery.objects.exists() and notified == []


def test_a_message_queue_that_is_down_loses_nothing(channel, monkeypatch, django_capture_on_commit_callbacks):
    def silent(*_):
        raise task_queue.QueueDown

    monkeypatch.setattr(task_queue, "send", silent)
    with django_capture_on_commit_callbacks(execute=True):
        notify(EVENT)
    assert list(post.waiting(NOW)) == [Delivery.objects.get().pk]


def test_a_message_is_sent_once(channel, sends):
    notify(EVENT)
    row = Delivery.objects.get()
    post.deliver(row.pk, NOW)
    post.deliver(row.pk, NOW)
    row.refresh_from_db()
    assert (row.state, row.attempts, row.error, len(sends[0])) == ("sent", 1, "", 1)


def test_a_failed_delivery_is_retried_at_growing_intervals_and_given_up(channel, sends):
    given, outcome = sends
    outcome[0] = Undelivered("No answer.")
    notify(EVENT)
    row, now, waits = Delivery.objects.get(), NOW, []
    while True:
        post.deliver(row.pk, now)
        row.refresh_from_db()
        if row.state != "waiting":
            break
        assert list(post.waiting(now)) == []
        waits.append((row.next_at - now) / timedelta(minutes=1))
        now = row.next_at
    assert waits == [1, 5, 30, 120, 360]
    assert (row.state, row.attempts, row.error, len(given)) == ("failed", 6, "No answer.", 6)
    assert len({message.key for message in given}) == 1, "the receiver can tell that it is the same one"


def test_an_undeliverable_message_is_given_up_at_once(channel, sends):
    sends[1][0] = Undeliverable("Refused.", "Look there.")
    notify(EVENT)
    post.deliver(Delivery.objects.get().pk, NOW)
    row = Delivery.objects.get()
    assert (row.state, row.attempts, row.error) == ("failed", 1, "Refused. Look there.")


def test_an_unexpected_error_is_retried_without_showing_its_text(channel, sends, caplog):
    sends[1][0] = RuntimeError("secret address")
    notify(EVENT)
    post.deliver(Delivery.objects.get().pk, NOW)
    row = Delivery.objects.get()
    assert (row.state, row.error) == ("waiting", "Unexpected: RuntimeError.")


def test_a_channel_that_is_gone_gets_nothing_and_its_log_stays(channel):
    notify(EVENT)
    actions.remove(None, channel)
    post.deliver(Delivery.objects.get().pk, NOW)
    row = Delivery.objects.get()
    assert (row.state, row.to, row.error) == ("failed", "dbas", "The channel was deleted.")


def test_a_key_that_is_lost_is_said(channel):
    Channel.objects.update(address_sealed=b"nonsense")
    notify(EVENT)
    post.deliver(Delivery.objects.get().pk, NOW)
    row = Delivery.objects.get()
    assert row.state == "failed" and "Enter the channel's address again." in row.error


@pytest.mark.django_db(transaction=True)
def test_two_workers_send_it_once(sends):
    actions.add(None, "email", "dbas", "dba@example.org", ["change_point"])
    notify(EVENT)
    pk, start = Delivery.objects.get().pk, threading.Barrier(4)

    def work():
        try:
            start.wait(60)
            post.deliver(pk, NOW)
        finally:
            connection.close()

    workers = [threading.Thread(target=work) for _ in range(4)]
    for one in workers:
        one.start()
    for one in workers:
        one.join(120)
    assert len(sends[0]) == 1 and Delivery.objects.get().state == "sent"


def test_a_worker_that_died_while_sending_is_followed_by_another(channel, monkeypatch):
    notify(EVENT)
    row = Delivery.objects.get()
    assert post._claim(row, NOW)
    assert list(post.waiting(NOW)) == []
    assert list(post.waiting(NOW + post.CLAIMED)) == [row.pk]


def test_an_e_mail_says_what_and_where(channel, settings):
    settings.EMAIL_HOST, settings.ADDRESS = "mail.example.org", "https://durascope.example.org"
    notify(EVENT)
    post.deliver(Delivery.objects.get().pk, NOW)
    (sent,) = mail.outbox
    assert (sent.subject, sent.to) == ("[Durascope] Slower by half", ["dba@example.org"])
    assert "At 8 threads." in sent.body and "https://durascope.example.org/nights/1/" in sent.body
    assert str(Delivery.objects.get().key) in sent.extra_headers["Message-ID"]


def test_without_its_own_address_it_says_how_to_get_links(channel, settings):
    settings.EMAIL_HOST = "mail.example.org"
    notify(EVENT)
    post.deliver(Delivery.objects.get().pk, NOW)
    assert "DURASCOPE_ADDRESS" in mail.outbox[0].body and "/nights/1/" in mail.outbox[0].body


def test_without_a_mail_server_it_says_so(channel, settings):
    settings.EMAIL_HOST = ""
    notify(EVENT)
    post.deliver(Delivery.objects.get().pk, NOW)
    assert "DURASCOPE_SMTP_HOST" in Delivery.objects.get().error and mail.outbox == []


def test_a_mail_server_that_is_not_there_is_tried_again(channel, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    notify(EVENT)
    post.deliver(Delivery.objects.get().pk, NOW)
    row = Delivery.objects.get()
    assert row.state == "waiting" and "did not accept the message: ConnectionRefusedError" in row.error


def test_addresses_and_secrets_are_sealed_and_change_keys_with_the_passwords():
    from dashboard.records.servers.rotation import reseal

    made, secret = actions.add(None, "webhook", "hook", "https://hooks.example.org/T0KEN", ["night_failed"])
    for sealed in (made.address_sealed, made.secret_sealed):
        assert b"T0KEN" not in bytes(sealed) and secret.encode() not in bytes(sealed)
    old = vault.keys()
    done = reseal([vault.new_key(), *old])
    assert done.lost == ()
    made.refresh_from_db()
    with pytest.raises(vault.KeyMissing):
        vault.open_sealed(made.secret_sealed)


def test_every_kind_of_news_says_what_it_is():
    assert all(kind.title and kind.says for kind in EVENTS.values())
    assert by_mail.HINT
