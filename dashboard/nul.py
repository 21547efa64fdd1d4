"""What servers and programs print may hold NUL characters, which PostgreSQL stores neither in text nor in JSON."""

from typing import Any

SHOWN = "\N{SYMBOL FOR NULL}"


def storable(value: Any) -> Any:
    """The same with a picture of each NUL: text, or whatever JSON can hold."""
    if isinstance(value, str):
        return value.replace("\0", SHOWN)
    if isinstance(value, dict):
        return {storable(key): storable(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [storable(one) for one in value]
    return value
