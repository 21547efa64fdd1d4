"""Stored JSON as frozen values: pydantic checks each field against the type in its dataclass. A field with a default
may be absent, and unknown fields are ignored. `dataclasses.asdict` is the way back."""

import json
from collections.abc import Hashable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from workers.errors import DurascopeError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")


class Unreadable(DurascopeError):
    """The stored value is not what this version stores."""


def read(kind: type[T], value: object) -> T:
    """Raises Unreadable, which names the first field that does not fit."""
    return read_text(kind, json.dumps(value))


def read_text(kind: type[T], text: str) -> T:
    """The same from the text of the JSON, as a query can give it (`KT`)."""
    from pydantic import ValidationError  # here and below: a worker starts faster without it

    try:
        read_value: T = _adapter(cast(Hashable, kind)).validate_json(text, strict=True)
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise Unreadable(f"The stored {place or 'value'} cannot be read: {first['msg']}.") from wrong
    return read_value


@cache
def _adapter(kind: Any) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter

    return TypeAdapter(kind)
