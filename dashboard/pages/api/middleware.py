"""For addresses below /api/: each error is answered as problem details, also an error before the API is reached. Each
answer has an ETag, and a reader with the same ETag gets 304."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.http import ConditionalGetMiddleware

from dashboard.pages.api import problems

BELOW = "/api/"
KEPT = ("Allow", "Retry-After", "WWW-Authenticate")


class Problems(ConditionalGetMiddleware):
    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not request.path_info.startswith(BELOW):
            return response
        if response.status_code >= 400 and response.get("Content-Type") != problems.MEDIA_TYPE:
            response = _told(response)
        response.setdefault("Cache-Control", "private, no-cache")  # an ETag is asked for again each time
        return super().process_response(request, response)


def _told(response: HttpResponseBase) -> HttpResponseBase:
    told = problems.answer(response.status_code)
    for name in KEPT:
        if name in response:
            told[name] = response[name]
    return told
