"""Changes that outlast a stolen session need a fresh proof of identity: password, second factor or passkey on the pages
of allauth; an account without these logs in again at company sign-on."""

import time
from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from urllib.parse import urlencode, urlsplit

from allauth.account import app_settings
from allauth.account.adapter import get_adapter
from allauth.account.authentication import get_authentication_records
from allauth.account.decorators import reauthentication_required
from allauth.socialaccount.models import SocialAccount
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from dashboard.pages.accounts.sign_on import PROVIDER
from dashboard.records.accounts.roles import NotAllowed

View = TypeVar("View", bound=Callable[..., HttpResponse])


def confirmed(view: View) -> View:
    """A POST needs a proof of identity of the last five minutes. After the password the POST continues. After company
    sign-on the user must press the button again."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if request.method != "POST":
            return view(request, *args, **kwargs)
        if get_adapter().get_reauthentication_methods(request.user):
            asked: HttpResponse = reauthentication_required(view)(request, *args, **kwargs)
            return asked
        return view(request, *args, **kwargs) if _logged_in_lately(request) else _to_the_company(request)

    return wrapped  # type: ignore[return-value]


def _logged_in_lately(request: HttpRequest) -> bool:
    records = get_authentication_records(request, request.user)
    return any(time.time() - record["at"] < app_settings.REAUTHENTICATION_TIMEOUT for record in records)


def _to_the_company(request: HttpRequest) -> HttpResponse:
    """To company sign-on, with a new login (`prompt=login`), then back to the page of the form."""
    if not SocialAccount.objects.filter(user=request.user, provider=PROVIDER).exists():
        raise NotAllowed(
            "This change needs a password, a second factor or company sign-on, and your account has none of them. "
            "Nothing was changed. Ask an administrator for a one-time password."
        )
    messages.warning(request, "Nothing was changed yet. Log in again, then repeat the change.")
    asked = {"process": "login", "next": _page(request), "auth_params": "prompt=login"}
    return redirect(f"{reverse('openid_connect_login', args=[PROVIDER])}?{urlencode(asked)}")


def _page(request: HttpRequest) -> str:
    """The page of the form: the address of the form itself may take only POST."""
    came_from = request.headers.get("Referer", "")
    known = url_has_allowed_host_and_scheme(came_from, allowed_hosts={request.get_host()})
    return urlsplit(came_from).path if came_from and known else reverse("home")
