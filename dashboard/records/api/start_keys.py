"""Idempotent starts: a key is stored with the request, and the same key starts nothing twice."""

import hashlib
import json
from collections.abc import Callable

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from dashboard.records.accounts.actor import Actor, account
from dashboard.records.api.models import StartKey
from dashboard.records.experiments.models import Experiment


class KeyTaken(Exception):
    """The key belongs to another request, or to an experiment that was deleted."""


def hash_of(asked: object) -> str:
    """The order of keys and white space do not change the hash. `asked`: plain JSON values."""
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def start_once(user: Actor, key: str, asked: object, create: Callable[[], Experiment]) -> tuple[Experiment, bool]:
    """The experiment, and whether it is new. Raises KeyTaken.

    The key and the experiment are stored together: a refused start leaves the key unused. If two requests arrive at
    once, a unique constraint refuses the second. Its experiment is rolled back, and it returns the first one's.
    """
    owner = account(user)
    if not key or not owner:
        return create(), True
    digest = hash_of(asked)
    if known := _known(owner, key, digest):
        return known, False
    try:
        with transaction.atomic():
            experiment = create()
            StartKey.objects.create(user=owner, key=key, request_hash=digest, experiment=experiment)
    except IntegrityError:
        if known := _known(owner, key, digest):
            return known, False
        raise
    return experiment, True


def _known(user: User, key: str, digest: str) -> Experiment | None:
    found = StartKey.objects.select_related("experiment").filter(user=user, key=key).first()
    if not found:
        return None
    started = f"This Idempotency-Key started experiment {found.experiment_id}"
    new_key = "Nothing was started. Use a new key for a new experiment"
    if found.request_hash != digest:
        raise KeyTaken(f"{started} with another request. {new_key}.")
    if found.experiment.deleted_at:
        raise KeyTaken(f"{started}, which was deleted since. {new_key}, or restore the deleted one.")
    return found.experiment
