"""Channels of notifications: list and test. They are made on the pages, which show a new secret."""

from typing import Literal, TypeAlias
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import FilterSchema, Query, Schema, Status
from ninja.pagination import RouterPaginated

from dashboard.pages.api.door import Token
from dashboard.pages.api.fields import Id, with_columns
from dashboard.records.notifications import actions
from dashboard.records.notifications.models import Channel, Delivery

router = RouterPaginated()
DeliveryState: TypeAlias = Literal[tuple(Delivery.State.values)]  # type: ignore[valid-type]


@with_columns(Channel, "name kind shown paused_at created_at")
class ChannelOut(Schema):
    """`events`: the kinds of news that the channel gets; `shown`: the part of its address that may be shown."""

    id: int
    events: list[str]


@with_columns(Delivery, "channel_id to event title state attempts error created_at next_at ended_at")
class DeliveryOut(Schema):
    """One message to one channel. `key` is the `webhook-id` and part of the Message-ID; `error` is of the last
    attempt."""

    id: int
    key: UUID


class DeliveryFilter(FilterSchema):
    state: DeliveryState | None = None


@router.get("/channels", auth=Token("notify"), response=list[ChannelOut])
def list_channels(request: HttpRequest) -> QuerySet[Channel]:
    """All channels by name."""
    return Channel.objects.all()


@router.post("/channels/{int:channel_id}/tests", auth=Token("notify"), response={202: DeliveryOut})
def test_channel(request: HttpRequest, channel_id: Id) -> Status[object]:
    """Send a test, also on a paused channel. Its delivery has the outcome."""
    return Status(202, actions.send_test(request.user, get_object_or_404(Channel, pk=channel_id)))


@router.get("/deliveries", auth=Token("notify"), response=list[DeliveryOut])
def list_deliveries(request: HttpRequest, wanted: Query[DeliveryFilter]) -> QuerySet[Delivery]:
    """Messages, the newest first."""
    return wanted.filter(Delivery.objects.all())


@router.get("/deliveries/{int:delivery_id}", auth=Token("notify"), response=DeliveryOut)
def show_delivery(request: HttpRequest, delivery_id: Id) -> Delivery:
    """One message with its outcome."""
    return get_object_or_404(Delivery, pk=delivery_id)
