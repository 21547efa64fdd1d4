"""Unused sessions end. Each person can list and end their own sessions."""

import time
from collections.abc import Callable

from allauth.usersessions.internal.flows.sessions import end_other_sessions, end_sessions
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import auth, messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from dashboard.pages.accounts.gate import needs
from dashboard.records.audit.models import record

SEEN = "seen"  # key in the session: last use, seconds since 1970
ENDED = "ended_idle"  # key in the next session: the login page explains the log-out
NOTED_EVERY_S = 60
BROWSERS = ("Firefox", "Edg", "OPR", "Chromium", "Chrome", "Safari", "curl")  # the first match is the browser
SYSTEMS = ("Android", "iPhone", "iPad", "Windows", "Macintosh", "Linux")
TITLES = {"Edg": "Edge", "OPR": "Opera", "Macintosh": "macOS"}


class Idle:
    """Middleware: ends a session that was unused for settings.IDLE_LIMIT. Stores the last use once a minute."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if settings.SESSION_COOKIE_NAME in request.COOKIES and request.user.is_authenticated:
            _look_at(request, time.time())
        return self._get_response(request)


def _look_at(request: HttpRequest, now: float) -> None:
    seen = request.session.get(SEEN)
    if settings.IDLE_LIMIT and seen is not None and now - seen > settings.IDLE_LIMIT.total_seconds():
        auth.logout(request)
        request.session[ENDED] = True
    elif _is_used(request) and (seen is None or now - seen >= NOTED_EVERY_S):
        request.session[SEEN] = now
        UserSession.objects.create_from_request(request)


def _is_used(request: HttpRequest) -> bool:
    """Requests that a page sends by itself (they ask for JSON) do not count as use."""
    accepts = request.headers.get("Accept", "")
    return request.method != "GET" or not accepts.startswith("application/json")


def program(user_agent: str) -> str:
    """Firefox on Linux."""
    found = [next((one for one in known if one in user_agent), "") for known in (BROWSERS, SYSTEMS)]
    browser, system = (TITLES.get(one, one) for one in found)
    return f"{browser or 'A program'} on {system}" if system else browser or "unknown"


@needs("own_account", "GET")
def own(request: HttpRequest) -> HttpResponse:
    rows = sorted(UserSession.objects.purge_and_list(request.user), key=lambda one: one.last_seen_at, reverse=True)
    shown = [{"session": one, "program": program(one.user_agent), "is_this": one.is_current()} for one in rows]
    return render(request, "account/sessions.html", {"sessions": shown, "idle_limit": settings.IDLE_LIMIT})


@needs("own_account", "POST")
def end(request: HttpRequest, pk: int) -> HttpResponse:
    """End one session; ending the present session is a log-out."""
    user, row = request.user, get_object_or_404(UserSession, pk=pk, user=request.user)
    record(user, "ended sessions", user, which=f"the one from {row.ip}")
    end_sessions(request, [row])
    if not request.user.is_authenticated:
        return redirect("account_login")
    messages.success(request, "The session has ended.")
    return redirect("own_sessions")


@needs("own_account", "POST")
def end_others(request: HttpRequest) -> HttpResponse:
    end_other_sessions(request, request.user)
    record(request.user, "ended sessions", request.user, which="all others")
    messages.success(request, "All other sessions have ended.")
    return redirect("own_sessions")
