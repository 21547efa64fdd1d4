"""Pages of people, for administrators."""

from functools import partial

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

from dashboard.pages.accounts import running
from dashboard.pages.accounts.confirmed import confirmed
from dashboard.pages.accounts.gate import needs
from dashboard.pages.api.actions import revoke_all
from dashboard.pages.buttons import button
from dashboard.records.accounts import actions
from dashboard.records.accounts.role import Role
from dashboard.records.accounts.roles import OPERATIONS

PEOPLE = User.objects.select_related("person").order_by("username")


class PersonForm(forms.Form):
    name = forms.CharField(max_length=150, validators=[UnicodeUsernameValidator()], help_text="The name for the login.")
    role = forms.ChoiceField(
        choices=Role.choices, initial=Role.VIEWER, help_text="The page People lists the rights of each role."
    )


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Role.choices)


@needs("administer", "GET")
def people(request: HttpRequest) -> HttpResponse:
    factors = Authenticator.objects.filter(user=OuterRef("pk")).exclude(type=Authenticator.Type.RECOVERY_CODES)
    everybody = PEOPLE.annotate(guarded=Exists(factors))
    return render(request, "people/list.html", {"people": everybody, "operations": OPERATIONS.values()})


@needs("administer", "GET", "POST")
@confirmed
def add(request: HttpRequest) -> HttpResponse:
    form = PersonForm(request.POST or None)
    if not form.is_valid():
        return render(request, "people/add.html", {"form": form})
    try:
        password = actions.add(request.user, **form.cleaned_data)
    except (actions.NameTaken, ValidationError) as refused:
        form.add_error("name", str(refused) if isinstance(refused, actions.NameTaken) else refused)
        return render(request, "people/add.html", {"form": form})
    return _page(request, User.objects.get(username=form.cleaned_data["name"]), password)


@needs("administer", "GET")
def person(request: HttpRequest, pk: int) -> HttpResponse:
    return _page(request, _known(pk))


_button = partial(button, PEOPLE, "people:person", "administer")
role = _button(actions.change_role, "{} is {} now.", form=RoleForm, confirm=True)
deactivate = _button(actions.deactivate, "{} is deactivated and logged out.")
activate = _button(actions.activate, "{} may log in again.", confirm=True)
factors = _button(actions.remove_second_factors, "{} needs no second factor now.", confirm=True)
tokens = _button(revoke_all, "{} has no API token any more.")


@needs("administer", "POST")
def end(request: HttpRequest, pk: int) -> HttpResponse:
    """Cancel experiments and pause schedules of this person."""
    ended = running.end(request.user, _known(pk))
    messages.success(
        request, f"Cancelled or paused: {ended.says}." if ended else "Nothing runs with this person's rights any more."
    )
    return redirect("people:person", pk)


@needs("administer", "POST")
@confirmed
def password(request: HttpRequest, pk: int) -> HttpResponse:
    """No redirect: this answer alone shows the password, which is stored nowhere."""
    user = _known(pk)
    password = actions.new_password(request.user, user)
    return _page(request, _known(pk), password)


def _known(pk: int) -> User:
    return get_object_or_404(PEOPLE, pk=pk)


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
    response["Cache-Control"] = "no-store"  # it may hold a new password
    return response
