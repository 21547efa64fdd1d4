"""Colours of the pages, light, from the one place where they are defined."""

import re
from functools import cache

from dashboard.home import PROJECT

_DEFINED = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{6}),")
SERIES = 8


@cache
def colours() -> dict[str, str]:
    return dict(_DEFINED.findall((PROJECT / "static/css/tokens.css").read_text()))


def series_colour(place: int) -> str:
    return colours()[f"series-{place % SERIES}"]
