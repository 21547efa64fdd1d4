"""The ways of sending messages. A new way is a file and a line in CHANNELS."""

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.records.notifications.channels import mail, webhook
from dashboard.records.notifications.models import Channel, Delivery


@dataclass(frozen=True)
class Transport:
    """`check` returns the address as it is stored and raises BadAddress; `shown`: the part of the address that pages
    show; `send` (address, secret, message) raises Undelivered."""

    hint: str
    check: Callable[[str], str]
    shown: Callable[[str], str]
    send: Callable[[str, str, Delivery], None]
    signed: bool = False


CHANNELS: dict[str, Transport] = {
    Channel.Kind.EMAIL: Transport(mail.HINT, mail.check, mail.shown, mail.send),
    Channel.Kind.WEBHOOK: Transport(webhook.HINT, webhook.check, webhook.shown, webhook.send, signed=True),
}
