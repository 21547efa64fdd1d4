"""What is sent, apart from how."""

from dataclasses import dataclass

from django.conf import settings

from dashboard.records.notifications.models import Delivery
from workers.errors import DurascopeError


class Undelivered(DurascopeError):
    """It did not arrive; worth another attempt."""


class Undeliverable(Undelivered):
    """It will not arrive however often it is tried."""


@dataclass(frozen=True)
class Message:
    """`link`: "" when this installation does not know its own address (DURASCOPE_ADDRESS)."""

    key: str
    event: str
    at: str
    title: str
    text: str
    link: str
    path: str
    facts: dict[str, object]


def message_of(delivery: Delivery) -> Message:
    return Message(
        key=str(delivery.key),
        event=delivery.event,
        at=delivery.created_at.isoformat(),
        title=delivery.title,
        text=delivery.text,
        link=link(delivery.path),
        path=delivery.path,
        facts=delivery.facts,
    )


def link(path: str) -> str:
    return f"{settings.ADDRESS}{path}" if settings.ADDRESS else ""
