"""Views of buttons: a button does one thing with one object, and the next page says what happened."""

from collections.abc import Callable
from typing import TypeVar

from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from dashboard.pages.accounts.confirmed import confirmed
from dashboard.pages.accounts.gate import account_of, needs
from dashboard.records.refused import Refused

Row = TypeVar("Row", bound=Model)


def button(
    operation: str,
    rows: QuerySet[Row],
    action: Callable[[User, Row], object],
    said: str,
    *,
    page: str,
    then: str = "",
    confirm: bool = False,
) -> Callable[..., HttpResponse]:
    """`said`: the message on success, where {} is the object. `page`: address of the page of one object, which also
    shows a refusal. `then`: address of the next page after success, `page` by default. `confirm`: ask for the password
    again (see `confirmed`)."""

    def pressed(request: HttpRequest, pk: int) -> HttpResponse:
        one = get_object_or_404(rows, pk=pk)
        try:
            action(account_of(request), one)
        except Refused as refused:
            messages.error(request, str(refused))
            return redirect(page, pk)
        messages.success(request, said.format(one))
        return redirect(then) if then else redirect(page, pk)

    return needs(operation)(require_POST(confirmed(pressed) if confirm else pressed))
