"""Several threads do the same at the same moment, each with a database connection of its own."""

import threading
from collections.abc import Callable
from typing import Any

from django.db import connection


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """What each returned, or the exception that it raised. Needs a test with real transactions."""
    start, found = threading.Barrier(len(acts)), [None] * len(acts)

    def one(place: int) -> None:
        try:
            connection.ensure_connection()  # that takes longer than what is raced for
            start.wait(120)
            found[place] = acts[place]()
        except Exception as raised:
            found[place] = raised
        finally:
            connection.close()

    threads = [threading.Thread(target=one, args=(place,)) for place in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    return found
