"""Strict JSON: NaN, half surrogate pairs and NUL are refused. PostgreSQL stores no NUL in a text."""

import json

from django.http import HttpRequest
from ninja.parser import Parser

from dashboard.portable.strict_json import no_number, storable


class StrictParser(Parser):
    """ninja answers each exception of a parser with 400."""

    def parse_body(self, request: HttpRequest) -> dict[str, object]:
        found: dict[str, object] = json.loads(request.body, parse_constant=no_number)
        storable(found)
        return found
