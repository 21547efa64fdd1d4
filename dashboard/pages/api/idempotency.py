"""The header of a start that is asked for twice and starts once."""

from collections.abc import Callable
from typing import Annotated

from ninja import Header

from dashboard.pages.api.problems import Conflict
from dashboard.records.accounts.actor import Actor
from dashboard.records.api import start_keys
from dashboard.records.experiments.models import Experiment

Key = Annotated[
    str,
    Header(
        "",
        alias="Idempotency-Key",
        max_length=255,
        pattern="^[!-~]*$",
        description="Of your choice, new for each experiment: whoever asks again with it starts nothing twice.",
    ),
]


def once(user: Actor, key: str, asked: object, create: Callable[[], Experiment]) -> tuple[Experiment, bool]:
    """The experiment, and whether it is new. Raises Conflict when the key belongs to something else that was asked."""
    try:
        return start_keys.start_once(user, key, asked, create)
    except start_keys.KeyTaken as taken:
        raise Conflict(str(taken)) from taken
