"""The tag of an answer (RFC 9110, 8.8.3): a program that asks again with it gets 304 while nothing has changed."""

import hashlib
import json
from typing import TypeVar

from django.http import HttpRequest, HttpResponse
from django.utils.http import parse_etags
from ninja import Schema, Status

WEAK = "W/"
Shown = TypeVar("Shown", bound=Schema)


def tag_of(value: object) -> str:
    digest = hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()
    return f'"{digest[:32]}"'


def weak_tag_of(value: object) -> str:
    """Of something that is shown with more than the value (RFC 9110, 8.8.1)."""
    return WEAK + tag_of(value)


def has_seen(request: HttpRequest, tag: str) -> bool:
    return _is_named(tag, request.headers.get("If-None-Match", ""))


def _is_named(tag: str, header: str) -> bool:
    """However it is written: whoever compresses an answer, we or a proxy, makes its tag a weak one."""
    named = parse_etags(header)
    return "*" in named or tag.removeprefix(WEAK) in [one.removeprefix(WEAK) for one in named]


def tagged(response: HttpResponse, shown: Shown) -> Shown:
    response["ETag"] = tag_of(shown.dict())
    return shown


def answer(request: HttpRequest, response: HttpResponse, shown: Schema) -> Status[object]:
    """200 with its tag, or 304 for who has seen it."""
    tagged(response, shown)
    return Status(304, None) if has_seen(request, response["ETag"]) else Status(200, shown)
