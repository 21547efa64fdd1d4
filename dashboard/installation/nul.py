"""Output of servers and programs may contain NUL characters. PostgreSQL stores them neither in text nor in JSON,
and refuses to look for them."""

from typing import TypeVar, cast

SHOWN = "\N{SYMBOL FOR NULL}"
T = TypeVar("T")


def without_nul(value: T) -> T:
    """The same text or JSON value with a visible symbol for each NUL; a tuple becomes a list, as JSON has it."""
    return cast(T, _shown(value))


def _shown(value: object) -> object:
    if isinstance(value, str):
        return value.replace("\0", SHOWN)
    if isinstance(value, dict):
        return {_shown(key): _shown(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(one) for one in value]
    return value
