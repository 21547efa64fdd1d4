"""Microsoft Teams: an Adaptive Card for the trigger "When a Teams webhook request is received" of its Workflows.
Source: adaptivecards.io/explorer; learn.microsoft.com, "Create incoming webhooks with Workflows"."""

from django.utils.text import Truncator

from dashboard.records.notifications.channels import https
from dashboard.records.notifications.models import Delivery

HINT = (
    "https://... of a workflow of Teams that posts to a channel when a webhook request is received. Stored encrypted; "
    "pages show only its host."
)
TEXT, LINES = 4000, 50  # signs and lines: Teams refuses messages above 28 KB
CARD = "application/vnd.microsoft.card.adaptive"


def body_of(message: Delivery) -> dict[str, object]:
    """One block a line. What people wrote stands in text runs, in which Teams reads no markup."""
    link = {"type": "Action.OpenUrl", "title": "Open in Durascope", "url": message.link}
    said = [line for line in Truncator(message.text).chars(TEXT).splitlines() if line.strip()]
    lines = said[:LINES] + ([] if message.link else [message.where])
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [_line(message.title, weight="bolder", size="medium"), *map(_line, lines)],
        "actions": [link] if message.link else [],
    }
    return {"type": "message", "attachments": [{"contentType": CARD, "contentUrl": None, "content": card}]}


def _line(text: str, **look: str) -> dict[str, object]:
    return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text, **look}]}


def send(address: str, _secret: str, message: Delivery) -> None:
    https.post(address, body_of(message))
