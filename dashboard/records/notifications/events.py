"""The kinds of news. A new kind is one line in EVENTS; the code that has news calls `notify`."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db import transaction

from dashboard.records.fleet import task_queue
from dashboard.records.notifications.models import Channel, Delivery


@dataclass(frozen=True)
class EventKind:
    title: str
    says: str


EVENTS: dict[str, EventKind] = {
    "night_failed": EventKind(
        "A scheduled run failed",
        "it ended with an error, was interrupted, was not allowed to start, or had not ended at the time “must end by” "
        "of its schedule",
    ),
    "night_missed": EventKind(
        "A scheduled run was missed",
        "it was not started: the worker or the scheduler was down, or the server was busy or did not answer",
    ),
    "verdict_invalid": EventKind(
        "A setting now loses commits", "its crash trials used to pass and now lose commits or fail in another way"
    ),
    "level_missed": EventKind(
        "A goal of a server is missed",
        "each tested setting misses the speed or the safety that was set as its service level. Sent once, and again "
        "only if the goal was met in between",
    ),
    "change_point": EventKind(
        "A figure changed", "speed or latency stays higher or lower than before, and a second measurement confirmed it"
    ),
}
TEST = "test"  # sent by the button *Send a test*, to any channel


@dataclass(frozen=True)
class News:
    """`key`: of EVENTS. `title`: one line; `text`: the event and the fix; `path`: of the page that shows it, without
    host; `facts`: for programs, nothing secret."""

    key: str
    title: str
    text: str
    path: str
    facts: Mapping[str, object] = field(default_factory=dict)


def notify(event: News) -> int:
    """Queue a message on each channel that wants this kind; returns how many. It runs in the caller's transaction, so a
    rollback removes the messages. Raises KeyError for an unknown kind."""
    EVENTS[event.key]
    wanting = [channel for channel in Channel.objects.filter(paused_at=None) if event.key in channel.events]
    for channel in wanting:
        queue(channel, event)
    return len(wanting)


def queue(channel: Channel, event: News) -> Delivery:
    """Queue one message for a worker. If the task is lost, `watch_nights` sends it again a minute later."""
    row = Delivery.objects.create(
        channel=channel,
        to=channel.name,
        event=event.key,
        title=" ".join(event.title.split())[:200],
        text=event.text,
        path=event.path,
        facts=dict(event.facts),
    )
    transaction.on_commit(lambda: _send(row.pk))
    return row


def _send(delivery_id: int) -> None:
    with contextlib.suppress(task_queue.QueueDown):
        task_queue.send(task_queue.DELIVERY, delivery_id)
