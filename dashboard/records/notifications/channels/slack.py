"""Slack's incoming webhooks: a message of blocks. Source: docs.slack.dev/reference/block-kit/blocks."""

from html import escape

from django.utils.text import Truncator

from dashboard.records.notifications.channels import https
from dashboard.records.notifications.models import Delivery

HINT = "https://hooks.slack.com/services/... from Slack's app Incoming Webhooks. Stored encrypted; pages show its host."
TITLE, TEXT = 150, 3000  # signs in a header and in a section


def body_of(message: Delivery) -> dict[str, object]:
    """What people wrote is plain text, in which Slack reads no links and no <!channel>. Only `text`, the line of the
    phone's notification, is markup, so it is escaped."""
    return {
        "text": escape(message.title, quote=False),
        "blocks": [
            {"type": "header", "text": _plain(message.title, TITLE)},
            {"type": "section", "text": _plain(message.text, TEXT)},
            {"type": "context", "elements": [{"type": "mrkdwn", "text": _where(message)}]},
        ],
    }


def _plain(text: str, limit: int) -> dict[str, object]:
    return {"type": "plain_text", "text": Truncator(text).chars(limit), "emoji": False}


def _where(message: Delivery) -> str:
    where = escape(message.where, quote=False)
    return f"<{where}|Open in Durascope>" if message.link else where


def send(address: str, _secret: str, message: Delivery) -> None:
    https.post(address, body_of(message))
