"""Output of servers and programs may contain NUL characters. PostgreSQL stores them neither in text nor in JSON."""

from typing import Any

SHOWN = "\N{SYMBOL FOR NULL}"


def without_nul(value: Any) -> Any:
    """The same text or JSON value with a visible symbol for each NUL."""
    if isinstance(value, str):
        return value.replace("\0", SHOWN)
    if isinstance(value, dict):
        return {without_nul(key): without_nul(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [without_nul(one) for one in value]
    return value
