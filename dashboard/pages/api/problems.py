"""Errors as problem details (RFC 9457)."""

from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any, TypeVar, cast

from django.core.exceptions import PermissionDenied
from django.core.exceptions import ValidationError as FormError
from django.db import IntegrityError
from django.forms import BaseForm, ChoiceField
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.middleware.http import ConditionalGetMiddleware
from ninja import Schema
from ninja.errors import HttpError, ValidationError

from dashboard.pages.api.door import NoToken, TooMany
from dashboard.portable.refused import NotImported
from dashboard.records.api.start_keys import KeyTaken
from dashboard.records.refused import Refused
from workers.errors import DurascopeError, PlanError

Form = TypeVar("Form", bound=BaseForm)

MEDIA_TYPE = "application/problem+json"
BELOW = "/api/"
MOST_CHOICES = 50  # in a message
KEPT = ("Allow", "Retry-After", "WWW-Authenticate")  # headers of a refusal that stay
SAYS = {  # used for an error without a message
    400: "The request could not be read. Nothing was changed.",
    404: "This address does not exist.",
    405: "This address does not support this method; the header Allow lists the supported ones. Nothing was changed.",
    413: "The request is too large. Nothing was changed.",
    500: "Durascope has a fault here. The log of the web server has the details.",
}


class Wrong(Schema):
    pointer: str
    detail: str


class Problem(Schema):
    """RFC 9457. `detail` is for people; `errors` names the wrong parts of the request by JSON pointers."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[Wrong] = []


class Conflict(Exception):
    """The request does not fit the present state: 409."""


class BadForm(Exception):
    """A form refused the values of the request: 422, with an error for each field."""

    def __init__(self, form: BaseForm) -> None:
        found = form.errors.as_data().items()
        self.errors = [(name, _with_choices(form, name, error)) for name, errors in found for error in errors]
        super().__init__("Something in the request does not fit. Nothing was changed.")


def _with_choices(form: BaseForm, name: str, error: FormError) -> str:
    """An error of a choice lists the values."""
    said, field = " ".join(error.messages), form.fields.get(name)
    if error.code != "invalid_choice" or not isinstance(field, ChoiceField):
        return said
    choices = cast(Iterable[tuple[object, object]], field.choices)  # no form has groups of them
    values = [str(value) for value, _ in choices if value != ""]
    return f"{said} Known: {', '.join(values[:MOST_CHOICES])}{' ...' if len(values) > MOST_CHOICES else '.'}"


def valid(form: Form) -> Form:
    """The same form. Raises BadForm."""
    if not form.is_valid():
        raise BadForm(form)
    return form


def answer(status: int, detail: str = "", errors: Iterable[tuple[str, str]] = ()) -> HttpResponse:
    """`errors`: (JSON pointer, the error)."""
    body: dict[str, object] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail or SAYS.get(status, f"{HTTPStatus(status).description}."),
    }
    if errors := list(errors):
        body["errors"] = [{"pointer": pointer, "detail": wrong} for pointer, wrong in errors]
    response = JsonResponse(body, status=status, content_type=MEDIA_TYPE)
    if status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = 'Bearer realm="Durascope"'
    return response


def _plainly(status: int) -> Callable[[HttpRequest, Exception], HttpResponse]:
    return lambda _, exc: answer(status, str(exc))


def _invalid(_: HttpRequest, exc: ValidationError) -> HttpResponse:
    return answer(422, "Something in the request does not fit. Nothing was changed.", map(_pointed, exc.errors))


def _pointed(error: Mapping[str, Any]) -> tuple[str, str]:
    """The location that ninja reports (source, parameter, inner names) as a JSON pointer; for a parameter its name."""
    source, *places = error["loc"]
    inner = places[1:] if source == "body" else places
    return "/".join(["", *(str(place).replace("~", "~0").replace("/", "~1") for place in inner)]), error["msg"]


def _bad_form(_: HttpRequest, exc: BadForm) -> HttpResponse:
    return answer(422, str(exc), ((f"/{name}", wrong) for name, wrong in exc.errors))


def _plan(_: HttpRequest, exc: PlanError) -> HttpResponse:
    """A refused plan has all its reasons, one in each line."""
    reasons = str(exc).splitlines()
    return answer(422, " ".join(reasons), (("", reason) for reason in reasons) if len(reasons) > 1 else ())


def _too_many(_: HttpRequest, exc: TooMany) -> HttpResponse:
    response = answer(429, str(exc))
    response["Retry-After"] = str(exc.wait_s)
    return response


def _collided(_: HttpRequest, exc: IntegrityError) -> HttpResponse:
    return answer(
        409, "Another request stored a conflicting change at the same moment. Nothing was changed. Try again."
    )


HANDLERS: dict[type[Exception], Callable[[HttpRequest, Any], HttpResponse]] = {
    NoToken: _plainly(401),
    TooMany: _too_many,
    PermissionDenied: _plainly(403),
    Http404: lambda _, exc: answer(404, "This object does not exist."),
    HttpError: lambda _, exc: answer(exc.status_code, f"{exc}. Nothing was changed."),
    ValidationError: _invalid,
    BadForm: _bad_form,
    PlanError: _plan,
    NotImported: _plainly(422),
    DurascopeError: _plainly(409),
    Refused: _plainly(409),
    Conflict: _plainly(409),
    KeyTaken: _plainly(409),
    IntegrityError: _collided,
}


def told(request: HttpRequest, failure: Exception) -> HttpResponse:
    """The answer to an error in HANDLERS, for a view outside of the API."""
    return next(HANDLERS[kind](request, failure) for kind in type(failure).__mro__ if kind in HANDLERS)


class Problems(ConditionalGetMiddleware):
    """For addresses below /api/: each error is answered as problem details, also an error before the API is reached.
    Each answer has an ETag, and a reader with the same ETag gets 304."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not request.path_info.startswith(BELOW):
            return response
        if response.status_code >= 400 and response.get("Content-Type") != MEDIA_TYPE:
            response = _as_problem(response)
        response.setdefault("Cache-Control", "private, no-cache")  # an ETag is asked for again each time
        return super().process_response(request, response)


def _as_problem(response: HttpResponseBase) -> HttpResponseBase:
    problem = answer(response.status_code)
    for name in KEPT:
        if name in response:
            problem[name] = response[name]
    return problem
