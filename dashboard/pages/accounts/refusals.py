"""Refusals are kept in the audit log, with the person and the address: somebody tries doors. A refusal is written after
the request, for an action that refuses takes back whatever its transaction wrote. Nobody can fill the log with them: of
each person, of each address of strangers, and of all strangers together only so many are kept in some minutes."""

import logging
from collections.abc import Callable
from urllib.parse import quote

from django.db import DatabaseError
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from dashboard.installation.log_lines import without_token
from dashboard.pages.accounts import throttle
from dashboard.pages.accounts.signals import address
from dashboard.records.accounts import refused
from dashboard.records.audit.models import record

REFUSED = "refused"
MOST = 20  # of one person, or of one address of strangers, within throttle.WINDOW
MOST_OF_STRANGERS = 200
LAST = "further ones of the next 10 minutes are not logged"
SAFE = ("GET", "HEAD", "OPTIONS")  # pages tell what somebody may not do: that is no attempt
NO_REASON = "The request was refused (403)."
log = logging.getLogger(__name__)


class Refusals:
    """Middleware, around all that can refuse."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with refused.listening() as heard:
            response = self._get_response(request)
        if response.status_code == 403 or (heard() and request.method not in SAFE):
            try:
                _note(request, heard() or NO_REASON)
            except DatabaseError:  # it is refused all the same
                log.exception("a refusal could not be logged")
        return response


def _note(request: HttpRequest, why: str) -> None:
    user = getattr(request, "user", None)
    person = user if getattr(user, "is_authenticated", False) else None
    left = _left(f"person {person.pk}", MOST) if person else _left_to_strangers(address(request))
    if left is None:
        return
    more = {} if left else {"note": LAST}
    where = without_token(quote(request.path))
    record(person, REFUSED, where, address=address(request), method=request.method, why=why[:500], **more)


def _left(place: str, most: int) -> int | None:
    """How many more may be logged; None: not even this one."""
    if throttle.begin(REFUSED, "", place, most, most) is None:
        return None
    return most - throttle.count(REFUSED, place)


def _left_to_strangers(place: str) -> int | None:
    """What one address has used up is asked first: it must not use up what all have together."""
    mine = throttle.begin(REFUSED, "", place, MOST, MOST)
    if mine is None:
        return None
    left = _left("all strangers", MOST_OF_STRANGERS)
    if left is None:
        mine.delete()
        return None
    return min(left, MOST - throttle.count(REFUSED, place))
