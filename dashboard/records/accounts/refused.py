"""The last refusal while a request is answered. `roles.refusal` notes it, and dashboard.pages.accounts.refusals stores
it. So the code that refuses needs no request."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_last: ContextVar[str] = ContextVar("refused", default="")


def note(why: str) -> None:
    _last.set(why)


@contextmanager
def listening() -> Iterator[Callable[[], str]]:
    """Yields a function that returns the refusal that was noted since; "" for none."""
    token, found = _last.set(""), [""]
    try:
        yield lambda: found[0]
    finally:
        found[0] = _last.get()
        _last.reset(token)
