"""Where notifications go: listed and tried. Channels are made on the pages, where a new secret is shown."""

from datetime import datetime
from typing import Literal, TypeAlias

from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Query, Router, Schema, Status
from ninja.pagination import paginate

from dashboard.pages.api.door import Token
from dashboard.pages.api.fields import Id
from dashboard.pages.api.paging import Pages
from dashboard.records.notifications import actions
from dashboard.records.notifications.models import Channel, Delivery

router = Router()
Kind: TypeAlias = Literal[tuple(Channel.Kind.values)]  # type: ignore[valid-type]
DeliveryState: TypeAlias = Literal[tuple(Delivery.State.values)]  # type: ignore[valid-type]


class ChannelOut(Schema):
    """`events`: the kinds of news that it wants; `shown`: what of its address may be shown."""

    id: int
    name: str
    kind: Kind
    events: list[str]
    shown: str
    paused_at: datetime | None
    created_at: datetime


class DeliveryOut(Schema):
    """One message to one channel. `key` is the `webhook-id` and part of the Message-ID; `error` is of the last
    attempt."""

    id: int
    key: str
    channel_id: int | None
    to: str
    event: str
    title: str
    state: DeliveryState
    attempts: int
    error: str
    created_at: datetime
    next_at: datetime
    ended_at: datetime | None

    @staticmethod
    def resolve_key(delivery: Delivery) -> str:
        return str(delivery.key)


class DeliveryFilter(Schema):
    state: DeliveryState | None = None


@router.get("/channels", auth=Token("notify"), response=list[ChannelOut])
@paginate(Pages)
def list_channels(request: HttpRequest) -> QuerySet[Channel]:
    """All channels by name."""
    return Channel.objects.all()


@router.post("/channels/{int:channel_id}/tests", auth=Token("notify"), response={202: DeliveryOut})
def test_channel(request: HttpRequest, channel_id: Id) -> Status[object]:
    """Send a test, also when the channel is paused. What became of it, its delivery says."""
    return Status(202, actions.send_test(request.user, get_object_or_404(Channel, pk=channel_id)))


@router.get("/deliveries", auth=Token("notify"), response=list[DeliveryOut])
@paginate(Pages)
def list_deliveries(request: HttpRequest, wanted: Query[DeliveryFilter]) -> QuerySet[Delivery]:
    """Messages, the newest first."""
    given = {name: value for name, value in wanted.dict().items() if value}
    return Delivery.objects.filter(**given)


@router.get("/deliveries/{int:delivery_id}", auth=Token("notify"), response=DeliveryOut)
def show_delivery(request: HttpRequest, delivery_id: Id) -> Delivery:
    """What became of a message."""
    return get_object_or_404(Delivery, pk=delivery_id)
