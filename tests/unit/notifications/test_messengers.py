"""Messages for Slack and Teams, checked against what their makers published."""

import json
from pathlib import Path

import jsonschema_rs
import pytest
from slack_sdk.errors import SlackObjectFormationError
from slack_sdk.models.blocks import Block

from dashboard.records.notifications.channels import CHANNELS, slack, teams
from dashboard.records.notifications.models import Delivery
from dashboard.records.notifications.undelivered import Undeliverable
from tests.unit.notifications.receiver import receiver

CARD = jsonschema_rs.validator_for(
    json.loads((Path(__file__).parent / "published/adaptive-card-1.4.0.json").read_text())
)
NASTY = "<!channel> [here](https://evil.example) *bold* & :fire: \u202e"


def message(title="A night failed: <!channel> & more", text="One line.\n\nThe server did not answer."):
    return Delivery(title=title, text=text, path="/nights/1/", event="night_failed")


MESSAGES = [
    message(),
    message("x" * 200, "\N{FIRE}" * 50_000),
    message(NASTY, f"{NASTY}\n{NASTY}"),
    message("é" * 200, "z\n" * 9000),
]


@pytest.fixture(params=["https://durascope.example.org", ""], ids=["with an address", "without one"])
def address(request, settings):
    settings.ADDRESS = request.param
    return request.param


def valid(block):
    parsed = Block.parse(block)
    assert parsed is not None, "no kind of block that the vendor knows"
    parsed.validate_json()
    assert parsed.to_dict() == block, "the vendor's kind of block lacks a part of this"


@pytest.mark.parametrize("sent", MESSAGES)
def test_slack_accepts_each_block(address, sent):
    for block in slack.body_of(sent)["blocks"]:
        valid(block)


def test_the_vendors_check_refuses_a_wrong_block():
    """The control of the test above."""
    long = {"type": "header", "text": {"type": "plain_text", "text": "x" * 151}}
    with pytest.raises(SlackObjectFormationError, match="150"):
        valid(long)
    with pytest.raises(AssertionError, match="no kind"):
        valid({"type": "heading", "text": long["text"]})


def test_in_slack_nobody_is_called_by_what_people_wrote(address):
    body = slack.body_of(message(NASTY, NASTY))
    assert "<" not in body["text"] and "&lt;!channel&gt;" in body["text"]
    header, section, context = body["blocks"]
    assert header["text"]["type"] == section["text"]["type"] == "plain_text"
    link = f"<{address}/nights/1/|Open in Durascope>"
    said = context["elements"][0]["text"]
    assert said == link if address else said.startswith("Open /nights/1/")


@pytest.mark.parametrize("sent", MESSAGES)
def test_teams_accepts_the_card(address, sent):
    body = teams.body_of(sent)
    (attached,) = body["attachments"]
    assert body["type"] == "message" and attached["contentType"] == "application/vnd.microsoft.card.adaptive"
    CARD.validate(attached["content"])
    assert len(json.dumps(body, ensure_ascii=False).encode()) < 28_000, "Teams refuses messages above 28 KB"
    assert {block["type"] for block in attached["content"]["body"]} == {"RichTextBlock"}, "a TextBlock reads markup"
    assert [action["url"] for action in attached["content"]["actions"]] == ([f"{address}/nights/1/"] if address else [])


@pytest.mark.parametrize(
    "wrong", [{"bodi": []}, {"body": [{"type": "Nope"}]}, {"actions": [{"type": "Action.OpenUrl", "uri": "x"}]}]
)
def test_the_published_schema_refuses_a_wrong_card(wrong):
    """The control of the test above."""
    assert not CARD.is_valid({"type": "AdaptiveCard", "version": "1.4", **wrong})


@pytest.mark.parametrize("kind", ["slack", "teams"])
def test_a_message_is_posted_and_a_refusal_is_final(kind, settings):
    settings.WEBHOOK_ALLOW = ["http", "private"]
    with receiver() as got:
        CHANNELS[kind].send(f"http://127.0.0.1:{got.port}/services/T0/B0", "", message())
    ((path, headers, body),) = got.came
    assert path == "/services/T0/B0" and headers["Content-Type"] == "application/json"
    assert "did not answer" in json.loads(body).__str__()
    with receiver(404) as got, pytest.raises(Undeliverable, match="answered 404"):
        CHANNELS[kind].send(f"http://127.0.0.1:{got.port}/", "", message())
