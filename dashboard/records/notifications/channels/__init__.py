"""How messages are sent. A new way is a file and a line in CHANNELS."""

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.records.notifications.channels import mail, webhook
from dashboard.records.notifications.models import Channel, Delivery


@dataclass(frozen=True)
class Transport:
    """`check` raises BadAddress and returns the address as it is stored; `shown`: what of it pages show; `send`
    (address, secret, message) raises Undelivered."""

    title: str
    label: str
    hint: str
    check: Callable[[str], str]
    shown: Callable[[str], str]
    send: Callable[[str, str, Delivery], None]
    signed: bool = False


CHANNELS: dict[str, Transport] = {
    Channel.Kind.EMAIL: Transport("E-mail", "Address", mail.HINT, mail.check, mail.shown, mail.send),
    Channel.Kind.WEBHOOK: Transport(
        "Webhook", "Address", webhook.HINT, webhook.check, webhook.shown, webhook.send, signed=True
    ),
}
