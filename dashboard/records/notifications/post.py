"""Sends waiting messages. A worker claims each by one conditional UPDATE, tries again at growing intervals, and gives
up in the end."""

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import QuerySet

from dashboard.installation import vault
from dashboard.records.fleet import installation
from dashboard.records.notifications.channels import CHANNELS
from dashboard.records.notifications.models import Delivery
from dashboard.records.notifications.undelivered import Undeliverable, Undelivered

log = logging.getLogger(__name__)
CLAIMED = timedelta(minutes=5)  # then the sending worker counts as dead
AGAIN = tuple(timedelta(minutes=wait) for wait in (1, 5, 30, 120, 360))  # six attempts within nine hours
State = Delivery.State


def waiting(now: datetime) -> Iterable[int]:
    return _due(now).order_by("next_at").values_list("pk", flat=True)


def _due(now: datetime) -> QuerySet[Delivery]:
    return Delivery.objects.filter(state=State.WAITING, next_at__lte=now)


def deliver(delivery_id: int, now: datetime) -> None:
    """Does nothing if the message is not due, if another worker sends it, or if this is a restored copy, which would
    send it a second time."""
    if installation.is_held():
        return
    row = _due(now).filter(pk=delivery_id).select_related("channel").first()
    if row is None or not _claim(row, now):
        return
    try:
        _send(row)
    except Undelivered as failure:
        _failed(row, failure, now)
    except vault.KeyMissing as lost:
        _failed(row, Undeliverable(lost.message, "Enter the channel's address again."), now)
    except Exception as unexpected:
        log.exception("delivery %s", delivery_id)
        _failed(row, Undelivered(f"Unexpected: {type(unexpected).__name__}."), now)
    else:
        _mine(row).update(state=State.SENT, ended_at=now, error="")


def _claim(row: Delivery, now: datetime) -> bool:
    seen = Delivery.objects.filter(pk=row.pk, state=State.WAITING, attempts=row.attempts)
    row.attempts += 1
    return bool(seen.update(attempts=row.attempts, next_at=now + CLAIMED))


def _mine(row: Delivery) -> QuerySet[Delivery]:
    return Delivery.objects.filter(pk=row.pk, state=State.WAITING, attempts=row.attempts)


def _send(row: Delivery) -> None:
    channel = row.channel
    if channel is None:
        raise Undeliverable("The channel was deleted.")
    address, secret = vault.open_sealed(channel.address_sealed), vault.open_sealed(channel.secret_sealed)
    CHANNELS[channel.kind].send(address, secret, row)


def _failed(row: Delivery, failure: Undelivered, now: datetime) -> None:
    if isinstance(failure, Undeliverable) or row.attempts > len(AGAIN):
        _mine(row).update(state=State.FAILED, ended_at=now, error=str(failure))
    else:
        _mine(row).update(next_at=now + AGAIN[row.attempts - 1], error=str(failure))
