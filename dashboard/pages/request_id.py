"""Each request has an id: in the header X-Request-Id of its answer, on the page of an error, and in the lines of the
log that are written for it, also by the worker that gets a task of it."""

import secrets
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template import loader

from dashboard.installation.log_lines import now, start_anew

HEADER = "X-Request-Id"


class RequestId:
    """Middleware around everything. An id of the visitor's is not taken."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        made = secrets.token_hex(8)
        start_anew(request=made)  # until the next request of this thread: Django logs a 404 after the middleware
        response = self._get_response(request)
        response[HEADER] = made
        return response


def failed(request: HttpRequest) -> HttpResponse:
    """The page of an error that nobody expected."""
    return HttpResponse(loader.get_template("500.html").render({"request_id": now().get("request", "")}), status=500)
