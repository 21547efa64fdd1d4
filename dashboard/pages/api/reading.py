"""JSON as the standards have it: no NaN, no half characters, and no NUL, which no database takes in a text."""

import json
from typing import Any

from django.http import HttpRequest
from ninja.parser import Parser

from dashboard.portable.strict_json import no_number, storable


class StrictParser(Parser):
    """Whatever is raised here is answered with 400."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(request.body, parse_constant=no_number)
        storable(found)
        return found
