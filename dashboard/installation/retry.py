"""The database may be restarted while something is measured. A broken connection stays broken until it is closed: then
the statements are tried again."""

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
    """Try again when the database is locked, restarted or in a deadlock. Only for atomic and idempotent functions:
    after a lost connection nobody knows whether the commit happened."""

    @wraps(act)
    def tries(*args: Asked.args, **kwargs: Asked.kwargs) -> Answer:
        for wait_s in WAITS_S:
            try:
                return act(*args, **kwargs)
            except LOST as lost:
                if connection.in_atomic_block:  # a part of something larger: that is lost as a whole
                    raise
                log.warning("the database did not take %s (%s); trying again", act.__qualname__, lost)
                connection.close()
                time.sleep(wait_s)
        return act(*args, **kwargs)

    return tries
