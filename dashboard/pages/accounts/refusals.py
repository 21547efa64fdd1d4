"""The audit log keeps refusals with person and address: they can be signs of an attack. A refusal is written after the
request, because the transaction of the refusing action is rolled back. Limits per person, per address without a login
and for all such addresses together keep the log from filling up."""

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
MOST = 20  # per person, or per address without a login, within throttle.WINDOW
MOST_WITHOUT_LOGIN = 200
LAST = "further refusals of the next 10 minutes are not logged"
SAFE = ("GET", "HEAD", "OPTIONS")  # reading a page that mentions a refusal is no attempt
NO_REASON = "The request was refused (403)."
log = logging.getLogger(__name__)


class Refusals:
    """Middleware around everything that can refuse."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with refused.listening() as heard:
            response = self._get_response(request)
        if response.status_code == 403 or (heard() and request.method not in SAFE):
            try:
                _note(request, heard() or NO_REASON)
            except DatabaseError:  # the refusal stands without its log entry
                log.exception("a refusal could not be logged")
        return response


def _note(request: HttpRequest, why: str) -> None:
    user = getattr(request, "user", None)
    person = user if getattr(user, "is_authenticated", False) else None
    left = _left(f"person {person.pk}", MOST) if person else _left_without_login(address(request))
    if left is None:
        return
    more = {} if left else {"note": LAST}
    where = without_token(quote(request.path))
    record(person, REFUSED, where, address=address(request), method=request.method, why=why[:500], **more)


def _left(place: str, most: int) -> int | None:
    """How many more refusals may be logged; None: not even this one."""
    if throttle.begin(REFUSED, "", place, most, most) is None:
        return None
    return most - throttle.count(REFUSED, place)


def _left_without_login(place: str) -> int | None:
    """The limit of one address comes first, so that one address cannot use up the limit of all."""
    mine = throttle.begin(REFUSED, "", place, MOST, MOST)
    if mine is None:
        return None
    left = _left("all without login", MOST_WITHOUT_LOGIN)
    if left is None:
        mine.delete()
        return None
    return min(left, MOST - throttle.count(REFUSED, place))
