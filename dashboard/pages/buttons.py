"""Views of buttons and small forms: each does one thing with one object, and the next page says what happened."""

from collections.abc import Callable
from typing import TypeVar

from django.contrib import messages
from django.db.models import Model, QuerySet
from django.forms import Form
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse

from dashboard.pages.accounts.confirmed import confirmed
from dashboard.pages.accounts.gate import account_of, needs
from dashboard.records.fleet.task_queue import QueueDown
from dashboard.records.refused import Refused
from workers.errors import PlanError

Row = TypeVar("Row", bound=Model)


def button(
    rows: QuerySet[Row],
    page: str | Callable[[Row], str],
    operation: str,
    action: Callable[..., object],
    said: str = "",
    *,
    then: str | Callable[[Row], str] = "",
    form: Callable[[QueryDict], Form] | None = None,
    confirm: bool = False,
) -> Callable[..., HttpResponse]:
    """`page` of a row; it also shows a refusal. `action`: is given the user, the row and the values of the form.
    `said`: the message on success, where {} is the row, then the values; "": none. `then`: the next page after success,
    `page` by default. `confirm`: ask for the password again (see `confirmed`)."""

    def pressed(request: HttpRequest, pk: int) -> HttpResponse:
        one, given = get_object_or_404(rows, pk=pk), form(request.POST) if form else None
        here = page(one) if callable(page) else reverse(page, args=[pk])
        if given and not given.is_valid():
            wrong = " ".join(str(error) for errors in given.errors.values() for error in errors)
            messages.error(request, f"Nothing was changed. {wrong}")
            return redirect(here)
        values = [*given.cleaned_data.values()] if given else []
        try:
            action(account_of(request), one, *values)
        except (Refused, PlanError) as refused:
            messages.error(request, str(refused))
            return redirect(here)
        except QueueDown as silent:  # the change is stored
            messages.warning(request, str(silent))
        else:
            if said:
                messages.success(request, said.format(one, *values))
        return redirect(then(one) if callable(then) else then or here)

    return needs(operation, "POST")(confirmed(pressed) if confirm else pressed)
