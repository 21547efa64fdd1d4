"""Tries database statements again: the database may be restarted during a measurement. A broken connection must be
closed first."""

import logging
import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import InterfaceError, OperationalError, connection

WAITS_S = (0.2, 1.0, 5.0, 15.0, 60.0)
LOST = (OperationalError, InterfaceError)
Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")
log = logging.getLogger(__name__)


def retried(act: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
    """Try again if the database is locked, restarted or in a deadlock. Only for atomic and idempotent functions: after
    a lost connection we cannot know whether the commit happened."""

    @wraps(act)
    def tries(*args: Asked.args, **kwargs: Asked.kwargs) -> Answer:
        for wait_s in WAITS_S:
            try:
                return act(*args, **kwargs)
            except LOST as lost:
                if connection.in_atomic_block:  # the whole outer transaction is lost
                    raise
                log.warning("the database refused %s (%s); trying again", act.__qualname__, lost)
                connection.close()
                time.sleep(wait_s)
        return act(*args, **kwargs)

    return tries
