"""Below /api/ everything that goes wrong is told as problem details, also what never came as far as the API."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

from dashboard.pages.api import problems

BELOW = "/api/"
KEPT = ("Allow", "Retry-After", "WWW-Authenticate")


class Problems(MiddlewareMixin):
    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not request.path_info.startswith(BELOW):
            return response
        if response.status_code >= 400 and response.get("Content-Type") != problems.MEDIA_TYPE:
            response = _told(response)
        response.setdefault("Cache-Control", "private, no-cache")  # an ETag is asked for again each time
        return response


def _told(response: HttpResponseBase) -> HttpResponseBase:
    told = problems.answer(response.status_code)
    for name in KEPT:
        if name in response:
            told[name] = response[name]
    return told
