"""JSON as the standards have it: no NaN, no half characters, and no NUL, which no database takes in a text."""

import json
from typing import Any, NoReturn

from django.http import HttpRequest
from ninja.parser import Parser


class StrictParser(Parser):
    """Whatever is raised here is answered with 400."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(request.body, parse_constant=_no_number)
        json.dumps(found, ensure_ascii=False).encode()  # half of a surrogate pair cannot be written
        _no_nul(found)
        return found


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


def _no_nul(value: object) -> None:
    if isinstance(value, str) and "\0" in value:
        raise ValueError("a text holds a NUL")
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inner:
        _no_nul(one)
