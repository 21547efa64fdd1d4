"""Whether somebody who asks again has seen it already."""

import hashlib
import json
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.http import parse_etags
from ninja import Schema, Status


def tag_of(value: Any) -> str:
    """A weak tag (RFC 9110, 8.8.1): the same meaning, not the same bytes."""
    digest = hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()
    return f'W/"{digest[:32]}"'


def has_seen(request: HttpRequest, tag: str) -> bool:
    known = parse_etags(request.headers.get("If-None-Match", ""))
    return "*" in known or tag.removeprefix("W/") in [one.removeprefix("W/") for one in known]


def answer(request: HttpRequest, response: HttpResponse, shown: Schema) -> Status:
    """200 with its tag, or 304 for who has seen it."""
    response["ETag"] = tag = tag_of(shown.dict())
    return Status(304, None) if has_seen(request, tag) else Status(200, shown)
