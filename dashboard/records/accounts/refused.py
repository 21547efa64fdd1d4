"""What was refused last while a request is answered. The table of roles notes it here, and `refusals` writes it down:
whoever refuses need not know the request."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_last: ContextVar[str] = ContextVar("refused", default="")


def note(why: str) -> None:
    _last.set(why)


@contextmanager
def listening() -> Iterator[Callable[[], str]]:
    """Gives a function that tells what was noted since: "" for nothing."""
    token, found = _last.set(""), [""]
    try:
        yield lambda: found[0]
    finally:
        found[0] = _last.get()
        _last.reset(token)
