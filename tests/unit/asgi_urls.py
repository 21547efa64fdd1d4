"""Addresses of one view each, for what may happen to a request."""

import asyncio
import threading
from collections.abc import AsyncIterator

from django.contrib.auth.models import User
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import path

from dashboard.accounts.gate import needs

went_on = threading.Event()  # the slow view may end
entered = threading.Event()
ended: list[str] = []
used: list[BaseDatabaseWrapper] = []  # the threads' connections


@needs("enter")
def threads(request: HttpRequest) -> HttpResponse:
    before = connection.connection is not None
    request.session.get("x")
    return HttpResponse(f"{threading.get_ident()} {User.objects.count()} connected before: {before}")


@needs("enter")
def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("as it may happen")


@needs("enter")
async def broken_async(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("as it may happen")


@needs("enter")
def slow(request: HttpRequest) -> HttpResponse:
    entered.set()
    went_on.wait(60)
    ended.append(f"slow, {User.objects.count()} people, closed: {connection.connection is None}")
    return HttpResponse("slow")


@needs("enter")
def stream(request: HttpRequest) -> HttpResponse:
    User.objects.count()
    used.append(connections["default"])
    return StreamingHttpResponse(_events(), content_type="text/event-stream", headers={"Content-Encoding": "identity"})


async def _events() -> AsyncIterator[str]:
    try:
        yield f"data: {await User.objects.acount()}\n\n"
        while True:
            yield "data: again\n\n"
            await asyncio.sleep(0.01)
    finally:
        ended.append("stream")


@needs("enter")
def breaking_stream(request: HttpRequest) -> HttpResponse:
    return StreamingHttpResponse(_breaking(), headers={"Content-Encoding": "identity"})


async def _breaking() -> AsyncIterator[str]:
    try:
        yield "a part"
        raise RuntimeError("as it may happen")
    finally:
        ended.append("breaking stream")


urlpatterns = [
    path("threads", threads),
    path("broken", broken),
    path("broken-async", broken_async),
    path("slow", slow),
    path("stream", stream),
    path("breaking-stream", breaking_stream),
]
