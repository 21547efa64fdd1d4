"""Pages of people, for administrators; each form is one action."""

from collections.abc import Callable
from typing import Any

from allauth.mfa.models import Authenticator
from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dashboard.pages.accounts import running
from dashboard.pages.accounts.confirmed import confirmed
from dashboard.pages.accounts.gate import account_of, needs
from dashboard.pages.api.actions import revoke_all
from dashboard.records.accounts import actions
from dashboard.records.accounts.role import Role
from dashboard.records.accounts.roles import OPERATIONS


class PersonForm(forms.Form):
    name = forms.CharField(max_length=150, validators=[UnicodeUsernameValidator()], help_text="The name for the login.")
    role = forms.ChoiceField(
        choices=Role.choices, initial=Role.VIEWER, help_text="The page People lists the rights of each role."
    )


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Role.choices)


@needs("administer")
@require_safe
def people(request: HttpRequest) -> HttpResponse:
    factors = Authenticator.objects.filter(user=OuterRef("pk")).exclude(type=Authenticator.Type.RECOVERY_CODES)
    everybody = User.objects.select_related("person").annotate(guarded=Exists(factors)).order_by("username")
    return render(request, "people/list.html", {"people": everybody, "operations": OPERATIONS.values()})


@needs("administer")
@require_http_methods(["GET", "POST"])
@confirmed
def add(request: HttpRequest) -> HttpResponse:
    form = PersonForm(request.POST or None)
    if request.method == "GET" or not form.is_valid():
        return render(request, "people/add.html", {"form": form})
    try:
        password = actions.add(request.user, **form.cleaned_data)
    except (actions.NameTaken, ValidationError) as refused:
        form.add_error("name", str(refused) if isinstance(refused, actions.NameTaken) else refused)
        return render(request, "people/add.html", {"form": form})
    return _page(request, User.objects.get(username=form.cleaned_data["name"]), password)


@needs("administer")
@require_safe
def person(request: HttpRequest, pk: int) -> HttpResponse:
    return _page(request, _known(pk))


@needs("administer")
@require_POST
@confirmed
def role(request: HttpRequest, pk: int) -> HttpResponse:
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, "This role does not exist. Nothing was changed.")
        return redirect("people:person", pk)
    wanted = form.cleaned_data["role"]
    return _do(request, pk, lambda user: actions.change_role(request.user, user, wanted), f"is {wanted} now")


@needs("administer")
@require_POST
def deactivate(request: HttpRequest, pk: int) -> HttpResponse:
    return _do(request, pk, lambda user: actions.deactivate(request.user, user), "is deactivated and logged out")


@needs("administer")
@require_POST
@confirmed
def activate(request: HttpRequest, pk: int) -> HttpResponse:
    return _do(request, pk, lambda user: actions.activate(request.user, user), "may log in again")


@needs("administer")
@require_POST
def end(request: HttpRequest, pk: int) -> HttpResponse:
    """Cancel and pause what runs by this person's right."""
    ended = running.end(request.user, _known(pk))
    messages.success(
        request, f"Cancelled or paused: {ended.says}." if ended else "Nothing runs with this person's rights any more."
    )
    return redirect("people:person", pk)


@needs("administer")
@require_POST
@confirmed
def factors(request: HttpRequest, pk: int) -> HttpResponse:
    return _do(
        request, pk, lambda user: actions.remove_second_factors(request.user, user), "needs no second factor now"
    )


@needs("administer")
@require_POST
def tokens(request: HttpRequest, pk: int) -> HttpResponse:
    return _do(request, pk, lambda user: revoke_all(account_of(request), user), "has no API token any more")


@needs("administer")
@require_POST
@confirmed
def password(request: HttpRequest, pk: int) -> HttpResponse:
    """Answers with the page itself, not a redirect: the password is shown this once and kept nowhere."""
    user = _known(pk)
    password = actions.new_password(request.user, user)
    return _page(request, _known(pk), password)


def _do(request: HttpRequest, pk: int, action: Callable[[User], Any], happened: str) -> HttpResponse:
    user = _known(pk)
    try:
        action(user)
    except actions.LastAdministrator as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, f"{user.get_username()} {happened}.")
        _offer_ending(request, user)
    return redirect("people:person", pk)


def _offer_ending(request: HttpRequest, user: User) -> None:
    """To whoever just took the right to run experiments away."""
    found = running.running(_known(user.pk))
    if found and found.lost:
        messages.warning(request, f"Still running with this person's rights: {found.says}. You can end them below.")


def _known(pk: int) -> User:
    return get_object_or_404(User.objects.select_related("person"), pk=pk)


def _page(request: HttpRequest, user: User, password: str = "") -> HttpResponse:
    context = {
        "person": user,
        "form": RoleForm(initial={"role": user.person.role}),
        "factors": Authenticator.objects.filter(user=user).exclude(type=Authenticator.Type.RECOVERY_CODES),
        "servers": user.owned_servers.all(),
        "tokens": user.api_tokens.filter(revoked_at=None, expires_at__gt=timezone.now()),
        "password": password,
        "running": running.running(user),
    }
    response = render(request, "people/person.html", context)
    response["Cache-Control"] = "no-store"  # it may hold a fresh password
    return response
