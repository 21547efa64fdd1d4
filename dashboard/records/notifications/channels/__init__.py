"""The ways of sending messages. A new way is a file and a line in CHANNELS."""

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.records.notifications.channels import https, mail, slack, teams, webhook
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
    Channel.Kind.WEBHOOK: Transport(webhook.HINT, https.check, https.shown, webhook.send, signed=True),
    Channel.Kind.SLACK: Transport(slack.HINT, https.check, https.shown, slack.send),
    Channel.Kind.TEAMS: Transport(teams.HINT, https.check, https.shown, teams.send),
}
