"""Add, change, pause, test and remove a channel: one function each."""

from collections.abc import Sequence

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from dashboard.installation import vault
from dashboard.records.accounts.actor import Actor
from dashboard.records.accounts.roles import require
from dashboard.records.audit.models import record
from dashboard.records.notifications.channels import CHANNELS
from dashboard.records.notifications.channels.webhook import new_secret
from dashboard.records.notifications.events import TEST, News, queue
from dashboard.records.notifications.models import Channel, Delivery


@transaction.atomic
def add(user: Actor, kind: str, name: str, address: str, events: Sequence[str]) -> tuple[Channel, str]:
    """The channel and, if its messages are signed, the secret. The secret cannot be shown again."""
    require(user, "notify")
    way, secret = CHANNELS[kind], new_secret() if CHANNELS[kind].signed else ""
    made = Channel.objects.create(
        name=name,
        kind=kind,
        events=list(events),
        address_sealed=vault.seal(address),
        shown=way.shown(address)[:255],
        secret_sealed=vault.seal(secret) if secret else b"",
    )
    record(user, "added channel", made, kind=kind, to=made.shown, events=list(events))
    return made, secret


@transaction.atomic
def change(user: Actor, channel: Channel, name: str, address: str, events: Sequence[str]) -> None:
    """An empty address keeps the old one."""
    require(user, "notify")
    channel.name, channel.events, changed = name, list(events), ["name", "events"]
    if address:
        channel.address_sealed, channel.shown = vault.seal(address), CHANNELS[channel.kind].shown(address)[:255]
        changed += ["address_sealed", "shown"]
    channel.save(update_fields=changed)
    record(user, "changed channel", channel, to=channel.shown, events=channel.events)


@transaction.atomic
def renew_secret(user: Actor, channel: Channel) -> str:
    """The new secret; messages are signed with it from now on. "" if the channel does not sign."""
    require(user, "notify")
    if not CHANNELS[channel.kind].signed:
        return ""
    secret = new_secret()
    Channel.objects.filter(pk=channel.pk).update(secret_sealed=vault.seal(secret))
    record(user, "renewed channel's secret", channel)
    return secret


@transaction.atomic
def pause(user: Actor, channel: Channel) -> None:
    """News during the pause are never sent."""
    require(user, "notify")
    if Channel.objects.filter(pk=channel.pk, paused_at=None).update(paused_at=timezone.now()):
        record(user, "paused channel", channel)


@transaction.atomic
def resume(user: Actor, channel: Channel) -> None:
    require(user, "notify")
    if Channel.objects.filter(pk=channel.pk, paused_at__isnull=False).update(paused_at=None):
        record(user, "resumed channel", channel)


@transaction.atomic
def remove(user: Actor, channel: Channel) -> None:
    """The log of its messages stays. Waiting messages are not sent."""
    require(user, "notify")
    record(user, "deleted channel", channel)
    channel.delete()


@transaction.atomic
def send_test(user: Actor, channel: Channel) -> Delivery:
    """A normal message, sent also if the channel is paused or wants no news."""
    require(user, "notify")
    record(user, "tried channel", channel)
    text = f"{user or 'The command line'} sent this test of the channel {channel}. No action is needed."
    return queue(channel, News(TEST, "A test", text, reverse("notifications:list")))
