"""Walks: one test asks every address, file or word, and names all offenders at once.

One test per address would report the same in a thousand rows and pay for a thousand set-ups. `report(offenders)` fails
with one line per offender. `undone()` takes back whatever one step wrote to the database, so that no step sees the
traces of another."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pytest
from django.db import transaction


def report(offenders: Iterable[object]) -> None:
    """Fails if there are any, naming each."""
    if lines := [str(one) for one in offenders]:
        pytest.fail(f"{len(lines)} offend:\n" + "\n".join(lines), pytrace=False)


@contextmanager
def undone() -> Iterator[None]:
    """What is written inside is rolled back, the cache included: it is a table. Needs a test with `django_db`."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
