"""A start that is asked for twice starts once: the client's Idempotency-Key, kept with what was asked."""

import hashlib
import json
from collections.abc import Callable
from typing import Annotated

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from ninja import Header

from dashboard.pages.api.problems import Conflict
from dashboard.records.accounts.actor import Actor
from dashboard.records.api.models import StartKey
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


def hash_of(asked: object) -> str:
    """Of the meaning: the order of keys and white space do not count. `asked`: plain JSON values."""
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def once(user: Actor, key: str, asked: object, create: Callable[[], Experiment]) -> tuple[Experiment, bool]:
    """The experiment, and whether it is new. Raises Conflict when the key belongs to something else that was asked.

    The key is stored with the experiment or not at all: a refused start leaves it free. Of two at the same moment the
    database's constraint lets one through; the other's experiment is taken back, and it finds the first one's.
    """
    if not key or not isinstance(user, User):
        return create(), True
    digest = hash_of(asked)
    if known := _known(user, key, digest):
        return known, False
    try:
        with transaction.atomic():
            experiment = create()
            StartKey.objects.create(user=user, key=key, request_hash=digest, experiment=experiment)
    except IntegrityError:
        if known := _known(user, key, digest):
            return known, False
        raise
    return experiment, True


def _known(user: User, key: str, digest: str) -> Experiment | None:
    found = StartKey.objects.select_related("experiment").filter(user=user, key=key).first()
    if found and found.request_hash != digest:
        raise Conflict(
            f"This Idempotency-Key started experiment {found.experiment_id} with another request. Nothing was started. "
            "Use a new key for a new experiment."
        )
    if found and found.experiment.deleted_at:
        raise Conflict(
            f"This Idempotency-Key started experiment {found.experiment_id}, which was deleted since. Nothing was "
            "started. Use a new key for a new experiment, or restore the deleted one."
        )
    return found.experiment if found else None
